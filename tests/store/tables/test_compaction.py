from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from quarkcrawl.errors import StorageFullError, StoreError
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.layout import bucket
from quarkcrawl.store.tables import columns, compaction, merge
from quarkcrawl.store.tables.columns import register_column
from quarkcrawl.store.tables.compaction import compact
from quarkcrawl.store.tables.journal import frame, journal_files, journal_path
from quarkcrawl.store.tables.json import encode_row
from quarkcrawl.store.tables.merge import delete_covered, merge_parts
from quarkcrawl.store.tables.parts import all_parts
from quarkcrawl.store.tables.rows import DropRow, Row
from quarkcrawl.store.tables.stream import iter_batches, iter_rows
from quarkcrawl.store.tables.tables import open_table, read_table
from tests.store.samples import make_item, row_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MERGE_FROM = 4
HOSTS = ["www.pku.edu.cn", "www.sina.com.cn", "e.pku.edu.cn"]


@pytest.fixture(autouse=True)
def merge_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "MERGE_FROM", MERGE_FROM)


def make_rows(first: int = 0) -> list[Row]:
    pages: list[Row] = [
        row_of(make_item(n, host=HOSTS[n % 3]), offset=n * 1000, length=1000)
        for n in range(first, first + 12)
    ]
    return [*pages, DropRow(f"http://a.cn/{first}", "a.cn", "http_404", "", 2, 1.0)]


def write_journal(root: Path, number: int, rows: Sequence[Row]) -> None:
    (root / "journal").mkdir(exist_ok=True)
    journal_path(root, number).write_bytes(b"".join(frame(encode_row(row)) for row in rows))


def urls(root: Path) -> list[str]:
    """URLs of all pages, by each of the ways to read them."""
    streamed = sorted(row.url for row in iter_rows(root, "page"))
    assert sorted(read_table(root, "page")["url"].to_pylist()) == streamed
    assert sorted(open_table(root, "page").to_table()["url"].to_pylist()) == streamed
    batches = iter_batches(root, "page", ["url", "bucket"])
    assert sorted(u for batch in batches for u in batch.column("url").to_pylist()) == streamed
    return streamed


def wanted(rows: Sequence[Row]) -> list[str]:
    return sorted(row.url for row in rows if row.kind == "page")


def test_partitions_by_bucket_and_what_duckdb_reads(tmp_path: Path) -> None:
    write_journal(tmp_path, 1, make_rows())
    assert compact(tmp_path, 1) == 13
    assert journal_files(tmp_path) == []
    folders = {path.name for path in (tmp_path / "analysis" / "pages").iterdir()}
    assert folders == {f"bucket={bucket(host)}" for host in HOSTS}
    query = (
        f"SELECT bucket, host, count(*), sum(len(links)) "
        f"FROM read_parquet('{tmp_path}/analysis/pages/*/*.parquet') GROUP BY ALL ORDER BY ALL"
    )
    found = duckdb.sql(query).fetchall()
    assert found == sorted((bucket(host), host, 4, 20) for host in HOSTS)
    drops = duckdb.sql(f"SELECT reason FROM '{tmp_path}/analysis/drops/*.parquet'").fetchall()
    assert drops == [("http_404",)]


def test_rows_of_journal_and_parquet_are_one_table(tmp_path: Path) -> None:
    rows = make_rows(), make_rows(20), make_rows(40)
    for number, some in enumerate(rows, 1):
        write_journal(tmp_path, number, some)
    everything = wanted([row for some in rows for row in some])
    assert urls(tmp_path) == everything
    for number in (1, 2, 3):
        compact(tmp_path, number)
        assert urls(tmp_path) == everything
    assert len(list(iter_rows(tmp_path, "drop"))) == 3
    table = open_table(tmp_path, "page").to_table(filter=pa.compute.field("bucket") == 214)
    assert set(table["host"].to_pylist()) == {"www.pku.edu.cn"}


@pytest.mark.full
@pytest.mark.parametrize("step", ["rename", "unlink", "fsync"])
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_dying_at_any_step_repeats_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, after: int
) -> None:
    rows = make_rows()
    write_journal(tmp_path, 1, rows)
    calls = 0

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    def counted(real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            return fail() if calls > after else real(*args, **kwargs)

        return call

    if step == "fsync":
        monkeypatch.setattr(compaction.os, "fsync", counted(compaction.os.fsync))
    else:
        monkeypatch.setattr(Path, step, counted(getattr(Path, step)))
    try:
        compact(tmp_path, 1)
    except KeyboardInterrupt:
        monkeypatch.undo()
        assert journal_files(tmp_path)
    monkeypatch.undo()
    assert urls(tmp_path) == wanted(rows)
    if journal_files(tmp_path):
        delete_covered(tmp_path)
        compact(tmp_path, 1)
    assert urls(tmp_path) == wanted(rows)
    assert list(tmp_path.rglob("*.tmp")) == []


def test_a_full_disk_leaves_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_journal(tmp_path, 1, make_rows())

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compaction.pq, "write_table", full)
    with pytest.raises(StorageFullError):
        compact(tmp_path, 1)
    monkeypatch.undo()
    assert list(tmp_path.rglob("*.tmp")) == []
    assert urls(tmp_path) == wanted(make_rows())


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    rows = make_rows()
    write_journal(tmp_path, 1, rows)
    path = journal_path(tmp_path, 1)
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    compact(tmp_path, 1)
    assert urls(tmp_path) == wanted(rows[1:])


def many_parts(root: Path, n: int = MERGE_FROM) -> list[Row]:
    rows: list[Row] = []
    for number in range(1, n + 1):
        some = make_rows(number * 20)
        write_journal(root, number, some)
        compact(root, number)
        rows += some
    return rows


def test_many_small_parts_become_one(tmp_path: Path) -> None:
    rows = many_parts(tmp_path, MERGE_FROM - 1)
    assert merge_parts(tmp_path) == 0
    more = make_rows(1000)
    write_journal(tmp_path, MERGE_FROM, more)
    compact(tmp_path, MERGE_FROM)
    assert merge_parts(tmp_path) == 4
    parts = all_parts(tmp_path, "page")
    assert [(part.first, part.last) for part in parts] == [(1, MERGE_FROM)] * 3
    assert urls(tmp_path) == wanted(rows + more)
    assert len(list(iter_rows(tmp_path, "drop"))) == MERGE_FROM
    assert merge_parts(tmp_path) == 0


@pytest.mark.full
@pytest.mark.parametrize("step", ["rename", "unlink"])
@pytest.mark.parametrize("after", [0, 1, 5, 20])
def test_dying_while_merging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, after: int
) -> None:
    rows = many_parts(tmp_path)
    real = getattr(Path, step)
    calls = 0

    def dies(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(Path, step, dies)
    with contextlib.suppress(KeyboardInterrupt):
        merge_parts(tmp_path)
    monkeypatch.setattr(Path, step, real)
    assert urls(tmp_path) == wanted(rows)
    delete_covered(tmp_path)
    assert urls(tmp_path) == wanted(rows)
    query = f"SELECT url FROM '{tmp_path}/analysis/pages/*/*.parquet'"
    assert sorted(url for (url,) in duckdb.sql(query).fetchall()) == wanted(rows)
    merge_parts(tmp_path)
    assert urls(tmp_path) == wanted(rows)


def test_a_reader_keeps_what_it_began_with(tmp_path: Path) -> None:
    """Compaction and merging go on between two rows of an iteration."""
    rows = many_parts(tmp_path, MERGE_FROM - 1)
    live = make_rows(2000)
    write_journal(tmp_path, MERGE_FROM, live)
    reading = iter_rows(tmp_path, "page")
    found = [next(reading).url]
    compact(tmp_path, MERGE_FROM)
    assert merge_parts(tmp_path)
    write_journal(tmp_path, MERGE_FROM + 1, make_rows(3000))
    compact(tmp_path, MERGE_FROM + 1)
    found += [row.url for row in reading]
    assert sorted(found) == wanted(rows + live)


def test_columns_that_come_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_registered", dict(columns._registered))
    write_journal(tmp_path, 1, make_rows())
    compact(tmp_path, 1)
    register_column("test_only_simhash", pa.uint64())
    late = row_of(make_item(99, analysis={"test_only_simhash": 2**63 + 1}), offset=0, length=1)
    write_journal(tmp_path, 2, [late])
    table = read_table(tmp_path, "page", columns=["url", "test_only_simhash"])
    assert table["test_only_simhash"].null_count == 12
    compact(tmp_path, 2)
    table = read_table(tmp_path, "page", columns=["url", "test_only_simhash"])
    values = dict(zip(*table.to_pydict().values(), strict=True))
    assert values.pop(late.url) == 2**63 + 1
    assert set(values.values()) == {None}
    assert [row for row in iter_rows(tmp_path, "page") if row.url == late.url] == [late]


def test_a_broken_parquet_file_is_named(tmp_path: Path) -> None:
    write_journal(tmp_path, 1, make_rows())
    compact(tmp_path, 1)
    part = all_parts(tmp_path, "page")[0].path
    part.write_bytes(b"no parquet")
    with pytest.raises(StoreError, match=str(part)):
        list(iter_rows(tmp_path, "page"))
    with pytest.raises(StoreError, match=str(part)):
        read_table(tmp_path, "page")


def test_merging_goes_on_in_the_writer(tmp_path: Path) -> None:
    from quarkcrawl.store.writer import CorpusWriter

    with CorpusWriter(tmp_path) as writer:
        for n in range(3 * MERGE_FROM):
            writer.append_page(make_item(n))
            writer.rotate()
    assert len(all_parts(tmp_path, "page")) < MERGE_FROM
    assert Corpus.open(tmp_path).info().pages == 3 * MERGE_FROM
    shutil.rmtree(tmp_path)


def test_urls_cannot_pretend_to_be_places(tmp_path: Path) -> None:
    """The sort key is read from the JSON text; only the row's own fields may count."""
    evil = 'http://a.cn/","host":"z.cn","level":1,"bucket":255,"offset":9,"x":"'
    honest = row_of(make_item(1, host="a.cn"), offset=5, length=5)
    rows: list[Row] = [
        row_of(make_item(2, host="a.cn", url=evil), offset=0, length=5),
        honest,
    ]
    write_journal(tmp_path, 1, rows[::-1])
    compact(tmp_path, 1)
    assert [row.url for row in iter_rows(tmp_path, "page")] == [evil, honest.url]
    [part] = all_parts(tmp_path, "page")
    assert part.bucket == bucket("a.cn")
