from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.store.tianwang.compress import gzip_member
from quarkcrawl.store.warc.reader import WarcDamage, WarcFound, read_warc
from quarkcrawl.store.warc.record import (
    MAX_FIELDS_BYTES,
    WarcEntry,
    encode_entry,
    payload_digest,
    record_id,
    sha1_digest,
)
from tests.profiles import examples
from tests.store.samples import make_body

N = 40


def entry(number: int, **changes) -> WarcEntry:
    fields = {
        "kind": "resource",
        "record_id": record_id(number),
        "date": number,
        "block": make_body(number, n_words=80),
        "content_type": "text/html",
        "url": f"http://a.cn/{number}",
    }
    return WarcEntry(**(fields | changes))


MEMBERS = [encode_entry(entry(number)) for number in range(N)]
OFFSETS = [sum(map(len, MEMBERS[:number])) for number in range(N)]
WHOLE = b"".join(MEMBERS)
PLAIN = [gzip.decompress(member) for member in MEMBERS]


def scan(path: Path, data: bytes, **options) -> tuple[list[str], list[WarcDamage]]:
    """URLs of the whole records, and the damages; every byte must be accounted for."""
    path.write_bytes(data)
    items = list(read_warc(path, **options))
    at = 0
    for item in items:
        assert item.offset in {at, getattr(items[items.index(item) - 1], "offset", -1)}
        at = item.offset + item.length
    assert at == len(data)
    found = [item for item in items if isinstance(item, WarcFound)]
    return [item.url for item in found], [x for x in items if isinstance(x, WarcDamage)]


def urls(*left_out: int) -> list[str]:
    return [f"http://a.cn/{number}" for number in range(N) if number not in left_out]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.warc.gz"


def test_whole_files(path: Path) -> None:
    assert scan(path, WHOLE) == (urls(), [])
    assert scan(path, b"".join(PLAIN)) == (urls(), [])
    assert scan(path, gzip_member(b"".join(PLAIN))) == (urls(), [])
    assert scan(path, b"") == ([], [])


def test_a_cut_tail_is_no_record(path: Path) -> None:
    """FastWARC and warcio give the cut record as if it were whole; the reason for this reader."""
    cut = WHOLE[: -len(MEMBERS[-1]) // 2]
    kept, damages = scan(path, cut)
    assert kept == urls(N - 1)
    assert [(x.kind, x.offset) for x in damages] == [("truncated", OFFSETS[-1])]
    lengths = [len(r.reader.read()) for r in ArchiveIterator(io.BytesIO(cut), parse_http=False)]
    assert len(lengths) == N
    assert lengths[-1] < len(entry(N - 1).block)

    plain = b"".join(PLAIN)
    kept, damages = scan(path, plain[:-100])
    assert kept == urls(N - 1)
    assert damages[0].kind == "truncated"
    assert "bytes of" in damages[0].detail
    assert damages[0].url == f"http://a.cn/{N - 1}"


def test_zeroed_bytes_cost_one_record(path: Path) -> None:
    """FastWARC loses all that follows."""
    data = bytearray(WHOLE)
    data[OFFSETS[7] + 200 : OFFSETS[7] + 220] = bytes(20)
    kept, damages = scan(path, bytes(data))
    assert kept == urls(7)
    assert [(x.kind, x.offset, x.length) for x in damages] == [
        ("bad stream", OFFSETS[7], len(MEMBERS[7]))
    ]
    with pytest.raises(OSError, match="error"):
        [r.reader.read() for r in ArchiveIterator(io.BytesIO(bytes(data)), parse_http=False)]


@pytest.mark.parametrize("offset", [-1, -5], ids=["size", "checksum"])
def test_gzip_trailers_are_checked(path: Path, offset: int) -> None:
    data = bytearray(WHOLE)
    data[OFFSETS[8] + offset] ^= 1
    kept, damages = scan(path, bytes(data))
    assert kept == urls(7)
    assert damages[0].kind == "bad stream"


@pytest.mark.parametrize("junk", [b"junk", b"\x1f\x8b", b"\x1f\x8b\x08junk", gzip_member(b"no WARC"),
                                  gzip_member(b""), b"\0" * 70_000])  # fmt: skip
def test_junk_between_records(path: Path, junk: bytes) -> None:
    kept, damages = scan(path, WHOLE[: OFFSETS[3]] + junk + WHOLE[OFFSETS[3] :])
    assert kept == urls()
    assert {x.kind for x in damages} <= {"junk", "bad stream"}
    assert (damages[0].offset, sum(x.length for x in damages)) == (OFFSETS[3], len(junk))


def test_a_wrong_block_digest_is_damage(path: Path) -> None:
    wrong = gzip_member(PLAIN[2].replace("天".encode("gb18030"), "地".encode("gb18030"), 1))
    kept, damages = scan(path, MEMBERS[0] + wrong + MEMBERS[3])
    assert kept == ["http://a.cn/0", "http://a.cn/3"]
    assert [(x.kind, x.url) for x in damages] == [("bad digest", "http://a.cn/2")]


@pytest.mark.parametrize(("change", "kind"), [
    ((b"Content-Length: ", b"Content-Length: 1"), "bad length"),
    ((b"Content-Length: ", b"Content-Length: -"), "bad header"),
    ((b"Content-Length: ", b"Content-Length: " + b"9" * 30), "bad header"),
    ((b"Content-Length", b"Content-Width"), "bad header"),
    ((b"WARC-Type: ", b"no field "), "bad header"),
    ((b"WARC/1.1", b"WORC/1.1"), "junk"),
])  # fmt: skip
def test_damaged_headers(path: Path, change: tuple[bytes, bytes], kind: str) -> None:
    wrong = PLAIN[1].replace(*change, 1)
    for data in (MEMBERS[0] + gzip_member(wrong) + MEMBERS[2], PLAIN[0] + wrong + PLAIN[2]):
        kept, damages = scan(path, data)
        assert kept == ["http://a.cn/0", "http://a.cn/2"]
        assert damages[0].kind == kind


def test_bombs_take_no_memory(path: Path) -> None:
    bomb = gzip_member(PLAIN[1] + bytes(50_000_000))
    kept, damages = scan(path, MEMBERS[0] + bomb + MEMBERS[2], max_bytes=1_000_000)
    assert kept == ["http://a.cn/0", "http://a.cn/2"]
    assert [x.kind for x in damages] == ["too large"]
    large = encode_entry(entry(1, block=bytes(2_000_000)))
    kept, damages = scan(path, large + MEMBERS[2], max_bytes=1_000_000)
    assert (kept, [x.kind for x in damages]) == (["http://a.cn/2"], ["too large"])


def test_other_kinds_of_files(path: Path) -> None:
    path.write_bytes(b"\x28\xb5\x2f\xfd1234")
    with pytest.raises(InputError, match="zstd"):
        list(read_warc(path))
    with pytest.raises(StoreError, match="cannot read"):
        list(read_warc(path / "none"))


@settings(max_examples=examples(60))
@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 3000), st.binary(max_size=50))
def test_damage_costs_only_the_records_it_touches(
    tmp_path_factory, start: int, length: int, instead: bytes
) -> None:
    end = min(len(WHOLE), start + length)
    path = tmp_path_factory.getbasetemp() / "any.warc.gz"
    kept, _ = scan(path, WHOLE[:start] + instead + WHOLE[end:])
    touched = [n for n in range(N) if OFFSETS[n] < end and start < OFFSETS[n] + len(MEMBERS[n])]
    assert set(kept) >= set(urls(*touched))
    assert set(kept) <= set(urls())


def test_what_cannot_be_written_is_refused() -> None:
    for bad in ({"url": "http://a.cn/\r\nX: y"}, {"url": "\udc80"}, {"fields": [("X", "\0")]},
                {"fields": [("X", "x" * MAX_FIELDS_BYTES)]}):  # fmt: skip
        with pytest.raises(InputError):
            encode_entry(entry(1, **bad))


def test_payload_digests_only_where_all_readers_agree() -> None:
    assert payload_digest(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nx\ny") == sha1_digest(b"x\ny")
    assert payload_digest(b"HTTP/1.1 200 OK\nA: b\n\nx\r\n\r\n") is None
    assert payload_digest(b"HTTP/1.1 200 OK\r\nA: b\n\r\nx") is None
    assert payload_digest(b"no head\r\n\r\n") is None
    assert sha1_digest(b"hello") == "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
