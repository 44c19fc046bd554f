"""Drawing a collection: counts, bytes, numbers, companions, damage."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quarkcrawl.corpus.collection.draw import draw_sizes
from quarkcrawl.corpus.collection.sampling import SampleOptions, sample_corpus
from quarkcrawl.corpus.collection.writer import BucketSource, CollectionWriter, copies_of
from quarkcrawl.corpus.dedupjob import dedup_corpus
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import ConfigError, InputError, StorageFullError, StoreError
from quarkcrawl.store import Corpus, CorpusWriter, RedirectRow, split_reply, verify
from tests.store.samples import duplicate_row, make_body, make_item

N_HOSTS = 24


@pytest.fixture(scope="module")
def engine():
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        yield engine


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, engine):
    """Hosts of 1 to 24 pages, each with one page more that another host has too."""
    root = tmp_path_factory.mktemp("sampling") / "corpus"
    shared = make_body(0, n_words=20)
    number = 1
    with CorpusWriter(root) as writer:
        for size in range(1, N_HOSTS + 1):
            host = f"h{size:02}.cn"
            for _ in range(size):
                writer.append_page(make_item(number, host=host, body=make_body(number, n_words=20)))
                number += 1
            url = f"http://{host}/{'same' * size}"
            row = writer.append_page(make_item(number, host=host, url=url, body=shared))
            writer.append_row(RedirectRow(f"http://{host}/old", url, 301, 1, 1.0, in_scope=True))
        writer.append_row(duplicate_row("http://x.cn/", row.url, row.md5, 3, 5.0))
    dedup_corpus(engine, root)
    return root


def tree(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def collection(corpus, engine, tmp_path_factory):
    out = tmp_path_factory.mktemp("collection") / "cwt"
    options = SampleOptions(name="CWTtest", seed=7)
    return out, sample_corpus(engine, corpus, out, options), options


def test_hosts_of_the_drawn_sizes_with_all_their_pages(collection):
    out, report, _ = collection
    # The host with the shortest URL keeps the shared page: sizes are 2 (twice), 3, … 24.
    sizes = {"h01.cn": 2} | {f"h{n:02}.cn": n for n in range(2, N_HOSTS + 1)}
    taken = {x.pages for x in draw_sizes(sizes.values(), 7) if x.is_drawn}
    rows = list(Corpus.open(out).pages())
    found = {}
    for row in rows:
        found[row.host] = found.get(row.host, 0) + 1
    assert found == {host: n for host, n in sizes.items() if n in taken}
    assert (report.sizes, report.drawn_sizes) == (23, 10 + 2)
    assert (report.hosts, report.pages) == (24, sum(sizes.values()))
    assert (report.documents, report.drawn_hosts) == (len(rows), len(found))


def test_the_collection_is_a_whole_corpus(collection):
    out, report, _ = collection
    assert list(verify(out)) == []
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    sums = (out / "SHA256SUMS").read_text().splitlines()
    assert {line.partition("  ")[2] for line in sums} == files - {"SHA256SUMS"}
    done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=out, check=False)
    assert done.returncode == 0
    assert str(report.documents) in (out / "README.md").read_text()


def test_documents_are_numbered_in_file_order_and_keep_their_bytes(collection, corpus):
    out, _, _ = collection
    source = {row.url: row for row in Corpus.open(corpus).pages()}
    rows = sorted(Corpus.open(out).pages(), key=lambda r: (r.bucket, r.host, r.offset))
    lines = (out / "docnos.tsv").read_text().splitlines()
    assert lines == [f"CWTtest-{n:08}\t{row.url}" for n, row in enumerate(rows, 1)]
    for n, row in enumerate(rows, 1):
        record = Corpus.open(out).read(row)
        assert record.docno == row.analysis["docno"] == f"CWTtest-{n:08}"
        assert record.data == Corpus.open(corpus).read(source[row.url]).data
        assert (row.title, row.md5, row.links) == (
            source[row.url].title,
            source[row.url].md5,
            source[row.url].links,
        )


def test_companion_tables_lead_to_documents(engine, corpus, tmp_path):
    """Everything drawn: one shared page is kept, 23 others and one of the crawl lead to it."""
    out = tmp_path / "all"
    report = sample_corpus(engine, corpus, out, SampleOptions(group=1, draw=1))
    documents = {row.url for row in Corpus.open(out).pages()}
    duplicates = list(Corpus.open(out).duplicates())
    assert len(duplicates) == report.duplicates == N_HOSTS
    assert {row.duplicate_of for row in duplicates} == {"http://h01.cn/same"}
    assert {row.duplicate_of for row in duplicates} <= documents
    level = {row.url: row.level for row in duplicates}
    assert (level["http://x.cn/"], level["http://h02.cn/samesame"]) == (3, 2)
    assert [(r.url, r.target) for r in Corpus.open(out).redirects()] == [
        ("http://h01.cn/old", "http://h01.cn/same")
    ]


@pytest.mark.full
def test_the_same_seed_gives_the_same_bytes(collection, corpus, engine, tmp_path):
    out, _, options = collection
    sample_corpus(engine, corpus, tmp_path / "again", options)
    assert tree(tmp_path / "again") == tree(out)
    other = SampleOptions(name="CWTtest", seed=8)
    sample_corpus(engine, corpus, tmp_path / "other", other)
    assert (tmp_path / "other" / "sizes.csv").read_text() != (out / "sizes.csv").read_text()


@pytest.mark.full
def test_pages_or_bytes_wanted(corpus, engine, tmp_path):
    report = sample_corpus(engine, corpus, tmp_path / "p", SampleOptions(pages=100))
    assert abs(report.documents - 100) <= 12
    total = sum(row.body_bytes for row in Corpus.open(corpus).pages())
    sample_corpus(engine, corpus, tmp_path / "b", SampleOptions(body_bytes=total // 3))
    found = sum(row.body_bytes for row in Corpus.open(tmp_path / "b").pages())
    assert abs(found - total // 3) < total / 24
    with pytest.raises(ConfigError, match="not both"):
        sample_corpus(engine, corpus, tmp_path / "c", SampleOptions(pages=1, body_bytes=1))


def damaged_copy(corpus, broken):
    """The corpus with two damaged pages of one host, which are returned."""
    shutil.copytree(corpus, broken)
    rows = [r for r in Corpus.open(broken).pages() if r.host == "h20.cn"]
    path = broken / f"data_{rows[0].bucket}" / "h20.cn" / "page.dat"
    data = bytearray(path.read_bytes())
    data[rows[3].offset + rows[3].length // 2] ^= 255
    path.write_bytes(data[: rows[-2].offset + 100])
    return rows[3], rows[-2]  # rows[-1] is a duplicate


def test_damaged_records_are_left_out_and_listed(corpus, engine, tmp_path):
    damaged = damaged_copy(corpus, tmp_path / "broken")
    broken = tmp_path / "broken"
    report = sample_corpus(engine, broken, tmp_path / "out", SampleOptions(group=1, draw=1))
    drops = list(Corpus.open(tmp_path / "out").drops())
    assert report.damaged == len(drops)
    assert {d.url for d in drops} == {row.url for row in damaged}
    assert {d.reason for d in drops} == {"damaged"}
    numbers = [
        line.split("\t")[0] for line in (tmp_path / "out" / "docnos.tsv").read_text().splitlines()
    ]
    assert numbers == [f"CWT-{n:08}" for n in range(1, report.documents + 1)]
    assert list(verify(tmp_path / "out")) == []


class TwiceEach:
    """A cluster that does each task twice, the last one first, and forgets one of the answers."""

    n_cores = 2

    def __init__(self):
        self.asked = []

    def each(self, function, numbers):
        self.asked.append(list(numbers))
        sent = pickle.dumps(function)
        for number in reversed(numbers):
            pickle.loads(sent)(number)
            yield pickle.loads(sent)(number)


@pytest.mark.full
def test_buckets_written_at_once_are_numbered_as_one_after_the_other(corpus, engine, tmp_path):
    broken = tmp_path / "broken"
    damaged = damaged_copy(corpus, broken)
    sample_corpus(engine, broken, tmp_path / "out", SampleOptions(group=1, draw=1, dedup=False))
    rows = list(Corpus.open(broken).pages())
    names = ("bucket", "url", "host", "offset", "length", "level", "fetched_at")
    places = [{"shard": 0} | {name: getattr(row, name) for name in names} for row in rows]
    pq.write_table(pa.Table.from_pylist(places), tmp_path / "chosen.parquet")
    n_pages = Counter(row.bucket for row in rows)
    chosen = [tmp_path / "chosen.parquet"]
    (tmp_path / "drafts").mkdir()
    source = BucketSource([broken], chosen, tmp_path / "drafts", "CWT-{n:08d}")
    cluster = TwiceEach()
    copies = copies_of(cluster, source, n_pages)
    again = [number for number in sorted(n_pages) if number > damaged[0].bucket]
    assert again  # or nothing is tested here
    assert cluster.asked == [sorted(n_pages), again]
    (tmp_path / "ours").mkdir()
    writer = CollectionWriter(tmp_path / "ours")
    for number in sorted(copies):
        writer.add(copies[number])
    writer.finish("2006-03-12T08:00:00Z")
    assert (writer.n_documents, writer.n_damaged) == (len(rows) - 3, 3)  # a duplicate is behind
    expected, ours = tree(tmp_path / "out"), tree(tmp_path / "ours")
    del ours[Path("corpus.json")]  # knows the time
    assert len(ours) > N_HOSTS
    assert ours == {path: expected[path] for path in ours}
    rest = {path.as_posix() for path in expected.keys() - ours.keys()}
    assert not [name for name in rest if name.startswith(("data_", "analysis/pages"))]


def test_tables_only(corpus, engine, tmp_path):
    report = sample_corpus(engine, corpus, tmp_path / "t", SampleOptions(tables_only=True))
    assert not list((tmp_path / "t").glob("data_*"))
    rows = list(Corpus.open(tmp_path / "t").pages())
    assert len(rows) == report.documents
    assert rows[0].analysis["docno"].startswith("CWT-0000")


def test_what_is_refused(corpus, engine, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="there already"):
        sample_corpus(engine, corpus, tmp_path / "there")
    for pattern in ("{name}", "{x}", "{", "a\n{n}", " {n}", "{n.bits}", "{n[0]}"):
        with pytest.raises(ConfigError):
            sample_corpus(engine, corpus, tmp_path / "x", SampleOptions(docno=pattern))
    CorpusWriter(tmp_path / "raw").close()
    with pytest.raises(StoreError, match="corpus dedup"):
        sample_corpus(engine, tmp_path / "raw", tmp_path / "x")
    report = sample_corpus(engine, tmp_path / "raw", tmp_path / "x", SampleOptions(dedup=False))
    assert report.documents == 0
    assert list(Corpus.open(tmp_path / "x").pages()) == []


def test_a_collection_can_be_drawn_from_again(collection, engine, tmp_path):
    out, report, _ = collection
    options = SampleOptions(name="B", dedup=False, group=1, draw=1, docno="{name}{n}")
    again = sample_corpus(engine, out, tmp_path / "again", options)
    assert again.documents == report.documents
    row = next(Corpus.open(tmp_path / "again").pages())
    record = Corpus.open(tmp_path / "again").read(row)
    assert record.docno.startswith("B")
    assert record.extra == ()
    assert (
        split_reply(record.data).body
        == split_reply(
            Corpus.open(out)
            .read(next(r for r in Corpus.open(out).pages() if r.url == row.url))
            .data
        ).body
    )
    assert (
        pq.ParquetFile(next((tmp_path / "again").rglob("part-*.parquet"))).schema_arrow.names.count(
            "docno"
        )
        == 1
    )


@pytest.mark.full
def test_a_full_disk_leaves_no_half_collection(corpus, engine, tmp_path):
    """A limit on the size of files is to the program what a full disk is."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, before[1]))
    try:
        with pytest.raises(StorageFullError):
            sample_corpus(engine, corpus, tmp_path / "out", SampleOptions(group=1, draw=1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
    report = sample_corpus(engine, corpus, tmp_path / "out", SampleOptions(group=1, draw=1))
    assert report.documents > 0


def test_a_draw_that_would_be_empty_is_refused(corpus, engine, tmp_path):
    with pytest.raises(ConfigError, match=r"--pages: the first size drawn has more than twice"):
        sample_corpus(engine, corpus, tmp_path / "out", SampleOptions(pages=1))
    assert not (tmp_path / "out").exists()
    with pytest.raises(ConfigError, match="no group has 0 sizes"):
        sample_corpus(engine, corpus, tmp_path / "out", SampleOptions(pages=9, group=0))
