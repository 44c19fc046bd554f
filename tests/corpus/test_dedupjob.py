"""Global exact dedup: the job against a naive oracle, on rows and on real corpora."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.corpus.dedupjob import dedup_corpus, dedup_rows, duplicate_files
from quarkcrawl.corpus.partitiondedup import partition_dedup
from quarkcrawl.engines import DuckEngine, parquet_files
from quarkcrawl.errors import (
    CorpusLockedError,
    EngineError,
    InputError,
    StorageFullError,
    StoreError,
)
from quarkcrawl.store import CorpusLock, CorpusWriter
from tests.profiles import examples
from tests.store.samples import duplicate_row, make_body, make_item

COLUMNS = {
    "url": "string",
    "host": "string",
    "offset": "bigint",
    "md5": "string",
    "stored": "int",
}


@pytest.fixture(scope="module")
def engine():
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        yield engine


def naive(rows):
    """Duplicates as (url, host, offset) -> URL that is kept."""
    groups = defaultdict(list)
    for row in rows:
        if row["md5"] is not None and len(row["md5"]) == 32:
            groups[row["md5"]].append(row)
    found = {}
    for group in groups.values():
        group.sort(
            key=lambda r: (
                -r["stored"],
                len(r["url"]),
                r["url"].encode(),
                r["host"].encode(),
                r["offset"],
            )
        )
        for row in group[1:]:
            found[row["url"], row["host"], row["offset"]] = group[0]["url"]
    return found


def run(engine, rows, folder: Path):
    path = folder / "rows.parquet"
    folder.mkdir(exist_ok=True)
    schema = pa.schema(
        [
            ("url", pa.string()),
            ("host", pa.string()),
            ("offset", pa.int64()),
            ("md5", pa.string()),
            ("stored", pa.int32()),
        ]
    )
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
    engine.table("given", [path], COLUMNS)
    n_found = dedup_rows(engine, "SELECT * FROM given", folder / "out", kept_folder=folder / "kept")
    found = read(folder / "out" / "duplicates")
    assert len(found) == n_found
    return found, read(folder / "kept")


def read(folder: Path):
    tables = [pq.read_table(path) for path in parquet_files(folder)]
    return pa.concat_tables(tables).to_pylist()


HEX = st.sampled_from([f"{n:032x}" for n in range(6)])
ROWS = st.lists(
    st.tuples(
        st.text(alphabet="ab/?中ｱ𠀀", max_size=4),
        st.one_of(HEX, st.none(), st.just("short")),
        st.integers(0, 1),
    ),
    max_size=30,
)


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(ROWS)
def test_the_job_does_what_a_dictionary_does(engine, tmp_path, drawn):
    rows = [
        {"url": url, "host": "h", "offset": place, "md5": md5, "stored": stored}
        for place, (url, md5, stored) in enumerate(drawn)
    ]
    found, kept = run(engine, rows, tmp_path)
    expected = naive(rows)
    assert {(r["url"], r["host"], r["offset"]): r["duplicate_of"] for r in found} == expected
    assert len(kept) == len(rows) - len(expected)
    sums = [row["md5"] for row in kept if row["md5"] and len(row["md5"]) == 32]
    assert (
        len(sums)
        == len(set(sums))
        == len({r["md5"] for r in rows if r["md5"] and len(r["md5"]) == 32})
    )


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(HEX, st.text(alphabet="ab/中", min_size=1, max_size=4)), max_size=40),
    st.integers(1, 7),
)
def test_the_method_of_the_thesis_keeps_what_comes_first(tmp_path, rows, n_partitions):
    given = [(url, md5, "h", place, 1) for place, (md5, url) in enumerate(rows)]
    found = partition_dedup(given, tmp_path / "parts", n_partitions=n_partitions)
    first, expected = {}, {}
    for url, md5, _, place, _ in given:
        if md5 in first:
            expected[place] = (url, first[md5])
        first.setdefault(md5, url)
    assert {row[3]: (row[0], kept) for row, kept in found} == expected
    assert not (tmp_path / "parts").exists()


def test_golden(engine, tmp_path):
    same = "d41d8cd98f00b204e9800998ecf8427e"
    urls = ["http://a.cn/default.htm", "http://a.cn/", "http://a.cn/?id=1", "http://b.cn/"]
    rows = [{"url": url, "host": url[7:11], "offset": 0, "md5": same, "stored": 1} for url in urls]
    found, kept = run(engine, rows, tmp_path)
    assert kept == [{"url": "http://a.cn/", "md5": same}]
    assert {row["url"]: row["duplicate_of"] for row in found} == dict.fromkeys(
        [urls[0], urls[2], urls[3]], "http://a.cn/"
    )


@pytest.fixture
def corpus(tmp_path):
    """Four pages of two bodies; one row in the duplicates table; some rows in the journal."""
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        for number, url in enumerate(["http://a.cn/index.htm", "http://a.cn/", "http://b.cn/"]):
            writer.append_page(make_item(1, host=url[7:11], url=url, body=make_body(number // 2)))
        sum_a = make_item(1, body=make_body(0)).md5
        writer.append_row(duplicate_row("http://a.cn", "http://a.cn/index.htm", sum_a, 2, 1.0))
    return root


def test_a_corpus(engine, corpus):
    report = dedup_corpus(engine, corpus)
    assert (report.rows, report.stored, report.without_md5) == (4, 3, 0)
    assert (report.duplicates, report.stored_duplicates) == (2, 1)
    rows = {r["url"]: r for p in duplicate_files(corpus) for r in pq.read_table(p).to_pylist()}
    # http://a.cn is shorter, but the crawl did not store it.
    assert rows["http://a.cn/index.htm"]["duplicate_of"] == "http://a.cn/"
    assert rows["http://a.cn"]["duplicate_of"] == "http://a.cn/"
    assert (rows["http://a.cn"]["stored"], rows["http://a.cn/index.htm"]["stored"]) == (0, 1)
    assert not (corpus / "analysis" / "dedup" / "stages").exists()


def test_the_method_of_the_thesis_keeps_another_url_of_a_corpus(engine, corpus):
    report = dedup_corpus(engine, corpus, "thesis")
    assert (report.rows, report.stored, report.without_md5) == (4, 3, 0)
    assert (report.duplicates, report.stored_duplicates, report.method) == (2, 1, "thesis")
    rows = {r["url"]: r for p in duplicate_files(corpus) for r in pq.read_table(p).to_pylist()}
    assert {url: row["duplicate_of"] for url, row in rows.items()} == dict.fromkeys(
        ["http://a.cn/", "http://a.cn"],
        "http://a.cn/index.htm",  # not the shortest, but stored first
    )
    assert not (corpus / "analysis" / "dedup" / "stages").exists()
    with pytest.raises(InputError, match="default, thesis"):
        dedup_corpus(engine, corpus, "other")


def test_rows_in_the_journal_count(engine, tmp_path):
    root = tmp_path / "live"
    writer = CorpusWriter(root)
    for url in ["http://a.cn/x", "http://a.cn/xy"]:
        writer.append_page(make_item(1, host="a.cn", url=url))
    writer.sync().acknowledged()
    try:
        report = dedup_corpus(engine, root)
    finally:
        writer.close()
    assert (report.stored, report.stored_duplicates) == (2, 1)
    assert not (root / "analysis" / "dedup" / "journal").exists()
    assert dedup_corpus(engine, root).stored_duplicates == 1


def test_no_dedup_yet_and_locked(engine, corpus):
    with pytest.raises(StoreError, match="quarkcrawl corpus dedup"):
        duplicate_files(corpus)
    folder = corpus / "analysis" / "dedup"
    folder.mkdir()
    with CorpusLock(folder), pytest.raises(CorpusLockedError):
        dedup_corpus(engine, corpus)


def test_an_empty_corpus(engine, tmp_path):
    CorpusWriter(tmp_path / "empty").close()
    report = dedup_corpus(engine, tmp_path / "empty")
    assert (report.rows, report.duplicates) == (0, 0)


def test_tables_that_cannot_be_read(engine, tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"no parquet")
    with pytest.raises(StoreError, match="not a Parquet file"):
        engine.table("x", [tmp_path / "x.parquet"], {"url": "string"})
    pq.write_table(pa.table({"url": ["a"]}), tmp_path / "y [1]'*.parquet")
    with pytest.raises(InputError, match="has no column md5"):
        engine.table("y", [tmp_path / "y [1]'*.parquet"], {"url": "string", "md5": "string"})
    engine.table("y", [tmp_path / "y [1]'*.parquet"], {"url": "string"})
    assert engine.fetch("SELECT * FROM y").to_pylist() == [{"url": "a"}]


def test_a_full_disk_leaves_what_was_there(tmp_path):
    """The spill folder may not grow, and the result is larger than a file may be."""
    import resource

    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        engine.write("SELECT 1 AS x", tmp_path / "out")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
        try:
            with pytest.raises(StorageFullError):
                engine.write(
                    "SELECT md5(CAST(i AS varchar)) AS x FROM range(100000) t(i)", tmp_path / "out"
                )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert [pq.read_table(p).to_pylist() for p in parquet_files(tmp_path / "out")] == [
            [{"x": 1}]
        ]
        assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_the_database_leaves_room_for_the_process():
    with DuckEngine(memory_bytes=1 << 30) as engine:
        rows = engine.fetch("SELECT current_setting('memory_limit') AS most").to_pylist()
    assert rows == [{"most": "896.0 MiB"}]


def test_names_with_brackets_and_a_missing_spill_folder(tmp_path):
    with DuckEngine(spill=tmp_path) as engine:
        assert engine.write("SELECT 1 AS a", tmp_path / "part[1]*?'") == 1
        engine.table("again", [*(tmp_path / "part[1]*?'").iterdir()], {"a": "int"})
        assert engine.fetch("SELECT a FROM again").to_pylist() == [{"a": 1}]
    with pytest.raises(EngineError, match="spill"):
        DuckEngine(spill=tmp_path / "nowhere")
