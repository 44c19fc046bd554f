r"""The Tianwang record: a few header lines, a blank line, one reply, one line feed.

    version: 1.0
    url: http://www.pku.edu.cn/
    date: Sat, 14 Feb 2004 08:00:00 GMT
    ip: 162.105.129.12
    unzip-length: 1302
    length: 594

    <594 bytes of a zlib stream>

The grammar is that of the Web InfoMall description of 2003 and of the compressed variant that
CWT200g uses; ``version`` comes first and ``length`` last, everything between is free. The reply
(status line, headers, body) is compressed as a whole. The format has no checksum but zlib's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import DamagedRecordError, InputError
from quarkcrawl.store.tianwang.compress import MAX_INFLATED_BYTES, deflate, inflate
from quarkcrawl.store.tianwang.httpdate import format_date, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_HEADER_BYTES: Final = 64 * 1024
"""A header longer than this is damage: nothing we know of comes near."""

_KNOWN = frozenset({"version", "id", "url", "origin", "date", "ip", "unzip-length", "length"})
_BLANKS = " \t"
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  # zeroed sectors show in headers this way
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")  # as "surrogateescape" decodes them


@dataclass(frozen=True, slots=True)
class TianwangRecord:
    """One stored reply.

    Args:
        url: the page's URL, after redirects.
        date: fetch time, whole seconds since the epoch.
        ip: address of the server; "" when unknown.
        data: the inflated HTTP reply: status line, headers, blank line, body.
        origin: the URL asked for, when a redirect led to ``url``.
        docno: document number (property ``id``), in collections that have them.
        extra: further properties in file order.
    """

    url: str
    date: int
    ip: str
    data: bytes
    origin: str | None = None
    docno: str | None = None
    extra: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """A parsed header. ``unzip_length`` is None in the uncompressed variant."""

    properties: tuple[tuple[str, str], ...]
    length: int
    unzip_length: int | None

    def get(self, name: str, default: str = "") -> str:
        """First value of a property."""
        return next((value for key, value in self.properties if key == name), default)

    @property
    def url(self) -> str:
        """The record's URL; "" when the header has none."""
        return self.get("url")


def encode_record(
    record: TianwangRecord, *, compress: bool = True, packed: tuple[bytes, int] | None = None
) -> bytes:
    """Write one record, line feed at the end included.

    Args:
        record: what to store.
        compress: False writes the older variant without ``unzip-length``.
        packed: the reply compressed by `deflate` and its size, in place of ``record.data``.

    Raises:
        InputError: a property would break the format, or the reply is too large to be read back.
    """
    n_bytes = packed[1] if packed else len(record.data)
    if n_bytes > MAX_INFLATED_BYTES:
        raise InputError(f"reply of {n_bytes} bytes is too large", where=record.url)
    data = packed[0] if packed else deflate(record.data) if compress else record.data
    lines = [f"{name}: {value}" for name, value in _properties(record)]
    if compress:
        lines.append(f"unzip-length: {n_bytes}")
    lines.append(f"length: {len(data)}\n\n")
    header = "\n".join(lines).encode("utf-8", "surrogateescape")
    if len(header) > MAX_HEADER_BYTES:
        raise InputError(f"record header of {len(header)} bytes is too large", where=record.url)
    return b"".join((header, data, b"\n"))


def _properties(record: TianwangRecord) -> Iterator[tuple[str, str]]:
    yield "version", "1.0"
    if record.docno is not None:
        yield "id", _value("id", record.docno)
    yield "url", _value("url", record.url)
    if record.origin is not None:
        yield "origin", _value("origin", record.origin)
    yield "date", format_date(record.date)
    if record.ip:
        yield "ip", _value("ip", record.ip)
    for name, value in record.extra:
        if name in _KNOWN or not name or name != name.strip(_BLANKS) or ":" in name:
            raise InputError(f"{name!r} cannot be an extra property", where=record.url)
        yield _value("name", name), _value(name, value)


def _value(name: str, value: str) -> str:
    """The value, if a reader will give back the same one."""
    if _CONTROL.search(value) or value != value.strip(_BLANKS):
        raise InputError(f"property {name} would break the record: {value!r}")
    return value


def parse_header(data: bytes, start: int = 0) -> tuple[RecordHeader, int] | None:
    """Parse the header at ``start``.

    Returns:
        The header and the offset of the first data byte, or None when no blank line is in
        reach (the header is cut off).

    Raises:
        DamagedRecordError: the lines there are no header.
    """
    end = data.find(b"\n\n", start, start + MAX_HEADER_BYTES + 2)
    if end < 0:
        if len(data) - start > MAX_HEADER_BYTES:
            raise DamagedRecordError("header does not end")
        return None
    text = data[start:end].decode("utf-8", "surrogateescape")
    properties = tuple(_split_property(line) for line in text.split("\n"))
    return _checked(properties), end + 2


def _split_property(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name or _CONTROL.search(line):
        raise DamagedRecordError(f"no property line: {line[:60]!r}")
    return name, value.strip(_BLANKS)


def _checked(properties: tuple[tuple[str, str], ...]) -> RecordHeader:
    names = [name for name, _ in properties]
    if names[0] != "version" or names[-1] != "length" or names.count("version") != 1:
        raise DamagedRecordError("header must begin with version and end with length")
    if "url" not in names:
        raise DamagedRecordError("header has no url")
    values = dict(properties)
    unzip = values.get("unzip-length")
    return RecordHeader(
        properties, _number(values["length"]), None if unzip is None else _number(unzip)
    )


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise DamagedRecordError(f"not a length: {text[:30]!r}")
    return int(text)


def build_record(
    header: RecordHeader, stored: bytes, *, max_inflated_bytes: int = MAX_INFLATED_BYTES
) -> TianwangRecord:
    """Put header and stored data bytes together, inflating them.

    Raises:
        DamagedRecordError: the data is not what the header promises.
    """
    if header.unzip_length is None:
        data = stored
    elif not stored and header.unzip_length:
        raise DamagedRecordError("the writer lost the data (length 0)")
    else:
        data = inflate(stored, header.unzip_length, max_bytes=max_inflated_bytes)
    return with_data(header, data)


def with_data(header: RecordHeader, data: bytes) -> TianwangRecord:
    """A record of this header around inflated data."""
    values = dict(reversed(header.properties))  # the first of two equal names counts
    return TianwangRecord(
        url=values["url"],
        date=parse_date(values.get("date", "")),
        ip=values.get("ip", ""),
        data=data,
        origin=values.get("origin"),
        docno=values.get("id"),
        extra=tuple(item for item in header.properties if item[0] not in _KNOWN),
    )


def decode_record(data: bytes, *, max_inflated_bytes: int = MAX_INFLATED_BYTES) -> TianwangRecord:
    """Read the one record that ``data`` holds; the line feed at its end may be missing.

    Args:
        data: bytes of one record.
        max_inflated_bytes: bound on the body once inflated.

    Raises:
        DamagedRecordError: the bytes are not exactly one whole record.
    """
    parsed = parse_header(data)
    if parsed is None:
        raise DamagedRecordError("header is cut off")
    header, begin = parsed
    end = begin + header.length
    if data[end:] not in {b"\n", b""} or end > len(data):
        raise DamagedRecordError(f"length says {header.length}, {len(data) - begin} bytes follow")
    return build_record(header, data[begin:end], max_inflated_bytes=max_inflated_bytes)


def url_text(url: str) -> str:
    """A record's URL as rows have it: bytes that are no UTF-8 percent-encoded.

    Old collections hold URLs in raw GBK, which Arrow and JSON cannot.
    """
    if url.isascii():
        return url
    return _ESCAPED_BYTE.sub(lambda match: f"%{ord(match[0]) - 0xDC00:02X}", url)
