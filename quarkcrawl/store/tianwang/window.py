"""Random access to a large file through one bounded buffer."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from quarkcrawl.store.storagepath import StoragePath

WINDOW_BYTES: Final = 1 << 20


class Window(AbstractContextManager["Window"]):
    """A read-only file of fixed size (that at opening) behind a sliding buffer.

    Raises:
        StoreError: the file cannot be opened.
    """

    def __init__(self, path: Path | StoragePath, *, window_bytes: int = WINDOW_BYTES) -> None:
        self._window_bytes = window_bytes
        self._start = 0
        self._buffer = b""
        self._file = (StoragePath(str(path)) if isinstance(path, Path) else path).open()
        self.size = self._file.size

    def at(self, offset: int, length: int) -> tuple[bytes, int]:
        """A buffer that holds at least ``length`` bytes at ``offset``, if the file has them.

        Returns:
            The buffer and the place of ``offset`` in it.
        """
        within = offset - self._start
        if within < 0 or within + length > len(self._buffer):
            inside = 0 <= offset < self.size
            n_bytes = min(max(length, self._window_bytes), self.size - offset) if inside else 0
            self._buffer = self._file.read_at(offset, n_bytes) if n_bytes > 0 else b""
            self._start, within = offset, 0
        return self._buffer, within

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes at ``offset``."""
        buffer, within = self.at(offset, length)
        return buffer[within : within + length]

    def find(self, needle: bytes, start: int) -> int:
        """First place of ``needle`` at or after ``start``; -1 if there is none."""
        overlap = len(needle) - 1
        while start < self.size:
            buffer, within = self.at(start, min(self._window_bytes, self.size - start))
            index = buffer.find(needle, within)
            if index >= 0:
                return start + index - within
            if len(buffer) - within <= overlap:
                return -1
            start += len(buffer) - within - overlap
        return -1

    def __exit__(self, *_: object) -> None:
        self._file.close()
