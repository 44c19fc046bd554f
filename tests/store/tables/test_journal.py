from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.store.tables.journal import (
    frame,
    journal_files,
    journal_path,
    read_lines,
    read_rows,
    replay,
    synced_line,
)
from quarkcrawl.store.tables.json import encode_row
from quarkcrawl.store.tables.rows import DropRow

if TYPE_CHECKING:
    from pathlib import Path


def row(number: int) -> DropRow:
    return DropRow(f"http://a.cn/{number}", "a.cn", "http_404", "第", 2, float(number))


def line(number: int) -> bytes:
    return frame(encode_row(row(number)))


def test_the_frame_byte_for_byte() -> None:
    # CRC-32 of "123456789" is the check value printed with the polynomial.
    assert frame(b"123456789") == b"cbf43926 123456789\n"


def test_files_in_order_and_strangers_ignored(tmp_path: Path) -> None:
    assert journal_files(tmp_path) == []
    folder = tmp_path / "journal"
    folder.mkdir()
    for name in ("rows-000010.jsonl", "rows-000002.jsonl", "rows-000003.tmp", "notes"):
        (folder / name).write_bytes(b"")
    (folder / "rows-1000000.jsonl").write_bytes(b"")
    assert [number for number, _ in journal_files(tmp_path)] == [2, 10, 1000000]
    assert journal_path(tmp_path, 2) == folder / "rows-000002.jsonl"


def test_replay_goes_over_all_files(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    journal_path(tmp_path, 1).write_bytes(line(1) + line(2) + synced_line(40))
    journal_path(tmp_path, 2).write_bytes(line(3))
    assert list(replay(tmp_path)) == [row(1), row(2), row(3)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
def test_damage_costs_only_the_lines_it_touches(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    lines = [line(number) for number in range(6)]
    data = bytearray(b"".join(lines))
    at = rng.randrange(len(data))
    size = rng.randrange(1, 30)
    data[at : at + size] = rng.randbytes(len(data[at : at + size]))
    path = tmp_path / "rows"
    path.write_bytes(data)
    edges = [len(b"".join(lines[:k])) for k in range(7)]
    untouched = {
        k
        for k in range(6)
        # The line feed before a line belongs to what keeps it apart.
        if edges[k + 1] <= at or (at + size < edges[k] if k else at + size <= edges[k])
    }
    kept = list(read_rows(path))
    assert kept == [row(k) for k in range(6) if row(k) in kept]
    assert all(row(k) in kept for k in untouched)
    spans = [(item.offset, item.end) for item in read_lines(path)]
    assert spans[0][0] == 0
    assert spans[-1][1] == len(data)
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))


def test_a_torn_line_at_any_byte(tmp_path: Path) -> None:
    whole = line(1) + line(2)
    path = tmp_path / "rows"
    for end in range(len(line(1)), len(whole)):
        path.write_bytes(whole[:end])
        assert list(read_rows(path)) == [row(1)]
