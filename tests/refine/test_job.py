"""Labels of a corpus: every text once, after kills, new pages and changed texts."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import ConfigError, CorpusLockedError, StoreError
from quarkcrawl.refine import RefineOptions, label_table, view_documents
from quarkcrawl.store import CorpusLock
from tests.refine.corpora import HOSTS, SHORT, add, body, extract, make_corpus, refine


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "corpus"
    make_corpus(root)
    extract(root)
    report = refine(root)
    return root, report


@pytest.fixture
def root(made, tmp_path):
    return shutil.copytree(made[0], tmp_path / "corpus")


def labels(root: Path) -> dict[str, dict]:
    rows = ds.dataset([str(path) for path in label_table(root).files()]).to_table().to_pylist()
    by_url = {row["url"]: row for row in rows}
    assert len(by_url) == len(rows)
    return by_url


def documents(root: Path, tmp_path: Path, method: str = "default") -> dict[str, dict]:
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        view_documents(engine, root, method, tmp_path / "work")
        rows = engine.fetch("SELECT * FROM documents").to_pylist()
    by_url = {row["url"]: row for row in rows}
    assert len(by_url) == len(rows)
    return by_url


def test_every_document_has_labels_of_its_own_text(made, tmp_path):
    root, report = made
    texts = documents(root, tmp_path)
    rows = labels(root)
    assert rows.keys() == texts.keys()
    assert report.documents == report.labelled == len(rows) == 31
    assert not report.failures
    assert not report.removed
    assert not report.done_before
    for url, row in rows.items():
        assert row["text_md5"] == texts[url]["text_md5"]
        assert row["n_chars"] == len(texts[url]["text"])
        assert row["failure"] is None
    assert rows[SHORT]["n_chars"] < 100


def test_the_same_command_again_has_nothing_to_do(root):
    before = labels(root)
    report = refine(root)
    assert (report.labelled, report.removed, report.done_before) == (0, 0, len(before))
    assert labels(root) == before


@pytest.mark.full
def test_new_pages_are_added_and_changed_texts_labeled_anew(root, tmp_path):
    before = labels(root)
    changed = f"http://{HOSTS[0]}/0.html"
    add(root, {changed: body(500), f"http://{HOSTS[1]}/new.html": body(501)})
    extract(root)
    report = refine(root)
    assert (report.labelled, report.removed) == (2, 1)
    after = labels(root)
    assert after.keys() == before.keys() | {f"http://{HOSTS[1]}/new.html"}
    assert after[changed]["text_md5"] != before[changed]["text_md5"]
    texts = documents(root, tmp_path)
    assert {url: row["text_md5"] for url, row in after.items()} == {
        url: row["text_md5"] for url, row in texts.items()
    }


def test_texts_come_from_extraction_before_cleaning_before_crawl(root, tmp_path):
    url = f"http://{HOSTS[0]}/0.html"
    extracted = documents(root, tmp_path)[url]["text"]
    folder = root / "analysis" / "extractions" / "default"
    for path in folder.rglob("*.parquet"):
        table = pq.read_table(path)
        texts = [f"cleaned {text}" for text in table["content_text"].to_pylist()]
        place = table.schema.get_field_index("content_text")
        target = root / "analysis" / "cleaned" / path.relative_to(root / "analysis" / "extractions")
        target.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table.set_column(place, "content_text", [texts]), target)
    assert documents(root, tmp_path)[url]["text"] == extracted
    shutil.rmtree(folder)
    assert documents(root, tmp_path)[url]["text"] == f"cleaned {extracted}"
    shutil.rmtree(root / "analysis" / "cleaned")
    with pytest.raises(StoreError, match="no texts by the method 'default'"):
        documents(root, tmp_path)


@pytest.mark.full
def test_other_options_need_a_restart(root, tmp_path):
    extract(root)
    with pytest.raises(ConfigError, match="--restart"):
        refine(root, RefineOptions(method="default", labels=_other(tmp_path)))
    report = refine(root, RefineOptions(labels=_other(tmp_path)), restart=True)
    assert report.labelled == 31


def _other(tmp_path):
    from quarkcrawl.refine import LabelOptions

    path = tmp_path / "bench.txt"
    path.write_text(
        "这是一道谁也没有见过的题目，它只在这个测试里出现，所以没有哪个网页会包含它的文字。\n"
    )
    return LabelOptions(benchmarks=(path,))


def test_two_runs_at_once_are_refused(root):
    with CorpusLock(label_table(root).path.parent), pytest.raises(CorpusLockedError):
        refine(root)


def test_a_broken_part_is_named(root):
    path = label_table(root).files()[0]
    path.write_bytes(b"PAR1 no parquet")
    with pytest.raises(StoreError, match=path.name):
        refine(root)


@pytest.mark.timeout(200)
@pytest.mark.full
def test_a_run_that_is_killed_goes_on(made, tmp_path):
    root = shutil.copytree(made[0], tmp_path / "corpus")
    shutil.rmtree(label_table(root).path.parent)
    command = [sys.executable, "-m", "quarkcrawl", "refine", str(root), "--workers", "1"]
    for delay_s in (1.0, 1.6, 2.2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(delay_s)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["done_before"] + report["labelled"] == 31
    rows = labels(root)
    reference = labels(made[0])
    assert rows == reference
