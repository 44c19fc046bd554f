"""Commands on pages that a cluster runs; each opens one of its own."""

from __future__ import annotations

import importlib.util
import json
from contextlib import nullcontext

import pytest

from quarkcrawl import engines
from quarkcrawl.cli import main
from quarkcrawl.engines import RayCluster
from tests.corpus.archive.commoncrawl import make_archive
from tests.corpus.archive.test_extract import rows_of
from tests.corpus.tasks import pagetables
from tests.refine import corpora as refined
from tests.refine.test_job import labels

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]


@pytest.fixture
def pages(tmp_path):
    """A corpus with models of its classes and fields."""
    pagetables.make_corpus(tmp_path / "corpus", 30)
    pagetables.make_models(tmp_path)
    return tmp_path / "corpus"


@pytest.fixture
def texts(tmp_path):
    """A corpus with an extraction."""
    root = tmp_path / "texts"
    refined.make_corpus(root)
    refined.extract(root)
    return root


def told(capsys, *words):
    """What a command prints last."""
    assert main([str(word) for word in words]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_on_spark(cluster_process, pages, texts, tmp_path, capsys):
    cluster_process.ready()
    spark = ["--engine", "spark", "--spark-master", cluster_process.url]
    model = pagetables.model_of("classes", tmp_path)
    report = told(capsys, "classify", "apply", pages, "--model", model, *spark, "--tasks", "3")
    assert (report["task"], report["n_tasks"], report["missing"]) == (None, 3, 0)
    assert report["rows"] == len(pagetables.rows("classes", pages)) == 30
    report = told(capsys, "refine", texts, "--no-duplicates", "--no-repeats", *spark)
    assert report["labelled"] == len(labels(texts)) > 10


def test_on_ray_that_the_command_starts(pages, tmp_path, capsys):
    if importlib.util.find_spec("ray") is None:
        pytest.skip("ray is not installed (extra ray)")
    model = pagetables.model_of("fields", tmp_path)
    words = ["template", "apply", model, pages, "--engine", "ray", "--tasks", "2"]
    report = told(capsys, *words)
    assert (report["n_tasks"], report["rows"]) == (2, len(pagetables.rows("fields", pages)))


@pytest.fixture(scope="module")
def shared_ray():
    """One cluster for some commands: starting it takes longer than what they do."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("ray is not installed (extra ray)")
    with RayCluster(n_cores=2) as cluster:
        yield cluster


def test_on_ray(shared_ray, texts, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(engines, "RayCluster", lambda _: nullcontext(shared_ray))
    ray = ["--engine", "ray", "--tasks", "2"]
    report = told(capsys, "refine", texts, "--no-duplicates", "--no-repeats", *ray)
    assert report["labelled"] == len(labels(texts)) > 10
    words = ["corpus", "near", texts, "--extraction", "default"]
    assert told(capsys, *words, *ray)["texts"] > 10
    archive = make_archive(tmp_path / "cc", n_files=2, n_pages=4, damaged_every=99, n_hosts=4)
    words = ["extract", archive.paths, "--base", archive.root, "--out", tmp_path / "rows"]
    report = told(capsys, *words, "--method", "quark", "--in-process", *ray)
    assert report["n_tasks"] == 2
    assert len(rows_of(tmp_path / "rows")) == report["rows"] > 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["classify", "apply", "C", "--model", "M", "--tasks", "2"], "needs --engine spark or ray"),
        (["classify", "apply", "F", "--model", "M", "--engine", "ray"], "is for a corpus"),
        (
            ["classify", "apply", "C", "--model", "M", "--engine", "ray", "--task", "0/2"],
            "a cluster does all tasks by itself",
        ),
        (["template", "apply", "T", "C", "--engine", "spark"], "needs --spark-master"),
        (["template", "apply", "T", "F", "--engine", "ray"], "is for a corpus"),
        (["template", "apply", "T", "C", "--tasks", "2", "--finish"], "a cluster does all tasks"),
        (["corpus", "near", "C", "--tasks", "2"], "needs --engine ray"),
        (["corpus", "near", "C", "--ray-address", "auto"], "needs --engine ray"),
        (["corpus", "near", "C", "--engine", "ray", "--partitions", "2"], "needs --engine spark"),
        (["refine", "C", "--tasks", "2"], "needs --engine spark or ray"),
        (["refine", "C", "--engine", "ray", "--task", "0/2"], "a cluster does all tasks"),
        (["refine", "C", "--ray-address", "auto"], "needs --engine ray"),
    ],
)
def test_what_the_commands_refuse(pages, tmp_path, capsys, words, message):
    (tmp_path / "page.html").write_text("<p>页</p>")
    paths = {
        "C": pages,
        "F": tmp_path / "page.html",
        "T": pagetables.model_of("fields", tmp_path),
        "M": pagetables.model_of("classes", tmp_path),
    }
    assert main([str(paths.get(word, word)) for word in words]) in {1, 2}
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())
