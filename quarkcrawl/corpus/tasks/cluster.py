"""Which tasks of a job are done here: one of them, or all by a cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus.tasks.plan import check_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quarkcrawl.corpus.tasks.folder import TaskFolder, TaskTotals
    from quarkcrawl.corpus.tasks.plan import TaskMark
    from quarkcrawl.corpus.tasks.run import TaskReport
    from quarkcrawl.engines import Cluster


_PAGES_PER_TASK: Final = 5000


@dataclass(frozen=True, slots=True)
class AllTasks:
    """All tasks of a job, which a cluster does.

    Args:
        cluster: Ray or Spark.
        n_tasks: how many there are; 0: as many as are under way, or else by the number of inputs,
            and at least one a core.
    """

    cluster: Cluster
    n_tasks: int = 0

    def count(self, folder: TaskFolder, n_inputs: int, per_task: int = _PAGES_PER_TASK) -> int:
        """How many tasks there are.

        Args:
            folder: where they may be under way.
            n_inputs: about how many inputs the job has.
            per_task: how many of them a task does.
        """
        if self.n_tasks:
            return self.n_tasks
        plan = folder.plan() if folder.is_under_way() else None
        if plan is not None:
            return plan.order.n_tasks
        return max(self.cluster.n_cores, -(-n_inputs // per_task))

    def run(self, folder: TaskFolder, run: Callable[[Path, int], TaskMark]) -> TaskTotals:
        """Let the cluster do the tasks that are not done, and publish what they have made.

        Args:
            folder: the tasks.
            run: does a task, see `do_task`; goes to other machines.

        Raises:
            EngineError: the cluster gave up; what is done stays.
            StoreError: the folder cannot be written.
        """
        for _ in self.cluster.each(partial(_done, folder.home, run=run), folder.missing()):
            pass
        return folder.finish()


Task: TypeAlias = "tuple[int, int] | AllTasks"
"""Number of a task, from 0, and how many there are; or all of them."""


def _done(home: Path, number: int, run: Callable[[Path, int], TaskMark]) -> str:
    """What a worker tells: that a task is done. Its mark is in the folder, as are the rows."""
    return str(run(home, number).task)


def number_of(
    task: Task, folder: TaskFolder, n_inputs: Callable[[], int], per_task: int = _PAGES_PER_TASK
) -> tuple[int | None, int]:
    """Which task is meant, None for all, and how many there are.

    Args:
        task: what was asked for.
        folder: where tasks may be under way.
        n_inputs: tells about how many inputs the job has.
        per_task: how many of them a task of a cluster does.

    Raises:
        InputError: there is no such task.
    """
    if isinstance(task, AllTasks):
        return None, task.n_tasks or task.count(folder, n_inputs(), per_task)
    check_task(*task)
    return task


def pool_of(task: Task, pool: PoolOptions | None) -> PoolOptions:
    """The processes of a task: on a cluster, where a task has a core, one unless it was said.

    Args:
        task: what was asked for.
        pool: what was said.
    """
    pool = pool or PoolOptions()
    return replace(pool, workers=pool.workers or 1) if isinstance(task, AllTasks) else pool


def do_task(
    task: Task, folder: TaskFolder, report: TaskReport, run: Callable[[Path, int], TaskMark]
) -> TaskReport:
    """Do a task that is planned, and publish the rows of all if it was the last; or do all.

    Args:
        task: which of them.
        folder: the tasks.
        report: what is known before.
        run: does a task: `run_task` with a job. To a cluster it goes as it is.

    Raises:
        InputError: there is no such task.
        EngineError: the cluster gave up; what is done stays.
        StorageFullError: no room; parts that are whole stay.
        StoreError: the folder cannot be written.
    """
    if isinstance(task, AllTasks):
        totals = task.run(folder, run)
        return replace(report, rows=totals.rows, counts=totals.counts)
    mark = run(folder.home, task[0])
    folder.publish()
    return replace(report, rows=mark.rows, counts=mark.counts, missing=len(folder.missing()))
