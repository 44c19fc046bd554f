"""The funnel of a data set before it is written, against the data set."""

import hashlib
from collections import Counter

import pyarrow.dataset as ds
import pytest

from quarkcrawl.dataset import AFTERWARDS, ALWAYS, COPIES, RULES, export_dataset, refinement
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import StoreError
from quarkcrawl.store import CorpusWriter
from tests.refine.corpora import add, body, extract, make_labeled


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "corpus"
    make_labeled(root)
    add(root, {"http://late.lab.cn/": body(900)})  # no labels yet
    extract(root)
    return root


def test_the_funnel_is_what_an_export_leaves_out(root, tmp_path):
    before = sorted(path for path in root.rglob("*") if path.is_file())
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        found = refinement(engine, root, tmp_path / "found")
    assert sorted(path for path in root.rglob("*") if path.is_file()) == before
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        report = export_dataset(engine, root, tmp_path / "out")
    assert [step.reason for step in found.steps] == [r.reason for r in (*ALWAYS, *RULES, *COPIES)]
    afterwards = {rule.reason for rule in AFTERWARDS}
    asked = {reason: n for reason, n in report.left_out.items() if reason not in afterwards}
    assert {step.reason: step.dropped for step in found.steps if step.dropped} == asked
    assert {"no_text", "short", "duplicate", "unlabelled"} <= asked.keys()
    left = found.documents
    for step in found.steps:
        left -= step.dropped
        assert step.left == left
    later = sum(n for reason, n in report.left_out.items() if reason in afterwards)
    assert left == sum(report.documents.values()) + later
    assert found.documents == report.pages


def test_each_document_is_there_with_its_reason_and_the_values_are_counted(root, tmp_path):
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        found = refinement(engine, root, tmp_path)
    rows = ds.dataset(str(tmp_path / "decided")).to_table().to_pylist()
    assert len({row["url"] for row in rows}) == len(rows) == found.documents
    drawn = sorted(rows, key=lambda row: hashlib.md5(row["url"].encode()).hexdigest())
    assert [row["url"] for row in rows] == [row["url"] for row in drawn]
    kept = [row for row in rows if row["reason"] is None]
    assert len(kept) == found.steps[-1].left
    languages = Counter(row["language"] for row in rows if row["language"])
    assert dict(found.labels["language"]) == languages
    failed = Counter(code for row in rows for code in row["heuristics"] or ())
    assert dict(found.labels.get("heuristics", ())) == failed
    assert "contaminated" not in found.labels  # no benchmark was given
    assert all(n > 0 for values in found.labels.values() for _, n in values)


def test_a_corpus_without_labels_is_refused(tmp_path):
    with CorpusWriter(tmp_path / "corpus"):
        pass
    with DuckEngine(memory_bytes=256 << 20) as engine, pytest.raises(StoreError, match="no labels"):
        refinement(engine, tmp_path / "corpus", tmp_path / "out")
