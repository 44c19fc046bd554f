"""Extraction from an archive as tasks: each does some of the WARC files, a part for each.

A slice has whole files, of about equal bytes all together; where an index has chosen the records,
it is their bytes that count. Until all tasks are done the parts are with the tasks (``tasks``), and
then they get the names that they have after one run.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from quarkcrawl.content import method_name
from quarkcrawl.corpus.archive.index import RecordFilter
from quarkcrawl.corpus.archive.job import (
    ArchiveReport,
    ArchiveRun,
    archive_settings,
    archive_units,
    checked_options,
)
from quarkcrawl.corpus.archive.page import RecordOptions
from quarkcrawl.corpus.archive.results import ArchiveFolder, RecordCounts
from quarkcrawl.corpus.archive.sources import archive_sources
from quarkcrawl.corpus.tasks import (
    TaskMark,
    TaskOrder,
    TaskReport,
    do_task,
    number_of,
    pool_of,
    read_inputs,
    run_marked,
)
from quarkcrawl.errors import StoreError
from quarkcrawl.store import CorpusLock, folder_here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.corpus.archive.job import Unit
    from quarkcrawl.corpus.archive.sources import ArchiveSources
    from quarkcrawl.corpus.extraction import ExtractionOptions
    from quarkcrawl.corpus.tasks import PlanFiles, Task, TaskInputs, TaskPlan, TaskTotals
    from quarkcrawl.store import StoragePath


_UNREADABLE: Final = "unreadable"
_FILES: Final = pa.schema([("file", pa.string())])
_REMOTE_BYTES: Final = 1 << 30  # of a WARC file in an object store: nobody is asked for its size


def archive_task(
    sources: Sequence[str],
    out: Path | str,
    options: ExtractionOptions | None,
    task: Task,
    *,
    base: str = "",
    record_filter: RecordFilter | None = None,
    pool: PoolOptions | None = None,
) -> TaskReport:
    """Do task k of n of an archive, or all; all n together make what `extract_archive` makes.

    A WARC file that cannot be opened is left out, and listed again by the next round of tasks.

    Args:
        sources: WARC files, lists of their paths, index files, or folders of these; they are the
            same for all tasks, as is all that follows but the pool.
        out: the rows go to a folder in it that is called like the method.
        options: what to extract.
        task: number of the task, from 0, and how many there are; or all, which a cluster does.
        base: folder or URI before the names in lists and index.
        record_filter: which records; None: all.
        pool: number and bounds of the processes.

    Raises:
        InputError: there is no such method or task, or a source is none.
        ConfigError: other tasks are under way, the rows that are there were made with other
            options, or the options do not go together.
        CorpusLockedError: a run that is no task writes to this folder.
        StoreError: a list or an index cannot be read, or the rows not be written; or WARC files
            cannot be opened, the other ones of the task are done then.
    """
    options = checked_options(options)
    record_filter = record_filter or RecordFilter()
    folder = folder_here(out, "tasks")
    archive = archive_sources(sources, base)
    record_filter.check(has_index=bool(archive.indexes))
    results = ArchiveFolder(folder / method_name(options.method))
    settings = archive_settings(options, sources, base, record_filter)
    number, n_tasks = number_of(task, results.tasks, lambda: len(archive.warcs), per_task=1)

    def fill(inputs: TaskInputs) -> dict[str, Any]:
        with CorpusLock(folder):
            results.open(settings, restart=False)
            if archive.indexes:
                results.choose(archive.indexes, record_filter)
            for unit in archive_units(archive, results):
                _list(unit, results, inputs)
        return {"files": inputs.n_inputs}

    order = TaskOrder("archive", n_tasks, settings, _state(archive))
    report = TaskReport(", ".join(sources), str(results.path), number, n_tasks)
    totals = results.tasks.totals()
    leaves_some = totals is not None and totals.counts.get(_UNREADABLE, 0) > 0
    if results.tasks.prepare(order, _FILES, fill, anew=leaves_some or number is None) is None:
        return report
    how = RecordOptions(record_filter, options.plan, by_index=bool(archive.indexes))
    work = partial(_files, archive=archive, results=results, options=how, pool=pool_of(task, pool))
    unreadable: dict[str, str] = {}
    if number is not None:  # a cluster has its own copy, and tells only how many they are
        work = partial(work, unreadable=unreadable)
    report = do_task(task, results.tasks, report, partial(run_marked, fill=work))
    if number is None and (report.counts or {}).get(_UNREADABLE):
        names = (unit[0] for unit in archive_units(archive, results))
        left = [name for name in names if results.done(name) is None]
        raise StoreError(
            f"cannot be read; so {len(left)} files, all others are done", where=left[0]
        )
    if unreadable:
        file, reason = next(iter(unreadable.items()))
        message = f"{reason}; so {len(unreadable)} files of task {number}, its others are done"
        raise StoreError(message, where=file)
    return report


def finish_archive(out: Path | str, method: str = "default") -> TaskTotals:
    """Publish what all tasks of an archive have made; the last of them does so by itself.

    Args:
        out: folder of the rows.
        method: extraction method.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    return ArchiveFolder(folder_here(out, "tasks") / method_name(method)).tasks.finish()


def _list(unit: Unit, results: ArchiveFolder, inputs: TaskInputs) -> None:
    """Add a WARC file that has no part."""
    file, path, rows = unit
    if results.done(file) is not None:
        return
    results.forget(file)  # a list of damages without a part
    n_bytes = _size(path) if rows is None else sum(row.length for row in rows)
    inputs.add({"file": file}, "", n_bytes)


def _size(path: StoragePath) -> int:
    """Bytes of a WARC file; one that is not there has none, which is told when it is opened."""
    if path.is_uri:
        return _REMOTE_BYTES
    here = Path(path.text)
    return here.stat().st_size if here.is_file() else 0


def _state(archive: ArchiveSources) -> str:
    """What tells these files from those that a list or folder names later."""
    names = [name for name, _ in archive.warcs] + [str(path) for path in archive.indexes]
    return hashlib.blake2b("\n".join(names).encode(), digest_size=16).hexdigest()


def _files(
    files: PlanFiles,
    plan: TaskPlan,
    number: int,
    *,
    archive: ArchiveSources,
    results: ArchiveFolder,
    options: RecordOptions,
    pool: PoolOptions,
    unreadable: dict[str, str] | None = None,
) -> TaskMark:
    """Do the WARC files of a task that have no part yet; notes those that cannot be opened."""
    unreadable = {} if unreadable is None else unreadable
    start, stop = plan.slice(number)
    names = [row["file"] for row in read_inputs(files.inputs, start, stop)]
    own = ArchiveFolder(files.part(number, ""))
    report = ArchiveReport(str(own.path), results.path.name)
    if names:
        units = archive_units(archive, results, set(names))
        ArchiveRun(units, own, options, report).run(pool, lambda _: None, retry_failed=False)
    unreadable |= report.unreadable
    counts, parts = RecordCounts(), list[dict[str, Any]]()
    for name in names:
        done = own.done(name)
        if done is None:
            unreadable.setdefault(name, "is no longer among the files that are given")
        else:
            counts.add(done)
            parts += own.facts(name)
    n_rows, n_bytes = (sum(part[key] for part in parts) for key in ("rows", "bytes"))
    failures = _counted(counts) | ({_UNREADABLE: len(unreadable)} if unreadable else {})
    return TaskMark(number, plan.order.n_tasks, n_rows, n_bytes, failures, tuple(parts))


def _counted(counts: RecordCounts) -> dict[str, int]:
    """Failures by reason, and sums of the rest."""
    counts_by_name = {
        "records": counts.records,
        "redirects": counts.redirects,
        "revisits": counts.revisits,
        "drops": sum(counts.drops.values()),
        "skipped": sum(counts.skipped.values()),
        "damages": sum(counts.damages.values()),
        **counts.failures,
    }
    return {name: number for name, number in counts_by_name.items() if number}
