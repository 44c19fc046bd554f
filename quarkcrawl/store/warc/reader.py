"""Reading WARC files: every whole record, whatever happened to the bytes between.

Python's WARC readers give a last record that is cut off as if it were whole, and stop for good at
the first damaged byte. Here a record is believed when its gzip member inflates to its end (which
checks CRC and size), its Content-Length leads exactly to the blank lines behind the block, and its
block has the digest it promises. Otherwise the scan looks for the next member, or in uncompressed
files for the next ``WARC/1.`` line. Damage is reported with its place and reason, never raised.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from quarkcrawl.errors import DamagedRecordError, InputError
from quarkcrawl.store.tianwang import GZIP_ERRORS, MAX_INFLATED_BYTES, Window, gzip_stream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quarkcrawl.store.storagepath import RangeFile, StoragePath


WarcDamageKind = Literal[
    "junk",  # bytes that belong to no record
    "bad stream",  # a gzip member that does not inflate to its end
    "bad header",
    "bad length",  # Content-Length does not lead to the end of the record
    "bad digest",
    "too large",
    "truncated",  # the file ends within the record
    "wrong record",  # an index leads to the record of another URL
]

_Fields = tuple[tuple[str, str], ...]
_MAGIC: Final = b"\x1f\x8b\x08"
_START: Final = b"WARC/"
_RECORD_START: Final = b"WARC/1."
_OTHER_FORMATS: Final = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_MAX_HEADER_BYTES: Final = 64 * 1024
_ROOM_BYTES: Final = _MAX_HEADER_BYTES + 8
_PIECE_BYTES: Final = 32 * 1024  # read from the file at a time
_BLOCK_BYTES: Final = 256 * 1024  # inflated at a time
_BLANK = re.compile(rb"\r?\n\r?\n")
_FOLDED = re.compile(rb"\r?\n[ \t]+")
_CLOSING: Final = b"\r\n\r\n"
_DIGITS: Final = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789abcdefghijklmnopqrstuv"
)
"""Digits of base 32 in RFC 4648, and those that `int` knows."""


@dataclass(frozen=True, slots=True)
class WarcFound:
    """A whole record and where it lies.

    Args:
        fields: named fields in order; names in lower case.
        block: the content.
        offset: first byte of the record, or of the gzip member that it begins in.
        length: bytes that record or member takes in the file.
    """

    fields: _Fields
    block: bytes
    offset: int
    length: int

    def get(self, name: str, default: str = "") -> str:
        """First value of a named field, by lower-case name."""
        for key, value in self.fields:
            if key == name:
                return value
        return default

    @property
    def kind(self) -> str:
        """WARC-Type in lower case; "" when there is none."""
        return self.get("warc-type").lower()

    @property
    def url(self) -> str:
        """WARC-Target-URI without the angle brackets that some writers of WARC 1.0 put."""
        return self.get("warc-target-uri").removeprefix("<").removesuffix(">")


@dataclass(frozen=True, slots=True)
class WarcDamage:
    """Bytes that are no whole record: what is wrong, where, and how many bytes are lost."""

    kind: WarcDamageKind
    offset: int
    length: int
    detail: str = ""
    url: str | None = None


class _Source(Protocol):
    """Bytes that can be read at any place: a file, or the content of a gzip member."""

    size: int

    def read(self, offset: int, length: int) -> bytes: ...


class _Searched(_Source, Protocol):
    """A source in which the next record can be looked for."""

    def find(self, needle: bytes, start: int) -> int: ...


class _InMemory:
    """The content of a gzip member, or a range of a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]

    def find(self, needle: bytes, start: int) -> int:
        return self._data.find(needle, start)


class _BrokenError(DamagedRecordError):
    """A record that is not whole: ``kind`` says why, ``end`` where to go on if that is known."""

    def __init__(self, kind: WarcDamageKind, detail: str, *, end: int = 0, url: str = "") -> None:
        super().__init__(detail)
        self.kind: WarcDamageKind = kind
        self.end = end
        self.url = url or None


@dataclass(frozen=True, slots=True)
class _Framed:
    fields: _Fields
    block: bytes
    end: int


def read_warc(
    path: Path | StoragePath, *, max_bytes: int = MAX_INFLATED_BYTES
) -> Iterator[WarcFound | WarcDamage]:
    """All records of a WARC file, compressed with gzip or not, and what lies between them.

    Memory is bounded by ``max_bytes``.

    Args:
        path: the file.
        max_bytes: gzip members and records that hold more are damage.

    Raises:
        StoreError: the file cannot be opened.
        InputError: the file is of a kind that is not read (zstd, lz4).
    """
    with Window(path) as window:
        begin = window.read(0, 4)
        if begin in _OTHER_FORMATS:
            name = _OTHER_FORMATS[begin]
            raise InputError(f"compressed with {name}; only gzip and plain WARC", where=path)
        scan = _Scan(window, max_bytes)
        yield from scan.plain() if begin.startswith(_START[:4]) else scan.members()


def read_warc_at(
    file: RangeFile, offset: int, length: int, *, max_bytes: int = MAX_INFLATED_BYTES
) -> WarcFound | WarcDamage:
    """The record that an index says is there; no other byte of the file is read.

    Args:
        file: the WARC file.
        offset: first byte of the record, or of its gzip member.
        length: bytes that it takes in the file.
        max_bytes: a record that holds more is damage.

    Raises:
        StoreError: the file cannot be read.
    """
    data = file.read_at(offset, length) if 0 <= offset < file.size and length > 0 else b""
    if len(data) < length or not data:
        missing = f"{length - len(data)} bytes of {length} lie beyond the end of the file"
        return WarcDamage("truncated", offset, length, missing)
    scan = _Scan(_InMemory(data), max_bytes)
    records = scan.plain() if data.startswith(_START[:4]) else scan.members()
    record = next(records)
    if isinstance(record, WarcFound):
        return WarcFound(record.fields, record.block, offset, length)
    return replace(record, offset=offset, length=length)


def _frame(source: _Source, start: int, max_bytes: int) -> _Framed:
    """The record that begins at ``start``.

    Raises:
        _BrokenError: there is none, or not a whole one.
    """
    head = source.read(start, _ROOM_BYTES)
    if not head.startswith(_START):
        raise _BrokenError("junk", "no record begins here")
    blank = _BLANK.search(head)
    if blank is None:
        cut = len(head) < _ROOM_BYTES
        raise _BrokenError("truncated" if cut else "bad header", "the header does not end")
    fields = _parse_fields(head[: blank.start()])
    values = dict(reversed(fields))
    url = values.get("warc-target-uri", "")
    length = values.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 19):
        raise _BrokenError("bad header", f"Content-Length is {length[:30]!r}", url=url)
    begin = start + blank.end()
    end = _end(source, begin, int(length), url)
    if int(length) > max_bytes:
        raise _BrokenError("too large", f"{length} bytes, {max_bytes} allowed", end=end, url=url)
    block = source.read(begin, int(length))
    if not _digest_holds(values.get("warc-block-digest", ""), block):
        raise _BrokenError("bad digest", "the block has not the promised digest", end=end, url=url)
    return _Framed(fields, block, end)


def _end(source: _Source, begin: int, length: int, url: str) -> int:
    """Where a record ends whose block begins there.

    Raises:
        _BrokenError: it does not.
    """
    end = begin + length
    if end > source.size:
        missing = f"{end - source.size} bytes of {length} are missing"
        raise _BrokenError("truncated", missing, url=url)
    closing = source.read(end, 4)
    width = 4 if closing == _CLOSING else 2 if closing.startswith(b"\n\n") else 0
    if not width and end != source.size:  # some writers forget the blank lines at the very end
        raise _BrokenError(
            "bad length", "the record does not end where Content-Length leads", url=url
        )
    return end + width


def _parse_fields(head: bytes) -> _Fields:
    """Named fields; continuation lines joined.

    Raises:
        _BrokenError: a line is no field.
    """
    if b"\n " in head or b"\n\t" in head:
        head = _FOLDED.sub(b" ", head)
    fields = []
    for line in head.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if not colon or "\x00" in line:
            raise _BrokenError("bad header", f"no named field: {line[:60]!r}")
        fields.append((name.strip().lower(), value.strip()))
    return tuple(fields)


def _digest_holds(promised: str, data: bytes) -> bool:
    """Whether a labeled digest is that of the data; one that cannot be read says nothing."""
    label, _, value = promised.partition(":")
    if label.lower() not in {"sha1", "sha256", "md5"}:
        return True
    digest = hashlib.new(label.lower(), data, usedforsecurity=False).digest()
    try:
        # SHA-1 fills its digits; as a number it takes a tenth of the time of `base64`.
        if len(value) * 5 == len(digest) * 8 and (
            int(value.encode().translate(_DIGITS), 32) == int.from_bytes(digest)
        ):
            return True
    except ValueError:  # lower case, or no digits at all
        pass
    try:
        if len(value) == 2 * len(digest):
            return bytes.fromhex(value) == digest
        return base64.b32decode(value.upper() + "=" * (-len(value) % 8)) == digest
    except (ValueError, binascii.Error):
        return True


class _Scan:
    """One pass over a file. ``_pos`` is the first byte that is not accounted for."""

    def __init__(self, window: _Searched, max_bytes: int) -> None:
        self._window = window
        self._max = max_bytes
        self._pos = 0

    def plain(self) -> Iterator[WarcFound | WarcDamage]:
        """Records one after the other."""
        while self._pos < self._window.size:
            start = self._pos
            try:
                framed = _frame(self._window, start, self._max)
            except _BrokenError as error:
                self._pos = error.end or self._next(_RECORD_START, start + 1)
                yield self._damage(error, start, "bad length")
            else:
                self._pos = framed.end
                yield WarcFound(framed.fields, framed.block, start, framed.end - start)

    def members(self) -> Iterator[WarcFound | WarcDamage]:
        """Records in gzip members: one in each, as it should be, or several."""
        while self._pos < self._window.size:
            start = self._pos
            try:
                data = self._inflate(start)
            except _BrokenError as error:
                self._pos = error.end or self._next(_MAGIC, start + 1)
                yield self._damage(error, start, "bad stream")
            else:
                yield from self._in_member(data, start)

    def _in_member(self, data: bytes, start: int) -> Iterator[WarcFound | WarcDamage]:
        if not data:
            yield WarcDamage("junk", start, self._pos - start, "an empty gzip member")
        source, at = _InMemory(data), 0
        while at < source.size:
            try:
                framed = _frame(source, at, self._max)
            except _BrokenError as error:
                at = error.end or source.size
                kind = "bad length" if error.kind == "truncated" else error.kind
                yield WarcDamage(kind, start, self._pos - start, error.message, error.url)
            else:
                at = framed.end
                yield WarcFound(framed.fields, framed.block, start, self._pos - start)

    def _inflate(self, start: int) -> bytes:
        """The content of the member at ``start``; ``_pos`` moves behind it.

        Raises:
            _BrokenError: it is not whole, is no part of a WARC file, or is too large.
        """
        if self._window.read(start, len(_MAGIC)) != _MAGIC:
            raise _BrokenError("junk", "no gzip member begins here")
        stream = gzip_stream()
        parts: list[bytes] = []
        size, at = 0, start
        while not stream.eof:
            piece = stream.unconsumed_tail
            if not piece:
                piece = self._window.read(at, _PIECE_BYTES)
                at += len(piece)
            data = _step(stream, piece)
            if not piece and not data:
                raise _BrokenError("truncated", "the bytes end within a gzip member")
            if not size and not data.startswith(_START[: len(data)]):
                raise _BrokenError("junk", "the gzip member holds no WARC record")
            size += len(data)
            if size <= self._max + _ROOM_BYTES:
                parts.append(data)
        self._pos = at - len(stream.unused_data)
        if size > self._max + _ROOM_BYTES:
            detail = f"a gzip member of {size} bytes, {self._max} allowed"
            raise _BrokenError("too large", detail, end=self._pos)
        return b"".join(parts)

    def _next(self, needle: bytes, start: int) -> int:
        """The next place where a record may begin, or the end."""
        index = self._window.find(needle, start)
        return self._window.size if index < 0 else index

    def _damage(self, error: _BrokenError, start: int, otherwise: WarcDamageKind) -> WarcDamage:
        """The damage; a record that runs into later ones is not cut off, but ``otherwise``."""
        cut = error.kind == "truncated" and self._pos < self._window.size
        kind = otherwise if cut else error.kind
        return WarcDamage(kind, start, self._pos - start, error.message, error.url)


def _step(stream: Any, piece: bytes) -> bytes:
    """Feed a decompressor; at most a block comes out.

    Raises:
        _BrokenError: the stream is damaged.
    """
    try:
        data: bytes = stream.decompress(piece, _BLOCK_BYTES)
    except GZIP_ERRORS as error:
        raise _BrokenError("bad stream", f"the gzip member is broken ({error})") from None
    return data
