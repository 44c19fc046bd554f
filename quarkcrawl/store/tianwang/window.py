"""Random access to a large file through one bounded buffer.

Not mmap: a writer that takes back a record (disk full) shortens the file, and touching a mapped
page beyond the new end kills the process. ``pread`` just returns less.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


WINDOW_BYTES: Final = 1 << 20


class Window(AbstractContextManager["Window"]):
    """A read-only file of fixed size (that at opening) behind a sliding buffer.

    Raises:
        StoreError: the file cannot be opened.
    """

    def __init__(self, path: Path, *, window_bytes: int = WINDOW_BYTES) -> None:
        self._window_bytes = window_bytes
        self._start = 0
        self._buffer = b""
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(f"cannot read ({error.strerror})", where=path) from error
        self.size = os.fstat(self._fd).st_size

    def at(self, offset: int, length: int) -> tuple[bytes, int]:
        """A buffer that holds at least ``length`` bytes at ``offset``, if the file has them.

        Returns:
            The buffer and the place of ``offset`` in it.
        """
        within = offset - self._start
        if within < 0 or within + length > len(self._buffer):
            inside = 0 <= offset < self.size
            wanted = min(max(length, self._window_bytes), self.size - offset) if inside else 0
            self._buffer = self._pread(offset, wanted) if wanted > 0 else b""
            self._start, within = offset, 0
        return self._buffer, within

    def _pread(self, offset: int, length: int) -> bytes:
        data = os.pread(self._fd, length, offset)
        while len(data) < length:  # a signal, a 2 GiB limit, or a file that became shorter
            more = os.pread(self._fd, length - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes at ``offset``."""
        buffer, within = self.at(offset, length)
        return buffer[within : within + length]

    def find(self, needle: bytes, start: int) -> int:
        """First place of ``needle`` at or after ``start``; -1 if there is none."""
        overlap = len(needle) - 1
        while start < self.size:
            buffer, within = self.at(start, min(self._window_bytes, self.size - start))
            found = buffer.find(needle, within)
            if found >= 0:
                return start + found - within
            if len(buffer) - within <= overlap:
                return -1
            start += len(buffer) - within - overlap
        return -1

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
