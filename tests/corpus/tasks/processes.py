"""Tasks of an extraction in processes of their own that may die at a chosen moment."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from functools import partial
from pathlib import Path

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_task
from quarkcrawl.corpus.extraction import PagesJob, astasks
from quarkcrawl.corpus.extraction.page import extract_stored
from quarkcrawl.corpus.tasks import PartLimits, TaskOrder
from tests import forked  # sets what the fork server loads

__all__ = [
    "QUARK",
    "dying_at_operation",
    "dying_at_page",
    "dying_once",
    "mortal",
    "small_parts",
    "started",
]

QUARK = ExtractionOptions("quark", site_pages=0)
IN_PROCESS = PoolOptions(in_process=True)
CONTEXT = multiprocessing.get_context("forkserver")
assert forked


def small_parts(monkeypatch=None, module=astasks) -> None:
    """Parts of three pages, so that a task has many."""
    order = partial(TaskOrder, limits=PartLimits(3, 1 << 20))
    if monkeypatch is None:
        module.TaskOrder = order
    else:
        monkeypatch.setattr(module, "TaskOrder", order)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def mortal(function, died_at: int | None, barrier: object = None):
    """The function; before its call `died_at` the process is killed."""
    n_calls = 0

    def call(*arguments, **more):
        nonlocal n_calls
        if n_calls == 0 and barrier is not None:
            barrier.wait(300)  # all copies are at work
        if n_calls == died_at:
            die()
        n_calls += 1
        return function(*arguments, **more)

    return call


def dying_at_page(
    root: Path, out: Path, task: tuple[int, int], died_at: int | None, barrier: object = None
) -> None:
    """Do a task; before page `died_at` the process is killed."""
    small_parts()
    function = mortal(extract_stored, died_at, barrier)
    astasks.ExtractionTasks.job = lambda self, phase, pool: PagesJob(
        str(root), QUARK, pool, function
    )
    report = extract_task(root, QUARK, task, out=out, pool=IN_PROCESS)
    (out.parent / f"report-{task[0]}-{os.getpid()}.json").write_text(json.dumps(report.rows))


def dying_at_operation(root: Path, out: Path, n_tasks: int, died_at: int | None) -> None:
    """Do all tasks one after the other; killed before the operation `died_at` on files."""
    small_parts()
    n_done = 0

    def counting(function):
        def call(*arguments, **more):
            nonlocal n_done
            if n_done == died_at:
                die()
            n_done += 1
            return function(*arguments, **more)

        return call

    for name in ("link", "rename", "fsync", "unlink", "mkdir", "rmdir"):
        setattr(os, name, counting(getattr(os, name)))
    for number in range(n_tasks):
        extract_task(root, QUARK, (number, n_tasks), out=out, pool=IN_PROCESS)


def dying_once(page, root, plan, folder, urls):
    """As `extract_stored`; the first process that comes to one of some pages is killed."""
    if page.url in urls:
        name = page.url.replace("/", "_")
        try:
            (Path(folder) / name).touch(exist_ok=False)
            die()
        except FileExistsError:
            pass
    return extract_stored(page, root, plan)


def started(function, *arguments):
    """A process that has begun."""
    process = CONTEXT.Process(target=function, args=arguments)
    process.start()
    return process
