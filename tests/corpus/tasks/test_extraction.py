"""An extraction as tasks: the same rows, one plan, clear words for what does not fit."""

import json
import shutil

import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.cli import main
from quarkcrawl.corpus import (
    ExtractionOptions,
    extract_corpus,
    extract_task,
    extractions,
    finish_extraction,
)
from quarkcrawl.corpus.extraction import ResultFolder, astasks
from quarkcrawl.corpus.tasks import TaskFolder, run_task
from quarkcrawl.errors import ConfigError, CorpusLockedError, InputError, StoreError
from quarkcrawl.store import CorpusLock
from tests.corpus import toys
from tests.corpus.corpora import add_pages, assert_complete, rows_of
from tests.corpus.sitepages import articles, copies, store
from tests.corpus.tasks.processes import IN_PROCESS, QUARK, small_parts


def task(root, number, n_tasks, options=QUARK, **more):
    return extract_task(root, options, (number, n_tasks), pool=IN_PROCESS, **more)


def folder(root, method="quark"):
    return ResultFolder(root / "analysis" / "extractions" / method).tasks[1]


@pytest.fixture
def root(tmp_path):
    add_pages(tmp_path / "corpus", range(30))
    return tmp_path / "corpus"


@pytest.mark.full
def test_all_tasks_make_the_rows_of_one_run(root, tmp_path, monkeypatch):
    small_parts(monkeypatch)
    extract_corpus(root, QUARK, out=tmp_path / "one", pool=IN_PROCESS)
    reports = [task(root, number, 7) for number in (3, 0, 6, 1, 2, 5, 4)]
    assert [report.missing for report in reports] == [6, 5, 4, 3, 2, 1, 0]
    assert sum(report.rows for report in reports) == 30
    assert all(report.rows for report in reports)
    assert_complete(root)
    assert rows_of(root) == rows_of(root, out=tmp_path / "one")
    order = [("bucket", "ascending"), ("host", "ascending"), ("offset", "ascending")]
    ours, theirs = extractions(root, "quark"), extractions(root, "quark", out=tmp_path / "one")
    assert ours.to_table().sort_by(order).equals(theirs.to_table().sort_by(order))


def test_a_task_that_is_done_returns_at_once(root, monkeypatch):
    first = task(root, 0, 2)
    with monkeypatch.context() as patch:
        patch.setattr(astasks, "map_pages", None)  # no page is done again
        assert task(root, 0, 2) == first
    done = task(root, 1, 2)
    with monkeypatch.context() as patch:
        patch.setattr(astasks, "map_pages", None)
        assert task(root, 0, 2).rows == first.rows
        assert task(root, 1, 2) == done
    assert_complete(root)


@pytest.mark.full
def test_more_tasks_than_pages(root):
    reports = [task(root, number, 40) for number in range(40)]
    assert sorted({report.rows for report in reports}) == [0, 1]
    assert_complete(root)


def crashing(page, root, plan):
    """As `toys.quick`, but two pages do not bear it."""
    wrong = {"/p3.html": toys.do_segfault, "/p7.html": toys.do_raise}
    return next((do() for end, do in wrong.items() if page.url.endswith(end)), None) or toys.quick(
        page, root, plan
    )


@pytest.mark.full
def test_failures_are_rows_and_are_counted(root, monkeypatch):
    job = astasks.ExtractionTasks.job

    def unlucky(self, phase, pool):
        made = job(self, phase, pool)
        return astasks.PagesJob(made.root, made.options, made.pool, crashing)

    monkeypatch.setattr(astasks.ExtractionTasks, "job", unlucky)
    pool = PoolOptions(workers=2)
    counts = [extract_task(root, QUARK, (n, 2), pool=pool).counts for n in range(2)]
    added = {name: sum(one.get(name, 0) for one in counts) for one in counts for name in one}
    assert added == {"crash": 1, "error": 1}
    assert folder(root).totals().counts == added
    monkeypatch.undo()
    again = [task(root, n, 3, retry_failed=True) for n in range(3)]
    assert sum(report.rows for report in again) == 2
    assert {row["failure"] for row in rows_of(root).values()} == {None}


# One plan


def test_other_tasks_are_refused_while_some_are_under_way(root):
    task(root, 0, 2)
    with pytest.raises(ConfigError, match="under way are 2 tasks, not 3; finish them or delete"):
        task(root, 0, 3)
    with pytest.raises(ConfigError, match="tasks with spans = false, not true"):
        task(root, 1, 2, ExtractionOptions("quark", spans=True, site_pages=0))
    with pytest.raises(InputError, match="3/3: is no task: of 3 the first is 0/3, the last 2/3"):
        task(root, 3, 3)
    with pytest.raises(StoreError, match=r"tasks are under way \(1 of 2 are done\)"):
        extract_corpus(root, QUARK, pool=IN_PROCESS)
    with pytest.raises(StoreError, match="1 tasks are not done: 1"):
        finish_extraction(root, "quark")
    task(root, 1, 2)
    assert extract_corpus(root, QUARK, pool=IN_PROCESS).done_before == 30


@pytest.mark.full
def test_a_part_that_is_gone_is_made_again_by_the_same_tasks(root):
    for number in range(2):
        task(root, number, 2)
    gone = folder(root).results / next(new for _, new in folder(root)._read_moves())
    gone.unlink()
    assert len(rows_of(root)) < 30
    for number in range(2):
        task(root, number, 2)
    assert_complete(root)


class Late:
    """A job to which something happens before its first row."""

    def __init__(self, job, happen):
        self.job, self.happen, self.schema, self.counted = job, happen, job.schema, job.counted

    def rows(self, inputs):
        rows = self.job.rows(inputs)
        first = next(rows)
        self.happen()
        yield first
        yield from rows


@pytest.mark.full
def test_a_copy_that_outlives_its_plan_writes_into_no_other(root):
    """The tasks were given up while a worker was at one, and others are under way."""
    task(root, 0, 2)
    tasks = folder(root)
    job = astasks.PagesJob(str(root), QUARK, IN_PROCESS)

    def give_up():
        shutil.rmtree(tasks.path)
        task(root, 0, 2)

    with pytest.raises(StoreError):
        run_task(tasks.results, 1, Late(job, give_up))
    assert tasks.missing() == [1]
    assert list(tasks.path.rglob("parts/000001/*")) == []
    task(root, 1, 2)
    assert_complete(root)


@pytest.mark.full
def test_publishing_looks_again_at_what_is_missing(root, monkeypatch):
    """Others may have planned new tasks while it waited for the lock."""
    task(root, 0, 2)
    answers = iter([[], [1]])
    monkeypatch.setattr(TaskFolder, "missing", lambda _: next(answers))
    assert folder(root).publish() is None
    monkeypatch.undo()
    task(root, 1, 2)
    assert_complete(root)


@pytest.mark.full
def test_restart_forgets_tasks(root):
    task(root, 0, 2)
    assert extract_corpus(root, QUARK, pool=IN_PROCESS, restart=True).extracted == 30
    assert_complete(root)
    with pytest.raises(StoreError, match="there are no tasks to finish"):
        finish_extraction(root, "quark")


@pytest.mark.full
def test_the_plan_holds_for_pages_that_are_added_meanwhile(root):
    task(root, 0, 2)
    add_pages(root, range(30, 40))
    task(root, 1, 2)
    assert len(rows_of(root)) == 30
    assert [task(root, number, 4).rows > 0 for number in range(4)] == [True] * 4
    assert_complete(root)
    assert folder(root).totals().about["done_before"] == 30
    assert task(root, 1, 2).rows == 0  # nothing is left for other tasks


@pytest.mark.full
def test_pages_that_have_rows_are_not_planned(root):
    extract_corpus(root, QUARK, pool=IN_PROCESS)
    assert task(root, 0, 4).missing == 0
    assert folder(root).plan() is None


@pytest.mark.full
def test_not_beside_an_extraction_that_is_no_task(root):
    task(root, 0, 2)
    with CorpusLock(root / "analysis" / "extractions"):
        task(root, 1, 2)  # the plan is there: nothing but its own files is written
    with CorpusLock(root / "analysis" / "extractions"), pytest.raises(CorpusLockedError):
        task(root, 0, 2, ExtractionOptions(site_pages=0), out=None)


@pytest.mark.full
def test_a_part_that_was_changed_is_told(root):
    task(root, 0, 2)
    part = next(folder(root).path.rglob("parts/*/*.parquet"))
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(StoreError, match="is not as noted; delete this mark"):
        task(root, 1, 2)
    next(folder(root).path.rglob("marks/000000.json")).unlink()
    part.unlink()
    task(root, 0, 2)
    assert_complete(root)


# What hosts repeat


@pytest.mark.full
def test_what_hosts_repeat_is_learned_by_tasks_first(tmp_path):
    root, options = tmp_path / "corpus", ExtractionOptions()
    store(root, "noted.cn", articles(24))
    store(root, "mirror.cn", copies(24))
    store(root, "small.cn", articles(5))
    one = extract_corpus(root, out=tmp_path / "one", pool=IN_PROCESS)
    out = tmp_path / "many"
    with pytest.raises(ConfigError, match="has to be learned first: --learn-sites"):
        task(root, 0, 3, options, out=out)
    learned = [task(root, n, 3, options, out=out, phase="sites") for n in range(3)]
    assert sum(report.rows for report in learned) == 2  # hosts
    reports = [task(root, n, 3, options, out=out) for n in range(3)]
    assert sum((report.counts or {}).get("shortened", 0) for report in reports) == one.shortened > 0
    ours, theirs = (rows_of(root, "default", out=tmp_path / name) for name in ("many", "one"))
    assert ours == theirs
    # A run that is no task knows what the tasks have learned, and adds to it.
    store(root, "noted.cn", articles(4, start=24), start=24)
    for where in ("one", "many"):
        more = extract_corpus(root, out=tmp_path / where, pool=IN_PROCESS)
        assert more.site_pages_read == 28
    ours, theirs = (rows_of(root, "default", out=tmp_path / name) for name in ("many", "one"))
    assert ours == theirs


# The command


def test_the_command(root, capsys):
    words = ["extract", str(root), "--method", "quark", "--site-pages", "0", "--in-process"]
    for number in range(3):
        assert main([*words, "--task", f"{number}/3"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["task"], report["n_tasks"], report["missing"]) == (number, 3, 2 - number)
    assert main([*words, "--finish"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 30
    assert_complete(root)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--task", "3"], "is not like 0/32"),
        (["--task", "3/3"], "counted from 0/3 to 2/3"),
        (["--task", "0/3", "--restart"], "not with --task"),
        (["--task", "0/3", "--finish"], "not with --task"),
        (["--task", "0/3", "--engine", "ray"], "not with --task"),
        (["--learn-sites"], "is for tasks"),
        (["--tasks", "7"], "needs --engine spark or ray"),
        (["--finish", "--learn-sites"], "not with --task"),
        (["--failures", "--task", "0/3"], "is for the extraction of a corpus"),
        (["--ray-address", "auto"], "--ray-address needs --engine ray"),
        (["--engine", "ray", "--spark-master", "local[1]"], "needs --engine spark"),
        (["--finish"], "there are no tasks to finish"),
    ],
)
def test_what_the_command_refuses(root, capsys, words, message):
    assert main(["extract", str(root), "--method", "quark", *words]) in {1, 2}
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert message in said
