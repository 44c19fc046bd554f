"""Data sets of the demo's corpus and of whole sites, read by the tools that people use."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.dataset as ds
import pytest

from tests.crawl.harness import environment

pytestmark = pytest.mark.full  # the demo runs first, a minute
SITES = Path(__file__).resolve().parents[3] / "shared" / "data" / "sites"


def arrow_rows(folder: Path) -> list[dict]:
    files = sorted(map(str, (folder / "data").glob("train-*.parquet")))
    return ds.dataset(files).to_table().to_pylist()


def run(*words, **how) -> dict:
    done = subprocess.run([sys.executable, "-m", "quarkcrawl", *map(str, words)], text=True,
                          env=environment(), capture_output=True, timeout=500, check=False, **how)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def rows_of(program: str, *arguments, tmp_path: Path) -> list[dict]:
    """What a program writes as JSON to a file; others open Parquet in ways that threads of Arrow
    may outlive (see conftest), so they run in a process of their own."""
    target = tmp_path / "rows.json"
    head = "import json, sys\narguments = sys.argv[2:]\n"
    tail = "\nopen(sys.argv[1], 'w').write(json.dumps(rows))\n"
    words = [sys.executable, "-c", head + program + tail, str(target), *map(str, arguments)]
    home = {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(words, env=environment() | home, capture_output=True, text=True,
                          timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(target.read_text())


DATASETS = """
import datasets
loaded = datasets.load_dataset(*arguments)
assert list(loaded) == ["train"], loaded
rows = loaded["train"].to_list()
"""
DATATROVE = """
from datatrove.pipeline import readers
reader = getattr(readers, arguments[0])(arguments[1])
rows = [{"id": d.id, "text": d.text, **d.metadata} for d in reader.run()]
"""


@pytest.fixture(scope="module")
def demo_set(demo_run):
    assert demo_run.returncode == 0, demo_run.stderr
    return demo_run.folder / "demo-out" / "campaign" / "dataset"


def test_the_demo_prints_the_line_that_loads_it(demo_run, demo_set):
    assert f"datasets.load_dataset('{demo_set.resolve()}')" in demo_run.stdout.replace("\n", "")
    rows = arrow_rows(demo_set)
    assert f"{len(rows)} texts" in demo_run.stdout
    assert len(rows) > 300


def test_datasets_reads_the_same_rows(demo_set, tmp_path):
    pytest.importorskip("datasets")
    assert rows_of(DATASETS, demo_set, tmp_path=tmp_path) == arrow_rows(demo_set)
    others = ds.dataset(str(demo_set / "left_out")).to_table().to_pylist()
    assert rows_of(DATASETS, demo_set, "left_out", tmp_path=tmp_path) == others


def test_datasets_reads_the_collection(demo_run, tmp_path):
    pytest.importorskip("datasets")
    folder = demo_run.folder / "demo-out" / "campaign" / "collection"
    rows = rows_of(DATASETS, folder, tmp_path=tmp_path)
    numbers = [line.split("\t") for line in (folder / "docnos.tsv").read_text().splitlines()]
    assert sorted([row["docno"], row["url"]] for row in rows) == sorted(numbers)


def test_pandas_reads_the_same_rows(demo_set):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(demo_set / "data")
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert rows == arrow_rows(demo_set)


def test_duckdb_reads_the_same_rows(demo_set):
    found = duckdb.sql(f"FROM '{demo_set}/data/*.parquet'").to_arrow_table().to_pylist()
    assert found == arrow_rows(demo_set)


def test_spark_reads_the_same_rows(demo_set, spark_cluster):
    pytest.importorskip("pyspark")
    from quarkcrawl.engines import SparkEngine

    with SparkEngine(spark_cluster.url) as engine:
        frame = engine.session.read.parquet(str(demo_set / "data"))
        found = [row.asDict(recursive=True) for row in frame.collect()]
    assert found == arrow_rows(demo_set)


def test_datatrove_reads_parquet_and_json_lines(demo_run, demo_set, tmp_path):
    pytest.importorskip("datatrove")
    rows = {row["id"]: row for row in arrow_rows(demo_set)}
    corpus = demo_run.folder / "demo-out"
    run("export", corpus, "--out", tmp_path / "lines", "--format", "jsonl")
    for reader, folder in (("ParquetReader", demo_set), ("JsonlReader", tmp_path / "lines")):
        documents = rows_of(DATATROVE, reader, folder / "data", tmp_path=tmp_path)
        assert len(documents) == len(rows)
        for document in documents:
            assert rows[document["id"]].items() <= document.items()


def test_a_datatrove_pipeline_reads_the_corpus_and_extracts_with_us(demo_run, demo_set):
    pytest.importorskip("datatrove")
    from quarkcrawl.content import extract
    from quarkcrawl.dataset.datatrove import ContentExtractor, CorpusReader
    from quarkcrawl.store import Corpus

    root = demo_run.folder / "demo-out"
    rows = {row["id"]: row["text"] for row in arrow_rows(demo_set)}
    tasks = [list(CorpusReader(root).run(rank=rank, world_size=3)) for rank in range(3)]
    documents = {document.id: document for task in tasks for document in task}
    assert sum(map(len, tasks)) == len(documents) == Corpus.open(root).info().pages
    assert all(documents[name].metadata["url"] for name in rows)
    pages = list(CorpusReader(root, html=True, limit=5).run())
    html = {document.id: document.text for document in pages}
    for document in ContentExtractor().run(iter(pages)):
        assert document.text == extract(html[document.id]).text


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.skipif(not SITES.is_dir(), reason="needs ../shared/data")
def test_whole_sites_become_a_data_set(tmp_path):
    """The development sites: crawl, refine, export, load."""
    pytest.importorskip("datasets")
    hosts, files = [], []
    for path in sorted(SITES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            hosts.append(json.loads(next(file))["url"].split("/")[2])
        files.append(path)
    (tmp_path / "hosts.txt").write_text("".join(f"{host}\n" for host in hosts))
    replay = [word for path in files for word in ("--replay", path)]
    corpus, out = tmp_path / "corpus", tmp_path / "out"
    run("crawl", tmp_path / "hosts.txt", "--out", corpus, *replay, "--levels", "3", "--quiet",
        "--set", "robots=no")  # fmt: skip
    refined = run("refine", corpus)
    report = run("export", corpus, "--out", out)
    rows = arrow_rows(out)
    assert refined["documents"] == report["pages"] > 3000
    assert len(rows) + sum(report["left_out"].values()) == report["pages"]
    assert rows_of(DATASETS, out, tmp_path=tmp_path) == rows
    found = duckdb.sql(f"FROM '{out}/data/*.parquet'").to_arrow_table().to_pylist()
    assert found == rows
