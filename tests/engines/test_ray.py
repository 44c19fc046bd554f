"""Tasks on a local cluster of Ray, whose workers are killed."""

from __future__ import annotations

import importlib.util
import json
import random
from functools import partial

import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.cli import main
from quarkcrawl.corpus import extract_corpus
from quarkcrawl.corpus.extraction import PagesJob, astasks
from quarkcrawl.corpus.tasks import run_task
from quarkcrawl.engines import RayCluster
from quarkcrawl.errors import EngineError
from quarkcrawl.store import Corpus
from quarkcrawl.template.site import SiteRules
from tests.corpus.corpora import add_pages, rows_of
from tests.corpus.tasks.processes import IN_PROCESS, QUARK, dying_once, small_parts
from tests.corpus.tasks.test_kills import all_rows, make_corpus

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def ray():
    if importlib.util.find_spec("ray") is None:
        pytest.skip("ray is not installed (extra ray)")
    with RayCluster(n_cores=2) as cluster:
        yield cluster


def done(number, results, job):
    return run_task(results, number, job).encode().decode()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_32_tasks_with_8_workers_killed_and_three_copies_of_one(ray, tmp_path, monkeypatch):
    root = make_corpus(tmp_path / "corpus", 400)
    extract_corpus(root, QUARK, out=tmp_path / "one", pool=IN_PROCESS)
    expected = all_rows(root, tmp_path / "one")
    seen = tmp_path / "seen"
    seen.mkdir()
    small_parts(monkeypatch)
    out = tmp_path / "many"
    corpus = Corpus.open(root)
    results = astasks.ResultFolder(astasks.writable_base(root, out) / "quark")
    tasks = astasks.ExtractionTasks(corpus, results, QUARK, astasks.ChosenPages(), SiteRules())
    assert tasks.plan("pages", 32).order.n_tasks == 32
    urls = frozenset(random.Random(7).sample(sorted(expected), 8))
    killed = partial(dying_once, folder=str(seen), urls=urls)
    job = PagesJob(str(root), QUARK, IN_PROCESS, killed)
    function = partial(done, results=results.path, job=job)
    marks = [json.loads(mark) for mark in ray.each(function, [*range(32), 5, 5])]
    assert len(list(seen.iterdir())) == 8
    assert sorted(mark["task"] for mark in marks) == sorted([*range(32), 5, 5])
    assert len({json.dumps(mark) for mark in marks if mark["task"] == 5}) == 1
    assert not list(results.path.glob("bucket=*"))
    totals = tasks.folder("pages").finish()
    assert totals.rows == len(expected)
    assert all_rows(root, out) == expected


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_an_extraction_with_what_hosts_repeat(ray, tmp_path):
    root = tmp_path / "corpus"
    add_pages(root, range(60))
    one = extract_corpus(root, out=tmp_path / "one", pool=PoolOptions(in_process=True))
    report = extract_corpus(root, out=tmp_path / "ray", cluster=ray, n_tasks=5)
    assert (report.pages, report.extracted, report.site_pages_read) == (60, 60, 60)
    assert report.shortened == one.shortened
    assert rows_of(root, "default", out=tmp_path / "ray") == rows_of(
        root, "default", out=tmp_path / "one"
    )
    again = extract_corpus(root, out=tmp_path / "ray", cluster=ray, n_tasks=5)
    assert (again.pages, again.extracted, again.done_before) == (60, 0, 60)


def test_missing_ray(monkeypatch, tmp_path, capsys):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *more: None if name == "ray" else find_spec(name)
    )
    with pytest.raises(EngineError, match=r"pip install 'quarkcrawl\[ray\]'"):
        RayCluster()
    add_pages(tmp_path, range(3))
    assert main(["extract", str(tmp_path), "--engine", "ray"]) == 1
    assert "Ray is not installed" in capsys.readouterr().err
