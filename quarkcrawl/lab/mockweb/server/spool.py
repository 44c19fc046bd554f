"""Replies on disk: an unlinked temporary file, and an index small enough for memory.

Ten thousand pages are some 200 MB; kept in memory they would be in the way of the very
measurements that a replay serves. The index takes two integers a page.
"""

from __future__ import annotations

import os
import pickle
import struct
import tempfile
import weakref
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.web import MockReply


_SIZE = struct.Struct("<Q")


class Spool:
    """Stores replies under keys; a reply may take over from a later visit on.

    The file has no name, so it is gone when the process is, however that ends.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="quarkcrawl-spool-", buffering=1 << 20)  # noqa: SIM115
        # Closed with the last reference, or earlier by `close`.
        self._finalizer = weakref.finalize(self, self._file.close)
        self._end = 0
        self._first: dict[int, int] = {}
        self._later: dict[int, list[tuple[int, int]]] = {}

    def __len__(self) -> int:
        return len(self._first)

    def add(self, key: str, reply: MockReply, from_visit: int = 1) -> bool:
        """Store a reply; False if it takes the place of an earlier one for that visit."""
        number, offset = _digest(key), self._write(reply)
        if from_visit <= 1:
            is_new = number not in self._first
            self._first[number] = offset
            return is_new
        later = dict(self._later.get(number, ()))
        is_new = from_visit not in later
        later[from_visit] = offset
        self._later[number] = sorted(later.items())
        return is_new

    def get(self, key: str, visit: int = 1) -> MockReply | None:
        """The reply for this visit of a key, None if nothing is stored."""
        number = _digest(key)
        offset = self._first.get(number)
        for from_visit, later in self._later.get(number, ()):
            if from_visit <= visit:
                offset = later
        return None if offset is None else self._read(offset)

    def __contains__(self, key: str) -> bool:
        return _digest(key) in self._first

    def _write(self, reply: MockReply) -> int:
        data = pickle.dumps(reply)
        offset = self._end
        self._file.write(_SIZE.pack(len(data)))
        self._file.write(data)
        self._end += _SIZE.size + len(data)
        return offset

    def seal(self) -> None:
        """Make everything written readable; call once after the last `add`."""
        self._file.flush()

    def _read(self, offset: int) -> MockReply:
        fd = self._file.fileno()
        (n_bytes,) = _SIZE.unpack(os.pread(fd, _SIZE.size, offset))
        reply: MockReply = pickle.loads(os.pread(fd, n_bytes, offset + _SIZE.size))  # noqa: S301 - we wrote it
        return reply

    def close(self) -> None:
        """Give the disk space back."""
        self._finalizer()


def _digest(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest())
