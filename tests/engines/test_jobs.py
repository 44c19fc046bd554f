"""The same jobs on DuckDB and on a cluster: the same results, also when a worker is killed."""

from __future__ import annotations

import dataclasses
import os
import shutil
import threading
import time
import uuid
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.cli import main
from quarkcrawl.corpus import ExtractionOptions, extract_corpus, extractions
from quarkcrawl.corpus.collection.sampling import SampleOptions, sample_corpus
from quarkcrawl.corpus.collection.writer import BucketSource
from quarkcrawl.corpus.dedupjob import dedup_corpus, duplicate_files
from quarkcrawl.corpus.extraction import PagesJob, ResultFolder, astasks
from quarkcrawl.corpus.stats.statistics import corpus_statistics
from quarkcrawl.corpus.tasks import run_task
from quarkcrawl.engines import DuckEngine, SparkEngine
from quarkcrawl.errors import ConfigError, EngineError, InputError
from quarkcrawl.store import Corpus, CorpusWriter, RedirectRow
from quarkcrawl.template.site import SiteRules
from tests.corpus.sitepages import articles, copies, store
from tests.corpus.tasks.processes import IN_PROCESS, dying_once, small_parts
from tests.corpus.tasks.test_kills import all_rows
from tests.corpus.tasks.test_kills import make_corpus as make_large
from tests.store.samples import duplicate_row, make_body, make_item

pytestmark = [
    pytest.mark.timeout(900),  # five Java processes on what may be a busy machine
]

QUARK = ExtractionOptions("quark", site_pages=0)
KINDS = ["/", "/中文/a.htm", "/x.ASP?id=%E4", "/y.php?a=1&b=/z.html", "/long/er.shtml", "/𠀀.jsp"]


def make_corpus(root):
    """Some hosts; of each page there is a copy elsewhere, of some rows in the journal only."""
    with CorpusWriter(root) as writer:
        for number in range(60):
            host = ["a.cn", "b.bj.cn", "c.com.cn:8080", "d.gov.cn"][
                number % 4 if number < 40 else 0
            ]
            url = f"http://{host}{KINDS[number % 6].replace('.', f'{number}.')}"
            body = make_body(number // 2, n_words=20)
            item = make_item(number, host=host, url=url, body=body, ip=f"162.105.{number}.1")
            row = writer.append_page(item)
            writer.append_row(RedirectRow(url + "#old", url, 302, 2, 1.5, in_scope=True))
            if number % 9 == 0:
                writer.append_row(duplicate_row(f"http://z.cn/{number}", row.url, row.md5, 3, 2.5))
    return root


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines")
    return make_corpus(folder / "duckdb"), make_corpus(folder / "spark")


@pytest.fixture(scope="module")
def spark(cluster_process):
    cluster_process.ready()
    settings = {"spark.executor.memory": "512m"}
    with SparkEngine(cluster_process.url, settings=settings) as engine:
        yield engine


@pytest.fixture(scope="module")
def duck():
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        yield engine


def sorted_rows(files):
    table = pa.concat_tables([pq.read_table(path) for path in files])
    table = table.sort_by([(name, "ascending") for name in table.column_names])
    return table.to_pydict()


def tree(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.full
def test_dedup_sample_and_statistics(corpora, duck, spark, tmp_path):
    reports = []
    for engine, root in zip((duck, spark), corpora, strict=True):
        report = dedup_corpus(engine, root)
        reports.append(dataclasses.replace(report, corpus="", folder="", engine="", elapsed_s=0))
    assert reports[0] == reports[1]
    assert reports[0].stored_duplicates >= 30
    ours, theirs = (sorted_rows(duplicate_files(root)) for root in corpora)
    assert len(ours["url"]) > 30
    assert ours == theirs

    options = SampleOptions(seed=3, group=2, draw=1)
    for engine, root in zip((duck, spark), corpora, strict=True):
        sample_corpus(engine, root, tmp_path / engine.name, options)
    assert tree(tmp_path / "duckdb") == tree(tmp_path / "spark")  # every file, byte for byte

    ours, theirs = (
        dataclasses.replace(corpus_statistics(engine, root), corpus="")
        for engine, root in zip((duck, spark), corpora, strict=True)
    )
    assert ours == theirs


@pytest.mark.full
def test_workers_copy_the_records_of_a_sample(corpora, duck, spark, tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    shutil.copytree(corpora[0], broken)
    rows = [row for row in Corpus.open(broken).pages() if row.host == "b.bj.cn"]
    path = broken / f"data_{rows[0].bucket}" / "b.bj.cn" / "page.dat"
    data = bytearray(path.read_bytes())
    data[rows[2].offset + rows[2].length // 2] ^= 255
    path.write_bytes(data)
    options = SampleOptions(group=1, draw=1, dedup=False)
    report = sample_corpus(duck, broken, tmp_path / "duckdb", options)
    assert report.damaged == 1

    def refused(*_):
        raise AssertionError("the driver copies")

    monkeypatch.setattr(BucketSource, "write", refused)  # here, not in the processes of workers
    assert sample_corpus(spark, broken, tmp_path / "spark", options).damaged == 1
    assert tree(tmp_path / "duckdb") == tree(tmp_path / "spark")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.full
def test_errors_of_tables(spark, tmp_path):
    pq.write_table(pa.table({"url": ["a"]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="has no column md5"):
        spark.table("x", [tmp_path / "x.parquet"], {"url": "string", "md5": "string"})
    with pytest.raises(EngineError, match="Spark gave up"):
        spark.fetch("SELECT nothing FROM nowhere")
    (tmp_path / "x.parquet").rename(tmp_path / "x [1]{2} %41.parquet")
    spark.table("x", [tmp_path / "x [1]{2} %41.parquet"], {"url": "string"})
    assert spark.fetch("SELECT * FROM x").to_pylist() == [{"url": "a"}]
    spark.table("empty", [], {"url": "string", "offset": "bigint"})
    assert spark.fetch('SELECT url, "offset" FROM empty').num_rows == 0
    with pytest.raises(EngineError):
        spark.write("SELECT raise_error('x') AS x", tmp_path / "out")
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def slow_extract(page, root, plan, folder):
    """Notes that it was here, and takes its time."""
    from pathlib import Path

    from quarkcrawl.corpus.extraction.page import extract_stored

    (Path(folder) / f"{os.getsid(0)}-{uuid.uuid4()}").touch()
    time.sleep(0.3)
    return extract_stored(page, root, plan)


@pytest.mark.full
def test_32_tasks_with_a_worker_killed_in_the_middle(
    corpora, spark, cluster_process, tmp_path, monkeypatch
):
    here, there = corpora
    expected = extract_corpus(here, QUARK)
    seen = tmp_path / "seen"
    seen.mkdir()

    def killer():
        deadline = time.monotonic() + 600
        while len(list(seen.iterdir())) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        session = int(next(seen.iterdir()).name.partition("-")[0])
        pids = [worker.pid for worker in cluster_process.workers]
        cluster_process.kill(pids.index(session))  # one that was at work
        killed.append(session)

    killed = []
    thread = threading.Thread(target=killer)
    thread.start()
    function = partial(slow_extract, folder=str(seen))
    monkeypatch.setattr(
        astasks.ExtractionTasks,
        "job",
        lambda self, phase, pool: PagesJob(str(there), QUARK, pool, function),
    )
    small_parts(monkeypatch)
    report = extract_corpus(there, QUARK, cluster=spark, n_tasks=32)
    thread.join()
    cluster_process.ready()
    assert len(killed) == 1
    assert report.extracted == expected.extracted > 50
    assert report.failures == {}
    ours, theirs = (extractions(root, "quark").to_table() for root in corpora)
    order = [("bucket", "ascending"), ("offset", "ascending"), ("host", "ascending")]
    assert ours.sort_by(order).equals(theirs.sort_by(order))
    assert len(list(seen.iterdir())) >= report.extracted
    tasks = ResultFolder(there / "analysis" / "extractions" / "quark").tasks[1]
    assert tasks.totals().n_tasks == 32
    assert not list(tasks.path.rglob("parts"))


@pytest.mark.full
def test_python_workers_that_die_and_copies_of_a_task(spark, tmp_path, monkeypatch):
    root = make_large(tmp_path / "corpus", 200)
    extract_corpus(root, QUARK, out=tmp_path / "one", pool=IN_PROCESS)
    expected = all_rows(root, tmp_path / "one")
    seen = tmp_path / "seen"
    seen.mkdir()
    small_parts(monkeypatch)
    corpus, out = Corpus.open(root), tmp_path / "many"
    results = ResultFolder(astasks.writable_base(root, out) / "quark")
    tasks = astasks.ExtractionTasks(corpus, results, QUARK, astasks.ChosenPages(), SiteRules())
    tasks.plan("pages", 300)  # more than pages, and than the 256 buckets
    urls = frozenset(sorted(expected)[::25])
    job = PagesJob(str(root), QUARK, IN_PROCESS, partial(dying_once, folder=str(seen), urls=urls))
    function = partial(marked, results=results.path, job=job)
    marks = spark.each(function, [*range(300), 7, 7])
    assert len(list(seen.iterdir())) == len(urls) == 8
    assert len(marks) == 302
    assert tasks.folder("pages").finish().rows == len(expected)
    assert all_rows(root, out) == expected


def marked(number, results, job):
    return run_task(results, number, job).encode().decode()


@pytest.mark.full
def test_what_hosts_repeat_is_left_out_by_both_engines(spark, tmp_path):
    store(tmp_path, "noted.cn", articles(24))
    store(tmp_path, "mirror.cn", copies(24))
    ours, theirs = tmp_path / "duckdb", tmp_path / "spark"
    reports = [
        extract_corpus(tmp_path, out=ours, pool=PoolOptions(in_process=True)),
        extract_corpus(tmp_path, out=theirs, cluster=spark),
    ]
    assert [report.shortened for report in reports] == [24, 24]
    assert [report.site_pages_read for report in reports] == [48, 48]
    order = [("bucket", "ascending"), ("offset", "ascending")]
    tables = [extractions(tmp_path, out=out).to_table().sort_by(order) for out in (ours, theirs)]
    assert tables[0].equals(tables[1])


def test_the_commands_say_what_is_wrong(corpora, capsys):
    root = str(corpora[0])
    assert main(["corpus", "dedup", root, "--engine", "spark"]) == 2
    assert "--spark-master" in capsys.readouterr().err
    assert main(["corpus", "dedup", root, "--engine", "flink"]) == 2
    assert main(["corpus", "dedup", root, "--spark-master", "spark://a:1"]) == 2


@pytest.mark.usefixtures("spark_is_present")
def test_the_commands_say_that_no_master_is_there(corpora, capsys):
    master = ["--engine", "spark", "--spark-master", "spark://127.0.0.1:9"]
    assert main(["corpus", "stats", str(corpora[0]), *master]) == 1
    assert "cannot be reached" in capsys.readouterr().err


def test_what_makes_no_session():
    with pytest.raises(ConfigError):
        SparkEngine("nonsense")
