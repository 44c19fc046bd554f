"""Replies on disk: an unlinked temporary file, and an index small enough for memory.

Ten thousand pages are some 200 MB; kept in memory they would be in the way of the very
measurements that a replay serves. The index takes two integers a page.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
import weakref
from hashlib import blake2b

from quarkcrawl.lab.mockweb.web import Coding, Fault, MockReply

_SIZES = struct.Struct("<II")


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
        meta = json.dumps(
            [
                reply.status,
                reply.headers,
                reply.delay_s,
                reply.drip_s,
                reply.fault,
                reply.chunked,
                reply.coding,
            ]
        ).encode()
        offset = self._end
        self._file.write(_SIZES.pack(len(meta), len(reply.body)))
        self._file.write(meta)
        self._file.write(reply.body)
        self._end += _SIZES.size + len(meta) + len(reply.body)
        return offset

    def seal(self) -> None:
        """Make everything written readable; call once after the last `add`."""
        self._file.flush()

    def _read(self, offset: int) -> MockReply:
        fd = self._file.fileno()
        meta_bytes, body_bytes = _SIZES.unpack(os.pread(fd, _SIZES.size, offset))
        data = os.pread(fd, meta_bytes + body_bytes, offset + _SIZES.size)
        status, headers, delay_s, drip_s, fault, chunked, coding = json.loads(data[:meta_bytes])
        return MockReply(
            status,
            tuple((name, value) for name, value in headers),
            data[meta_bytes:],
            delay_s,
            drip_s,
            Fault(fault) if fault else None,
            chunked,
            Coding(coding) if coding else None,
        )

    def close(self) -> None:
        """Give the disk space back."""
        self._finalizer()


def _digest(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest())
