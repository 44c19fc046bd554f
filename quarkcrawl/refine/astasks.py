"""The labels of single texts as tasks: what needs no other text. The rest is done by one run."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.analysis import map_pages
from quarkcrawl.corpus.extraction import text_state
from quarkcrawl.corpus.tasks import (
    TaskFolder,
    TaskOrder,
    TaskReport,
    do_task,
    number_of,
    pool_of,
    run_task,
)
from quarkcrawl.progress import no_progress
from quarkcrawl.refine.documents import view_documents
from quarkcrawl.refine.job import (
    RefineOptions,
    RefineReport,
    read_todo,
    refine_corpus,
    text_bytes,
    write_todo,
)
from quarkcrawl.refine.labels import LabelOptions, StoredDocument, label_row, label_stored
from quarkcrawl.refine.view import label_table
from quarkcrawl.store import CorpusLock, folder_here, open_table, shard_roots, storage_errors
from quarkcrawl.store.tables import columns_of, count_table

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.corpus.tasks import AllTasks, Task, TaskInputs, TaskTotals
    from quarkcrawl.engines import Engine
    from quarkcrawl.progress import Progress


_DOCUMENTS: Final = pa.schema(
    [
        *columns_of("url", "host"),
        pa.field("shard", pa.int32()),
        *columns_of("offset", "length", "mime"),
        pa.field("title", pa.string()),
        pa.field("text", pa.string()),
        pa.field("text_md5", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class LabelsJob:
    """Labels documents.

    Args:
        roots: the corpus, or its shards.
        options: with what.
        pool: number and bounds of the processes.
        schema: columns of the table of labels.
    """

    roots: tuple[str, ...]
    options: LabelOptions
    pool: PoolOptions
    schema: pa.Schema

    def rows(
        self, inputs: Iterator[dict[str, Any]]
    ) -> Generator[dict[str, Any] | None, None, None]:
        """See `TaskJob.rows`."""
        function = partial(label_stored, roots=self.roots, options=self.options)
        documents = (StoredDocument(**values) for values in inputs)
        with closing(
            map_pages(function, documents, input_bytes=text_bytes, **asdict(self.pool))
        ) as outcomes:
            yield from map(label_row, outcomes)

    def counted(self, row: dict[str, Any]) -> list[str]:
        """See `TaskJob.counted`."""
        return [row["failure"]] if row.get("failure") else []


def refine_task(
    engine: Engine,
    root: Path | str,
    options: RefineOptions,
    task: Task,
    pool: PoolOptions | None = None,
) -> TaskReport:
    """Do task k of n of the labels of single texts, or all.

    When all n are done, `refine_corpus` finds these labels and does what compares texts.

    Args:
        engine: lists the documents if nobody has done so.
        root: the corpus, or shards of a shared crawl that are not merged; no crawl should be
            writing to it.
        options: what to label and with what, the same for all tasks.
        task: number of the task, from 0, and how many there are; or all, which a cluster does.
        pool: number and bounds of the processes.

    Raises:
        InputError: there is no such task, or a lexicon, model or benchmark cannot be read.
        ConfigError: other tasks are under way, or labels that are there were made with other
            options.
        CorpusLockedError: a run that is no task is working on this corpus.
        StoreError: the folder is no corpus, has no texts by this method, or no room.
        EngineError: the engine gave up.
    """
    return _label(engine, root, options, task, pool)[0]


def refine_on_cluster(
    engine: Engine,
    root: Path | str,
    options: RefineOptions,
    tasks: AllTasks,
    *,
    pool: PoolOptions | None = None,
    restart: bool = False,
    on_progress: Progress = no_progress,
) -> RefineReport:
    """As `refine_corpus`; the labels of single texts are found by tasks on a cluster.

    Args:
        engine: lists the documents, and does what compares texts.
        root: the corpus, or shards of a shared crawl that are not merged; no crawl should be
            writing to it.
        options: what to label and with what.
        tasks: the cluster.
        pool: number and bounds of the processes of a task.
        restart: label all documents anew.
        on_progress: is told of what is done here.

    Raises:
        InputError: a lexicon, model or benchmark cannot be read.
        ConfigError: other tasks are under way, or labels that are there were made with other
            options.
        CorpusLockedError: another run is working on this corpus.
        StoreError: the folder is no corpus, has no texts by this method, or no room.
        EngineError: the engine or the cluster gave up; tasks that are done stay.
    """
    started = time.monotonic()
    if restart:
        table = label_table(folder_here(root, "clusters"))
        with storage_errors(table.path):
            table.path.parent.mkdir(parents=True, exist_ok=True)
        with CorpusLock(table.path.parent):
            TaskFolder(table.path).make_way(restart=True)
            table.open({"method": options.method, **options.labels.note()}, restart=True)
    on_progress("tasks", 0, None)
    labels, listed = _label(engine, root, options, tasks, pool)
    report = refine_corpus(engine, root, options, pool=pool, on_progress=on_progress)
    report.done_before -= labels.rows
    report.labelled += labels.rows
    report.removed += listed.removed
    report.failures = dict(Counter(report.failures) + Counter(labels.counts or {}))
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


def _label(
    engine: Engine,
    root: Path | str,
    options: RefineOptions,
    task: Task,
    pool: PoolOptions | None,
) -> tuple[TaskReport, RefineReport]:
    """Do a task, or all; what they made, and what was found when they were planned here."""
    options.labels.check()
    root = folder_here(root, "tasks")
    shards = shard_roots(root)
    table = label_table(root)
    folder = TaskFolder(table.path)
    number, n_tasks = number_of(task, folder, partial(_n_pages, shards))
    report = TaskReport(str(root), str(table.path), number, n_tasks)
    about = RefineReport(str(root), str(table.path))
    noted = {"method": options.method, **options.labels.note()}
    with storage_errors(table.path):
        table.path.parent.mkdir(parents=True, exist_ok=True)

    def fill(inputs: TaskInputs) -> Mapping[str, Any]:
        work = table.path.parent / ".work"
        with CorpusLock(table.path.parent):
            shutil.rmtree(work, ignore_errors=True)
            try:
                view_documents(engine, root, options.method, work)
                table.open(noted, restart=False)
                write_todo(engine, root, table, work / "todo", about)
                for document in read_todo(work / "todo"):
                    inputs.add(document._asdict(), "", text_bytes(document))
            finally:
                shutil.rmtree(work, ignore_errors=True)
        return {"documents": about.documents, "done_before": about.done_before}

    order = TaskOrder("labels", n_tasks, noted, text_state(shards, options.method))
    if folder.prepare(order, _DOCUMENTS, fill, anew=number is None) is None:
        return report, about
    pool = pool_of(task, pool)
    job = LabelsJob(tuple(map(str, shards)), options.labels, pool, table.schema)
    return do_task(task, folder, report, partial(run_task, job=job)), about


def _n_pages(shards: Iterable[Path]) -> int:
    return sum(count_table(open_table(shard, "page")) for shard in shards)


def finish_labels(root: Path | str) -> TaskTotals:
    """Publish what all tasks of the labels have made; the last of them does so by itself.

    Args:
        root: the corpus.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    return TaskFolder(label_table(folder_here(root, "tasks")).path).finish()
