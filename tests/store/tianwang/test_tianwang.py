from __future__ import annotations

import contextlib
import gzip
import re
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import DamagedRecordError, InputError
from quarkcrawl.store.tianwang.compress import MAX_INFLATED_BYTES, deflate, inflate
from quarkcrawl.store.tianwang.record import (
    MAX_HEADER_BYTES,
    TianwangRecord,
    decode_record,
    encode_record,
    parse_header,
)

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
RECORD = TianwangRecord("http://a.cn/", 1_077_000_000, "1.2.3.4", REPLY)


def test_the_uncompressed_record_byte_for_byte() -> None:
    assert encode_record(RECORD, compress=False) == (
        b"version: 1.0\nurl: http://a.cn/\ndate: Tue, 17 Feb 2004 06:40:00 GMT\nip: 1.2.3.4\n"
        b"length: 40\n\n" + REPLY + b"\n"
    )


def test_the_compressed_record_has_a_zlib_stream_between_header_and_line_feed() -> None:
    data = encode_record(RECORD)
    header, _, rest = data.partition(b"\n\n")
    assert header.startswith(b"version: 1.0\nurl: http://a.cn/\ndate: ")
    match = re.search(rb"\nunzip-length: (\d+)\nlength: (\d+)$", header)
    assert match is not None
    assert int(match[1]) == len(REPLY)
    assert int(match[2]) == len(rest) - 1
    assert zlib.decompress(rest[:-1]) == REPLY
    assert rest.endswith(b"\n")


def test_order_of_the_optional_properties() -> None:
    record = TianwangRecord(
        "http://a.cn/", 0, "", REPLY, origin="http://b.cn/", docno="CWT-1", extra=(("md5", "ab"),)
    )
    header = encode_record(record).partition(b"\n\n")[0].decode()
    names = [line.split(":")[0] for line in header.splitlines()]
    assert names == ["version", "id", "url", "origin", "date", "md5", "unzip-length", "length"]


plain = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\x85\t"), max_size=40
).map(lambda text: text.strip(" \t"))
name = st.from_regex(r"[a-z][a-z-]{0,15}", fullmatch=True).filter(
    lambda n: n not in {"version", "id", "url", "origin", "date", "ip", "unzip-length", "length"}
)
records = st.builds(
    TianwangRecord,
    url=plain,
    date=st.integers(0, 253402300799),
    ip=plain,
    data=st.binary(max_size=3000),
    origin=st.none() | plain,
    docno=st.none() | plain,
    extra=st.lists(st.tuples(name, plain), max_size=3).map(tuple),
)


@given(records, st.booleans())
def test_what_is_written_is_read(record: TianwangRecord, compress: bool) -> None:
    assert decode_record(encode_record(record, compress=compress)) == record


@pytest.mark.parametrize(
    "change",
    [
        {"url": "http://a.cn/\nip: 6.6.6.6"},
        {"url": "http://a.cn/\r"},
        {"ip": "1.2.3.4\n\n"},
        {"origin": " http://a.cn/"},
        {"docno": "a\nb"},
        {"extra": (("length", "3"),)},
        {"extra": (("a:b", "3"),)},
        {"extra": (("", "3"),)},
        {"extra": (("a\nb", "3"),)},
        {"date": -1},
        {"date": 253402300800},
        {"url": "x" * MAX_HEADER_BYTES},
    ],
)
def test_values_that_would_break_the_format_are_refused(change: dict[str, object]) -> None:
    fields = {field: getattr(RECORD, field) for field in TianwangRecord.__slots__}
    with pytest.raises(InputError):
        encode_record(TianwangRecord(**(fields | change)))


def test_a_reply_too_large_to_read_back_is_refused() -> None:
    record = TianwangRecord("http://a.cn/", 0, "", bytes(MAX_INFLATED_BYTES + 1))
    with pytest.raises(InputError, match="too large"):
        encode_record(record)


def test_bytes_of_old_headers_survive() -> None:
    """URLs of 2004 were at times raw GBK."""
    data = encode_record(RECORD).replace(b"http://a.cn/", "http://a.cn/中".encode("gbk"))
    record = decode_record(data)
    assert record.url.encode("utf-8", "surrogateescape") == "http://a.cn/中".encode("gbk")
    assert encode_record(record).startswith(data[:40])


def test_headers_of_other_writers() -> None:
    data = (
        b"version:1.0\nid:GX001\nip:  9.9.9.9\nurl: http://a.cn/\ntestNumber: 7\n"
        b"date: Sat, 14 Feb 2004 08:00:00\nlength: 3\n\nabc\n"
    )
    assert decode_record(data) == TianwangRecord(
        "http://a.cn/", 1076745600, "9.9.9.9", b"abc", docno="GX001", extra=(("testNumber", "7"),)
    )


def test_an_unreadable_date_does_not_cost_the_record() -> None:
    data = encode_record(RECORD, compress=False).replace(
        b"Tue, 17 Feb 2004 06:40:00 GMT", b"gestern"
    )
    assert decode_record(data).date == 0
    far = encode_record(RECORD, compress=False).replace(b"2004 06:40", b"99999999 06:40")
    assert decode_record(far).data == REPLY


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


@pytest.mark.parametrize("level", range(10))
@pytest.mark.parametrize("compress", [zlib.compress, gzip.compress])
def test_reads_what_others_compress(compress: object, level: int) -> None:
    data = REPLY * 50
    assert inflate(compress(data, level), len(data)) == data  # type: ignore[operator]


@given(st.binary(max_size=5000))
def test_reads_raw_deflate_and_itself(data: bytes) -> None:
    assert inflate(raw_deflate(data), len(data)) == data
    assert inflate(deflate(data), len(data)) == data
    assert zlib.decompress(deflate(data)) == data


@pytest.mark.parametrize("wrong", [-1, +1, +1000])
def test_the_promised_size_must_be_exact(wrong: int) -> None:
    data = REPLY * 50
    with pytest.raises(DamagedRecordError):
        inflate(deflate(data), len(data) + wrong)


@given(st.binary(min_size=1, max_size=300), st.data())
def test_no_changed_byte_goes_unnoticed(data: bytes, draw: st.DataObject) -> None:
    packed = bytearray(deflate(data))
    at = draw.draw(st.integers(2, len(packed) - 1))
    packed[at] ^= 1 << draw.draw(st.integers(0, 7))
    with contextlib.suppress(DamagedRecordError):
        assert inflate(bytes(packed), len(data)) == data


@pytest.mark.full
def test_a_bomb_is_damage_and_costs_no_memory() -> None:
    bomb = zlib.compress(bytes(300_000_000), 9)
    header = b"version: 1.0\nurl: http://a.cn/\nunzip-length: %d\nlength: %d\n\n"
    liar = header % (1000, len(bomb)) + bomb + b"\n"
    honest = header % (300_000_000, len(bomb)) + bomb + b"\n"
    tracemalloc.start()
    for data in (liar, honest):
        with pytest.raises(DamagedRecordError):
            decode_record(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"version: 1.0\n",
        b"version: 1.0\n\n",
        b"url: http://a.cn/\nversion: 1.0\nlength: 0\n\n\n",
        b"version: 1.0\nlength: 0\n\n\n",
        b"version: 1.0\nurl: x\nlength: -1\n\n\n",
        b"version: 1.0\nurl: x\nlength: 9999999999999999999999\n\n\n",
        b"version: 1.0\nurl: x\nlength: \xd9\xa3\n\n\n",
        b"version: 1.0\nurl: x\nlength: 3\n\nab",
        b"version: 1.0\nurl: x\nlength: 3\n\nabcd\n",
        b"version: 1.0\nurl: x\nno colon\nlength: 3\n\nabc\n",
        b"version: 1.0\nversion: 1.0\nurl: x\nlength: 3\n\nabc\n",
        b"version: 1.0\nurl: x\nunzip-length: 5\nlength: 0\n\n\n",
        b"version: 1.0\nurl: " + b"x" * 2 * MAX_HEADER_BYTES + b"\nlength: 3\n\nabc\n",
    ],
)
def test_what_is_no_record(data: bytes) -> None:
    with pytest.raises(DamagedRecordError):
        decode_record(data)


@given(st.binary(max_size=400))
def test_random_bytes_are_damage_or_a_record(data: bytes) -> None:
    try:
        decode_record(b"version: 1.0\nurl: x\n" + data)
        parse_header(data)
    except DamagedRecordError:
        pass
