"""Labels as tasks: the same rows as one run, which then does what compares texts."""

import json
import os
import shutil
import signal

import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus.tasks import PartLimits, TaskOrder
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.refine import RefineOptions, finish_labels, label_table, refine_task
from quarkcrawl.refine import astasks as module
from tests.corpus.tasks.processes import started
from tests.refine.corpora import POOL, add, body, extract, make_corpus, refine
from tests.refine.test_job import labels


@pytest.fixture(scope="module")
def extracted(tmp_path_factory):
    root = tmp_path_factory.mktemp("extracted") / "corpus"
    make_corpus(root)
    extract(root)
    return root


@pytest.fixture
def root(extracted, tmp_path):
    return shutil.copytree(extracted, tmp_path / "corpus")


def task(root, number, n_tasks, options=None):
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        return refine_task(engine, root, options or RefineOptions(), (number, n_tasks), POOL)


def small_parts():
    module.TaskOrder = lambda *order: TaskOrder(*order, limits=PartLimits(2, 1 << 20))


def dying(root, number, n_tasks, died_at):
    """Killed before the document `died_at`."""
    small_parts()
    label, seen = module.label_stored, []

    def label_stored(document, **more):
        seen.append(document)
        if len(seen) > died_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return label(document, **more)

    module.label_stored = label_stored
    task(root, number, n_tasks)


@pytest.mark.full
def test_tasks_of_which_some_are_killed_make_the_labels_of_one_run(extracted, root, tmp_path):
    one = shutil.copytree(extracted, tmp_path / "one")
    refine(one)
    for number, died_at in ((2, 3), (0, 0), (1, 5)):
        process = started(dying, root, number, 3, died_at)
        process.join(600)
        assert process.exitcode == -signal.SIGKILL
    reports = [task(root, number, 3) for number in range(3)]
    assert [report.missing for report in reports] == [2, 1, 0]
    assert labels(root) == labels(one)
    assert finish_labels(root).rows == len(labels(one))
    report = refine(root)  # duplicates and repeats are left to it
    assert (report.labelled, report.done_before) == (0, len(labels(one)))
    assert labels(root) == labels(one)


@pytest.mark.full
def test_one_plan_and_clear_words(root):
    task(root, 0, 2)
    with pytest.raises(ConfigError, match="under way are 2 tasks, not 4"):
        task(root, 1, 4)
    with pytest.raises(ConfigError, match='tasks with method = "default", not "quark"'):
        task(root, 1, 2, RefineOptions("quark"))
    with pytest.raises(StoreError, match=r"tasks are under way \(1 of 2 are done\)"):
        refine(root)
    with pytest.raises(StoreError, match="1 tasks are not done: 1"):
        finish_labels(root)
    task(root, 1, 2)
    n_labels = len(labels(root))
    assert task(root, 0, 2).missing == 0
    add(root, {f"http://www.lab.cn/{number}.html": body(number) for number in (100, 101, 102)})
    extract(root)
    reports = [task(root, number, 2) for number in range(2)]  # the pages that were added
    assert sum(report.rows for report in reports) == 3
    assert len(labels(root)) == n_labels + 3


def test_the_command(root, capsys):
    words = ["refine", str(root), "--in-process"]
    for number in range(2):
        assert main([*words, "--task", f"{number}/2"]) == 0
        assert json.loads(capsys.readouterr().out)["missing"] == 1 - number
    assert main([*words, "--finish"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == len(labels(root))
    assert main([*words, "--task", "0/2", "--restart"]) == 2
    assert label_table(root).files()
