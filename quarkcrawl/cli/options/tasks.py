"""Options of jobs that run as tasks: by hand, or on a cluster."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.corpus.tasks import Task
    from quarkcrawl.engines import Cluster


OneTask = Annotated[
    str, Option("--task", metavar="K/N", help="Do task K of N, counted from 0, and no other.")
]
FinishTasks = Annotated[
    bool, Option("--finish", help="Publish what all tasks have made; the last one does so itself.")
]
NumberOfTasks = Annotated[
    int,
    Option("--tasks", min=0, help="How many tasks on a cluster; 0: by the number of pages."),
]
ClusterName = Literal["local", "spark", "ray"]
"""What can run a job of pages."""

PageEngine = Annotated[
    ClusterName,
    Option("--engine", help="What runs the job: this machine, or a cluster."),
]
RayAddress = Annotated[
    str,
    Option(
        "--ray-address",
        metavar="ADDRESS",
        help="Cluster, for --engine ray.",
        show_default="one of this machine",
    ),
]


def task_of(word: str) -> tuple[int, int] | None:
    """Number of a task, from 0, and how many there are; None if the option was not given.

    >>> task_of("3/32")
    (3, 32)
    """
    if not word:
        return None
    match = re.fullmatch(r"(\d+)/(\d+)", word)
    if not match:
        raise typer.BadParameter(f"{word!r} is not like 0/32", param_hint="--task")
    number, n_tasks = int(match[1]), int(match[2])
    if number >= n_tasks:
        message = f"{word} is no task: they are counted from 0/{n_tasks} to {n_tasks - 1}/{n_tasks}"
        raise typer.BadParameter(message, param_hint="--task")
    return number, n_tasks


def wanted_task(word: str, *, finish: bool, restart: bool = False) -> tuple[int, int] | None:
    """As `task_of`, once the options are known to go together.

    Args:
        word: what ``--task`` was given.
        finish: whether ``--finish`` was.
        restart: whether ``--restart`` was.

    Raises:
        BadParameter: they do not.
    """
    task = task_of(word)
    if restart and (task is not None or finish):
        message = "not with --task: each task would take the rows of the others"
        raise typer.BadParameter(message, param_hint="--restart")
    if finish and task is not None:
        message = "not with --task: it comes when all tasks are done"
        raise typer.BadParameter(message, param_hint="--finish")
    return task


@contextmanager
def opened_tasks(
    part: tuple[int, int] | None, engine: ClusterName, master: str, address: str, n_tasks: int
) -> Iterator[Task | None]:
    """The tasks that the options ask for: one, or all on a cluster; None: no tasks.

    Args:
        part: what ``--task`` was given.
        engine: what runs the job.
        master: Spark's.
        address: Ray's.
        n_tasks: how many on a cluster.

    Raises:
        BadParameter: they do not go together.
        ConfigError: likewise.
        EngineError: the cluster does not start.
    """
    if part is not None:
        check_no_cluster(engine, master, address, n_tasks)
        yield part
        return
    from quarkcrawl.corpus.tasks import AllTasks  # noqa: PLC0415 - help needs no Arrow

    if n_tasks and engine == "local":
        raise typer.BadParameter("needs --engine spark or ray", param_hint="--tasks")
    with opened_cluster(engine, master, address) as cluster:
        yield None if cluster is None else AllTasks(cluster, n_tasks)


def check_no_cluster(engine: ClusterName, master: str, address: str, n_tasks: int) -> None:
    """See that no option of clusters was given with ``--task`` or ``--finish``.

    Raises:
        BadParameter: one was.
    """
    if engine != "local" or master or address or n_tasks:
        message = "not with --task: a cluster does all tasks by itself"
        raise typer.BadParameter(message, param_hint="--engine")


@contextmanager
def opened_cluster(engine: ClusterName, master: str, address: str) -> Iterator[Cluster | None]:
    """The cluster that the options name; None: this machine.

    Raises:
        ConfigError: they do not go together.
        EngineError: it does not start.
    """
    from quarkcrawl.engines import RayCluster, SparkEngine, open_engine  # noqa: PLC0415 - slow

    if address and engine != "ray":
        raise ConfigError("--ray-address needs --engine ray", where="--engine")
    if engine == "ray":
        if master:
            raise ConfigError("--spark-master needs --engine spark", where="--engine")
        with RayCluster(address or "local") as ray:
            yield ray
    elif engine == "local":
        if master:
            raise ConfigError("--spark-master needs --engine spark", where="--engine")
        yield None
    else:
        with open_engine(engine, master=master or None) as opened:
            assert isinstance(opened, SparkEngine)  # DuckDB with a master is refused
            yield opened


def print_report(report: Any) -> None:
    """Print what was done as a line of JSON."""
    assert is_dataclass(report)
    typer.echo(json.dumps(asdict(report), ensure_ascii=False))  # type: ignore[arg-type]
