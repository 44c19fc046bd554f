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

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus.archive.index import RecordFilter
from quarkcrawl.corpus.archive.job import (
    ArchiveReport,
    ArchiveRun,
    archive_settings,
    archive_units,
    checked_options,
)
from quarkcrawl.corpus.archive.page import RecordOptions
from quarkcrawl.corpus.archive.results import ArchiveFolder
from quarkcrawl.corpus.archive.sources import archive_sources
from quarkcrawl.corpus.tasks import (
    TaskMark,
    TaskOrder,
    TaskReport,
    check_task,
    do_task,
    read_inputs,
    run_marked,
)
from quarkcrawl.errors import StoreError
from quarkcrawl.store import CorpusLock, folder_here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.corpus.archive.job import Unit
    from quarkcrawl.corpus.archive.results import RecordCounts
    from quarkcrawl.corpus.archive.sources import ArchiveSources
    from quarkcrawl.corpus.extraction import ExtractionOptions
    from quarkcrawl.corpus.tasks import PlanFiles, TaskInputs, TaskPlan, TaskTotals
    from quarkcrawl.store import StoragePath


_FILES: Final = pa.schema([("file", pa.string())])
_REMOTE_BYTES: Final = 1 << 30  # of a WARC file in an object store: nobody is asked for its size


def archive_task(
    sources: Sequence[str],
    out: Path | str,
    options: ExtractionOptions | None,
    task: tuple[int, int],
    *,
    base: str = "",
    wanted: RecordFilter | None = None,
    pool: PoolOptions | None = None,
    retry_failed: bool = False,
) -> TaskReport:
    """Do task k of n of an archive; all n together make what `extract_archive` makes.

    Args:
        sources: WARC files, lists of their paths, index files, or folders of these; they are the
            same for all tasks, as is all that follows but the pool.
        out: the rows go to a folder in it that is called like the method.
        options: what to extract.
        task: number of the task, from 0, and how many there are.
        base: folder or URI before the names in lists and index.
        wanted: which records; None: all.
        pool: number and bounds of the processes.
        retry_failed: do WARC files again whose rows or records have failed.

    Raises:
        InputError: there is no such method or task, or a source is none.
        ConfigError: other tasks are under way, the rows that are there were made with other
            options, or the options do not go together.
        CorpusLockedError: a run that is no task writes to this folder.
        StoreError: a list, an index or a WARC file cannot be read, or the rows not be written.
            Other files of the task are done then, and it is not.
    """
    options = checked_options(options)
    number, n_tasks = task
    check_task(number, n_tasks)
    wanted = wanted or RecordFilter()
    folder = folder_here(out, "tasks")
    archive = archive_sources(sources, base)
    wanted.check(has_index=bool(archive.indexes))
    results = ArchiveFolder(folder / options.method)
    settings = archive_settings(options, sources, base, wanted)

    def fill(inputs: TaskInputs) -> dict[str, Any]:
        with CorpusLock(folder):
            results.open(settings, restart=False)
            if archive.indexes:
                results.choose(archive.indexes, wanted)
            for unit in archive_units(archive, results):
                _list(unit, results, inputs, retry_failed=retry_failed)
        return {"files": inputs.n_inputs}

    order = TaskOrder(
        "archive", n_tasks, {**settings, "retry_failed": retry_failed}, _state(archive)
    )
    report = TaskReport(", ".join(sources), str(results.path), number, n_tasks)
    if results.tasks.prepare(order, _FILES, fill) is None:
        return report
    how = RecordOptions(wanted, options.plan, by_index=bool(archive.indexes))
    work = partial(_files, number=number, archive=archive, results=results, options=how)
    run = partial(run_marked, fill=partial(work, pool=pool or PoolOptions()))
    return do_task(results.tasks, report, run)


def finish_archive(out: Path | str, method: str = "default") -> TaskTotals:
    """Publish what all tasks of an archive have made; the last of them does so by itself.

    Args:
        out: folder of the rows.
        method: extraction method.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    return ArchiveFolder(folder_here(out, "tasks") / method).tasks.finish()


def _list(unit: Unit, results: ArchiveFolder, inputs: TaskInputs, *, retry_failed: bool) -> None:
    """Add a WARC file that has no part, or none that is good enough."""
    file, path, rows = unit
    done = results.done(file)
    if done is not None and not (retry_failed and (done.failures or done.damages)):
        return
    results.forget(file)
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
    *,
    number: int,
    archive: ArchiveSources,
    results: ArchiveFolder,
    options: RecordOptions,
    pool: PoolOptions,
) -> TaskMark:
    """Do the WARC files of a task that have no part yet."""
    start, stop = plan.slice(number)
    names = [row["file"] for row in read_inputs(files.inputs, start, stop)]
    own = ArchiveFolder(files.part(number, ""))
    report = ArchiveReport(str(own.path), results.path.name)
    if names:
        units = archive_units(archive, results, set(names))
        ArchiveRun(units, own, options, report).run(pool, lambda _: None, retry_failed=False)
    if report.unreadable:
        file, reason = next(iter(report.unreadable.items()))
        n = len(report.unreadable)
        message = f"{reason}; {n} of the {len(names)} files of task {number} cannot be opened"
        raise StoreError(message, where=file)
    parts = tuple(fact for name in names for fact in own.facts(name))
    n_rows, n_bytes = (sum(part[key] for part in parts) for key in ("rows", "bytes"))
    counts = _counted(report.counts)
    return TaskMark(number, plan.order.n_tasks, n_rows, n_bytes, counts, parts)


def _counted(counts: RecordCounts) -> dict[str, int]:
    """Failures by reason, and sums of the rest."""
    found = {
        "records": counts.records,
        "redirects": counts.redirects,
        "revisits": counts.revisits,
        "drops": sum(counts.drops.values()),
        "skipped": sum(counts.skipped.values()),
        "damages": sum(counts.damages.values()),
        **counts.failures,
    }
    return {name: number for name, number in found.items() if number}
