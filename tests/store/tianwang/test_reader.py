from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.store.tianwang.reader import Damage, LocatedRecord, read_at, read_records
from quarkcrawl.store.tianwang.record import TianwangRecord, encode_record
from quarkcrawl.store.tianwang.window import Window
from tests.profiles import examples
from tests.store.samples import make_body
from tests.store.spec_reader import spec_records

if TYPE_CHECKING:
    from pathlib import Path

N = 64


def make_record(number: int) -> TianwangRecord:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    return TianwangRecord(
        f"http://a.cn/{number}", 1_000_000_000 + number, "1.2.3.4", head + make_body(number)
    )


RECORDS = [make_record(number) for number in range(N)]
PACKED = [encode_record(record) for record in RECORDS]
PLAIN = [encode_record(record, compress=False) for record in RECORDS]


def scan(path: Path, data: bytes) -> tuple[list[TianwangRecord], list[Damage]]:
    path.write_bytes(data)
    found = list(read_records(path))
    at = 0
    for item in found:  # every byte is accounted for, in order
        assert item.offset >= at or item.length == 0
        at = max(at, item.offset + item.length)
    assert at == len(data)
    kept = [item for item in found if isinstance(item, LocatedRecord)]
    for item in kept:
        piece = data[item.offset : item.offset + item.length]
        assert piece.startswith(b"version:")
    return [item.record for item in kept], [item for item in found if isinstance(item, Damage)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "page.dat"


@pytest.mark.parametrize("pieces", [PACKED, PLAIN], ids=["compressed", "uncompressed"])
def test_sound_files(path: Path, pieces: list[bytes]) -> None:
    assert scan(path, b"".join(pieces)) == (RECORDS, [])
    by_spec = spec_records(path)
    assert [r["url"] for r in by_spec] == [r.url for r in RECORDS]
    assert [(r["offset"], r["length"]) for r in by_spec] == [
        (item.offset, item.length) for item in read_records(path) if isinstance(item, LocatedRecord)
    ]


def test_an_empty_file(path: Path) -> None:
    assert scan(path, b"") == ([], [])


@pytest.mark.parametrize("pieces", [PACKED, PLAIN], ids=["compressed", "uncompressed"])
@pytest.mark.parametrize("lost", [1, 2, 50, 600])
def test_a_cut_tail_costs_the_last_record(path: Path, pieces: list[bytes], lost: int) -> None:
    data = b"".join(pieces)[:-lost]
    kept, damages = scan(path, data)
    if lost == 1:  # only the line feed is missing
        assert kept == RECORDS
        assert [d.kind for d in damages] == ["unterminated"]
    else:
        assert kept == RECORDS[:-1]
        assert [d.kind for d in damages] == ["truncated"]


def test_a_tail_cut_at_any_byte(path: Path) -> None:
    whole = PACKED[0] + PACKED[1]
    for end in range(len(PACKED[0]) + 1, len(whole) - 1):
        kept, damages = scan(path, whole[:end])
        assert kept == RECORDS[:1], end
        assert len(damages) == 1, end


@pytest.mark.parametrize("wrong", [-5, -1, 1, 7, 3000, 10**6, 10**12])
def test_a_wrong_length_costs_nothing_in_the_compressed_variant(path: Path, wrong: int) -> None:
    pieces = list(PACKED)
    pieces[1] = with_length(pieces[1], wrong)
    kept, damages = scan(path, b"".join(pieces))
    assert kept == RECORDS
    assert [(d.kind, d.length) for d in damages] == [("bad length", 0)]


@pytest.mark.parametrize("wrong", [-5, -1, 1, 7, 3000, 10**6, 10**12])
def test_a_wrong_length_costs_one_record_in_the_uncompressed_variant(
    path: Path, wrong: int
) -> None:
    pieces = list(PLAIN)
    pieces[1] = with_length(pieces[1], wrong)
    kept, damages = scan(path, b"".join(pieces))
    assert kept == RECORDS[:1] + RECORDS[2:]
    assert [d.url for d in damages] == [RECORDS[1].url]


def with_length(piece: bytes, wrong: int) -> bytes:
    header, _, rest = piece.partition(b"\n\n")
    start, _, number = header.rpartition(b"length: ")
    return start + b"length: %d\n\n" % max(0, int(number) + wrong) + rest


@pytest.mark.parametrize("at", [0, 5, 30, 100, 180, 300])
def test_zeroed_bytes_cost_one_record(path: Path, at: int) -> None:
    data = bytearray(b"".join(PACKED))
    start = len(b"".join(PACKED[:10])) + at
    data[start : start + 50] = bytes(50)
    kept, damages = scan(path, bytes(data))
    assert kept == RECORDS[:10] + RECORDS[11:]
    assert sum(d.length > 0 for d in damages) >= 1


def test_zeroed_bytes_across_a_boundary_cost_two(path: Path) -> None:
    data = bytearray(b"".join(PACKED))
    start = len(b"".join(PACKED[:10])) - 25
    data[start : start + 50] = bytes(50)
    assert scan(path, bytes(data))[0] == RECORDS[:9] + RECORDS[11:]


@pytest.mark.parametrize("junk", [b"x", b"\n", b"\n\n", b"junk\n" * 30, b"version: 1.0\nnothing\n"])
def test_junk_between_records_costs_nothing(path: Path, junk: bytes) -> None:
    kept, damages = scan(path, b"".join([*PACKED[:5], junk, *PACKED[5:], junk]))
    assert kept == RECORDS
    assert damages


def test_junk_before_the_line_feed_costs_nothing(path: Path) -> None:
    kept, damages = scan(path, PACKED[0][:-1] + b"junk" + b"\n" + PACKED[1])
    assert kept == RECORDS[:2]
    assert {d.kind for d in damages} == {"unterminated", "junk"}


def test_junk_within_a_record_costs_that_record(path: Path) -> None:
    middle = len(PACKED[3]) - 40
    damaged = PACKED[3][:middle] + b"JUNK" + PACKED[3][middle:]
    kept, _ = scan(path, b"".join([*PACKED[:3], damaged, *PACKED[4:]]))
    assert kept == RECORDS[:3] + RECORDS[4:]


def test_a_record_within_the_body_of_an_uncompressed_one_is_text(path: Path) -> None:
    outer = TianwangRecord("http://a.cn/doc", 5, "", b"HTTP/1.1 200 OK\n\n see:\n" + PLAIN[7])
    data = encode_record(outer, compress=False)
    assert scan(path, data + PLAIN[1]) == ([outer, RECORDS[1]], [])


def test_false_starts_in_bodies_are_not_followed_when_resynchronising(path: Path) -> None:
    body = b"HTTP/1.1 200 OK\n\n\nversion: 2\nby someone\nversion:\n\nversion: 1.0\n"
    outer = encode_record(TianwangRecord("http://a.cn/doc", 5, "", body), compress=False)
    kept, damages = scan(path, with_length(outer, 3) + PLAIN[1])
    assert kept == RECORDS[1:2]
    assert len(damages) == 1


def test_other_containers_and_unknown_properties(path: Path) -> None:
    reply = RECORDS[0].data
    packed = gzip.compress(reply)
    data = (
        b"version: 1.0\nid: GX000-1\nurl: http://a.cn/0\norigin: http://b.cn/\nx-new: 1\n"
        b"date: Sat, 14 Feb 2004 08:00:00 GMT\nip: 0.0.0.0\nunzip-length: %d\nlength: %d\n\n%s\n"
    ) % (len(reply), len(packed), packed)
    kept, damages = scan(path, data)
    assert not damages
    assert kept[0].docno == "GX000-1"
    assert kept[0].origin == "http://b.cn/"
    assert kept[0].extra == (("x-new", "1"),)
    assert kept[0].data == reply


def test_a_writer_that_failed_to_compress(path: Path) -> None:
    lost = b"version: 1.0\nurl: http://a.cn/lost\nunzip-length: 500\nlength: 0\n\n\n"
    kept, damages = scan(path, PACKED[0] + lost + PACKED[1])
    assert kept == RECORDS[:2]
    assert [(d.kind, d.url) for d in damages] == [("bad data", "http://a.cn/lost")]


def test_a_bomb_between_records(path: Path) -> None:
    bomb = encode_record(TianwangRecord("http://a.cn/bomb", 0, "", bytes(2_000_000)))
    path.write_bytes(PACKED[0] + bomb + PACKED[1])
    found = list(read_records(path, max_inflated_bytes=1_000_000))
    assert [type(item) for item in found] == [LocatedRecord, Damage, LocatedRecord]


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.sampled_from(["flip", "zero", "insert", "delete"]), st.booleans())
@example(497, "insert", False)  # exactly between two records
def test_damage_costs_only_the_records_it_touches(
    path: Path, seed: int, how: str, compressed: bool
) -> None:
    """One injury anywhere: every record it does not touch is kept.

    But for uncompressed records, which nothing proves whole: by rule 2 of the spec one is given
    up too when the record behind it does not begin as a record must.
    """
    rng = random.Random(seed)
    pieces = (PACKED if compressed else PLAIN)[:8]
    data = bytearray(b"".join(pieces))
    at, size = rng.randrange(len(data)), rng.randrange(1, 60)
    end = at
    if how == "insert":
        data[at:at] = rng.randbytes(size)
    elif how == "delete":
        del data[at : at + size]
        end = at + size - 1
    else:
        end = min(at + size, len(data)) - 1
        data[at : end + 1] = bytes(end + 1 - at) if how == "zero" else rng.randbytes(end + 1 - at)
    edges = [len(b"".join(pieces[:k])) for k in range(9)]
    touched = {k for k in range(8) if edges[k] <= end and at < edges[k + 1]}
    if how == "insert" and at in edges:
        touched = set() if compressed else {edges.index(at) - 1}
    elif not compressed:
        touched |= {k - 1 for k in touched if at < edges[k] + len(b"version: 1.0\n")}
    kept, _ = scan(path, bytes(data))
    untouched = [RECORDS[k] for k in range(8) if k not in touched]
    assert [record for record in kept if record in RECORDS] == [
        record for record in RECORDS[:8] if record in untouched or record in kept
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([b"version:", b"\n", b"url: x", b"length: ", b"3", b" ", b"\0"])))
def test_any_bytes_can_be_scanned(path: Path, pieces: list[bytes]) -> None:
    scan(path, b"".join(pieces))


def test_records_larger_than_the_window(path: Path) -> None:
    rng = random.Random(5)
    large = TianwangRecord(
        "http://a.cn/l", 0, "", b"HTTP/1.1 200 OK\r\n\r\n" + rng.randbytes(3 << 20)
    )
    data = b"".join([PACKED[0], encode_record(large), b"junk" * 500_000, PACKED[1]])
    kept, damages = scan(path, data)
    assert kept == [RECORDS[0], large, RECORDS[1]]
    assert [d.kind for d in damages] == ["junk"]


def test_reading_at_an_offset(path: Path) -> None:
    path.write_bytes(b"".join(PACKED))
    for item in list(read_records(path)):
        assert isinstance(item, LocatedRecord)
        assert read_at(path, item.offset, item.length) == item.record
        assert read_at(path, item.offset) == item.record


@pytest.mark.parametrize(("offset", "length"), [(1, None), (1, 50), (-5, 10), (10**9, 10), (0, 20)])
def test_reading_at_a_wrong_place(path: Path, offset: int, length: int | None) -> None:
    path.write_bytes(b"".join(PACKED))
    with pytest.raises(DamagedRecordError) as caught:
        read_at(path, offset, length)
    assert str(caught.value).startswith(f"{path}@{offset}: ")


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read"):
        list(read_records(path))
    with pytest.raises(StoreError, match="cannot read"):
        read_at(path, 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=400),
    st.integers(1, 50),
    st.lists(st.tuples(st.integers(0, 420), st.integers(0, 90))),
    st.binary(min_size=1, max_size=4),
)
def test_the_window_equals_the_whole_file(
    path: Path, data: bytes, width: int, places: list[tuple[int, int]], needle: bytes
) -> None:
    path.write_bytes(data)
    with Window(path, window_bytes=width) as window:
        for offset, length in places:
            assert window.read(offset, length) == data[offset : offset + length]
            if len(needle) <= width:
                assert window.find(needle, offset) == data.find(needle, offset)


def test_a_run_of_false_headers_does_not_read_the_rest_each_time(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the length that a header names, nor by the size that it promises."""
    lengths = (b"1", b"3000000")
    header = b"version: 1.0\nurl: http://a.cn/\nunzip-length: 90000000\nlength: %b\n\nno stream\n"
    path.write_bytes(b"".join(header % length for length in lengths) * 100 + bytes(4_000_000))
    real, n_bytes = Window.read, 0

    def read(window: Window, offset: int, length: int) -> bytes:
        nonlocal n_bytes
        data = real(window, offset, length)
        n_bytes += len(data)
        return data

    monkeypatch.setattr(Window, "read", read)
    found = list(read_records(path))
    assert [item.length for item in found[:-1]] == [len(header % x) for x in lengths] * 99 + [
        len(header % lengths[0])
    ]
    assert all(isinstance(item, Damage) for item in found)
    assert n_bytes < 50_000_000
