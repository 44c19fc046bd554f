"""Reading page.dat: every whole record, whatever happened to the bytes between.

A record is believed when its length leads to the end of the file or to the next ``version:``, or
when its zlib stream gives exactly the promised size (the stream's checksum is better evidence
than the neighborhood). Otherwise the reader looks for the next ``version:`` line that a ``url:``
or ``id:`` line follows, anywhere in a line, since junk rarely ends with a line feed. Damage is
reported, never raised: a file yields all that is left of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quarkcrawl.errors import DamagedRecordError
from quarkcrawl.store.tianwang.compress import MAX_INFLATED_BYTES, check_start, inflate_prefix
from quarkcrawl.store.tianwang.record import (
    MAX_HEADER_BYTES,
    RecordHeader,
    TianwangRecord,
    build_record,
    decode_record,
    parse_header,
    with_data,
)
from quarkcrawl.store.tianwang.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quarkcrawl.store.storagepath import StoragePath


DamageKind = Literal[
    "junk",  # bytes that belong to no record
    "bad header",
    "bad length",
    "bad data",  # the stream does not inflate to what was promised
    "truncated",  # the file ends within the record
    "unterminated",  # no line feed after a whole record; nothing is lost
]

_START: Final = b"version:"
_SECOND_LINE = re.compile(rb"version:[^\n]{0,40}\n(?:url|id):")
_LOOK_BYTES = 64
_FIRST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class LocatedRecord:
    """A whole record and where it lies; ``length`` includes the line feed at its end."""

    record: TianwangRecord
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes that are no whole record.

    Args:
        kind: what is wrong.
        offset: first byte concerned.
        length: bytes lost; 0 when a rule was broken but no record lost.
        detail: words for a person.
        url: URL in the header, where one could be read.
    """

    kind: DamageKind
    offset: int
    length: int
    detail: str = ""
    url: str | None = None


def read_records(
    path: Path, *, start: int = 0, max_inflated_bytes: int = MAX_INFLATED_BYTES
) -> Iterator[LocatedRecord | Damage]:
    """All records of a page.dat from ``start`` on, and what lies between them.

    Memory is bounded by the largest record; the file may grow meanwhile.

    Args:
        path: the file.
        start: offset to begin at.
        max_inflated_bytes: records that promise more are damage.

    Raises:
        StoreError: the file cannot be opened.
    """
    with Window(path) as window:
        yield from _Scan(window, max_inflated_bytes).run(start)


def read_at(
    path: Path | StoragePath,
    offset: int,
    length: int | None = None,
    *,
    max_inflated_bytes: int = MAX_INFLATED_BYTES,
) -> TianwangRecord:
    """The record at ``offset``.

    Args:
        path: the file.
        offset: where the record begins.
        length: its stored length, if known (saves a read).
        max_inflated_bytes: a record that promises more is refused.

    Raises:
        DamagedRecordError: there is no whole record at that place.
        StoreError: the file cannot be opened.
    """
    try:
        with Window(path, window_bytes=length or 64 * 1024) as window:
            if length is None:
                length = _length_at(window, offset)
            return decode_record(window.read(offset, length), max_inflated_bytes=max_inflated_bytes)
    except DamagedRecordError as error:
        raise DamagedRecordError(error.message, where=f"{path}@{offset}") from None


def _length_at(window: Window, offset: int) -> int:
    parsed = parse_header(window.read(offset, MAX_HEADER_BYTES + 2))
    if parsed is None:
        raise DamagedRecordError("header is cut off")
    header, begin = parsed
    return begin + header.length + 1


def _most_compressed(size: int) -> int:
    """What a stream can grow to at worst (stored blocks), with room for clumsy writers."""
    return size + size // 64 + 1024


class _Scan:
    """One pass over a file. ``_pos`` is the first byte that is not accounted for."""

    def __init__(self, window: Window, max_inflated_bytes: int) -> None:
        self._window = window
        self._max = max_inflated_bytes
        self._pos = 0

    def run(self, start: int) -> Iterator[LocatedRecord | Damage]:
        self._pos = start
        while self._pos < self._window.size:
            begin = self._window.read(self._pos, len(_START))
            if begin == _START:
                yield from self._record()
            elif _START.startswith(begin):  # fewer bytes than that: the end of the file
                yield self._skip("truncated", "the file ends within a header")
            else:
                yield self._skip("junk", "no record begins here", search_from=self._pos)

    def _record(self) -> Iterator[LocatedRecord | Damage]:
        try:
            buffer, within = self._window.at(self._pos, MAX_HEADER_BYTES + 2)
            parsed = parse_header(buffer, within)
        except DamagedRecordError as error:
            yield self._skip("bad header", error.message)
            return
        if parsed is None:
            yield self._skip("truncated", "the file ends within a header")
            return
        header, data_at = parsed
        yield from self._body(header, self._pos + data_at - within)

    def _body(self, header: RecordHeader, begin: int) -> Iterator[LocatedRecord | Damage]:
        end = begin + header.length
        fits = end <= self._window.size and header.length <= self._most_stored(header)
        bounded = fits and self._is_boundary(end)
        trouble = "" if fits else "length leads too far"
        hopeless = "" if bounded else self._no_stream(header, begin)
        if hopeless:
            yield self._wrong_length(header, begin, trouble or hopeless)
            return
        if fits:
            try:
                stored = self._window.read(begin, header.length)
                record = build_record(header, stored, max_inflated_bytes=self._max)
            except DamagedRecordError as error:
                trouble = error.message
            else:
                yield from self._accept(record, end)
                return
        if bounded:
            begin, self._pos = self._pos, min(end + 1, self._window.size)
            yield Damage("bad data", begin, self._pos - begin, trouble, header.url)
        else:
            yield from self._by_stream(header, begin, trouble)

    def _no_stream(self, header: RecordHeader, begin: int) -> str:
        """Why no stream of the promised size can begin here, by its first bytes; "" if one may.

        Else each header in a run of false ones would have the rest of the file read.
        """
        if header.unzip_length is None:
            return "no record begins where the length leads"
        try:
            start = self._window.read(begin, _FIRST_BYTES)
            check_start(start, header.unzip_length, max_bytes=self._max)
        except DamagedRecordError as error:
            return error.message
        return ""

    def _most_stored(self, header: RecordHeader) -> int:
        """Most bytes that this record can take in the file; more is not read into memory."""
        size = self._max if header.unzip_length is None else min(header.unzip_length, self._max)
        return _most_compressed(size)

    def _is_boundary(self, end: int) -> bool:
        """Whether a line feed and then a record, or the end of the file, follow."""
        after = self._window.read(end, 1 + len(_START))
        return after == b"\n" or after == b"\n" + _START or end == self._window.size

    def _accept(self, record: TianwangRecord, end: int) -> Iterator[LocatedRecord | Damage]:
        closed = self._window.read(end, 1) == b"\n"
        start, self._pos = self._pos, end + closed
        yield LocatedRecord(record, start, self._pos - start)
        if not closed:
            yield Damage("unterminated", end, 0, "no line feed after the record", record.url)

    def _by_stream(
        self, header: RecordHeader, begin: int, trouble: str
    ) -> Iterator[LocatedRecord | Damage]:
        """The length is wrong; a zlib stream still knows where it ends."""
        size = header.unzip_length or 0
        stored = self._window.read(begin, _most_compressed(size))
        try:
            data, used = inflate_prefix(stored, size, max_bytes=self._max)
        except DamagedRecordError:
            yield self._wrong_length(header, begin, trouble)
            return
        yield Damage("bad length", self._pos, 0, f"{header.length}, not {used}", header.url)
        yield from self._accept(with_data(header, data), begin + used)

    def _wrong_length(self, header: RecordHeader, begin: int, trouble: str) -> Damage:
        truncated = begin + header.length > self._window.size
        kind: DamageKind = "truncated" if truncated else "bad length"
        return self._skip(kind, trouble, url=header.url, search_from=begin)

    def _skip(
        self, kind: DamageKind, detail: str, *, url: str | None = None, search_from: int = -1
    ) -> Damage:
        """Give up what lies between here and the next place that looks like a record."""
        start, search = self._pos, search_from if search_from >= 0 else self._pos + 1
        while True:
            match_at = self._window.find(_START, search)
            if match_at < 0:
                self._pos = self._window.size
                break
            if _SECOND_LINE.match(self._window.read(match_at, _LOOK_BYTES)):
                self._pos = match_at
                kind = "bad length" if kind == "truncated" else kind
                break
            search = match_at + 1
        return Damage(kind, start, self._pos - start, detail, url)
