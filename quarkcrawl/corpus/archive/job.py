"""Extraction straight from an archive: no corpus is made, nothing is copied.

The WARC files are worked through one after the other. Where an index has chosen the records, the
workers read these by range, and no other byte; otherwise a file is scanned, and its records are
handed to the workers. Damage costs what is damaged: it is counted, listed, and the run goes on.

Workers take some records at once, since an answer a page costs both processes a tenth of what the
page takes. Where such a batch fails (a page has killed its process, or was too slow), its records
are done again one by one, each within the bounds of a page.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.content import method_name, method_named
from quarkcrawl.corpus.archive.index import RecordFilter
from quarkcrawl.corpus.archive.page import (
    ArchiveRecord,
    RecordOptions,
    RecordResult,
    extract_record,
    extract_records,
)
from quarkcrawl.corpus.archive.results import ArchiveFolder, ArchivePart, RecordCounts, count
from quarkcrawl.corpus.archive.sources import archive_sources
from quarkcrawl.corpus.extraction import ExtractionOptions
from quarkcrawl.errors import ConfigError, StorageUnreachableError, StoreError
from quarkcrawl.page import host_key
from quarkcrawl.store import CorpusLock, read_results, results_folder, storage_errors
from quarkcrawl.store.warc import WarcDamage, read_warc

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    import pyarrow.dataset as ds

    from quarkcrawl.corpus.archive.index import IndexRow
    from quarkcrawl.corpus.archive.sources import ArchiveSources
    from quarkcrawl.store import StoragePath


_BATCH_RECORDS: Final = 8
_BATCH_BYTES: Final = 1 << 20
_CAPTURES: Final = frozenset({"response", "resource", "revisit"})
Unit: TypeAlias = "tuple[str, StoragePath, list[IndexRow] | None]"
"""A WARC file: its name, its place, and the records that are wanted; None: all."""


@dataclass(slots=True)
class ArchiveReport:
    """What is known of an archive after a run; the counts are those of all runs.

    Args:
        folder: where the rows are.
        method: extraction method.
        files: WARC files with a part.
        chosen: records that the index has chosen; None without an index.
        records: captures that were read or tried in this run or an earlier one.
        done_before: rows that were there when the run began.
        counts: what became of the records.
        unreadable: WARC files that could not be opened, and why; the next run tries them again.
        elapsed_s: length of the run.
    """

    folder: str
    method: str
    files: int = 0
    chosen: int | None = None
    records: int = 0
    done_before: int = 0
    counts: RecordCounts = field(default_factory=RecordCounts)
    unreadable: dict[str, str] = field(default_factory=dict)
    elapsed_s: float = 0.0


def extract_archive(  # noqa: PLR0913 - options of a command
    sources: Sequence[str],
    out: Path | str,
    options: ExtractionOptions | None = None,
    *,
    base: str = "",
    record_filter: RecordFilter | None = None,
    pool: PoolOptions | None = None,
    restart: bool = False,
    retry_failed: bool = False,
    on_progress: Callable[[ArchiveReport], None] | None = None,
) -> ArchiveReport:
    """Extract the content of pages straight from WARC files.

    Every capture is a row; several of one URL, or of one body, are several rows.

    Args:
        sources: WARC files, lists of their paths, index files, or folders of these.
        out: the rows go to a folder in it that is called like the method.
        options: what to extract; ``site_pages`` is 0, a page speaks for itself here.
        base: folder or URI before the names in lists and index.
        record_filter: which records; None: all.
        pool: number and bounds of the processes.
        restart: do all files anew.
        retry_failed: do WARC files again whose rows or records have failed.
        on_progress: called after each record with the report so far.

    Raises:
        InputError: there is no such method, or a source is none.
        ConfigError: the rows that are there were made with other options, or the options do not
            go together.
        CorpusLockedError: another run writes to this folder.
        StoreError: a list or index cannot be read, or the rows cannot be written.
    """
    options = checked_options(options)
    record_filter, pool = record_filter or RecordFilter(), pool or PoolOptions()
    archive = archive_sources(sources, base)
    record_filter.check(has_index=bool(archive.indexes))
    name = method_name(options.method)
    with results_folder(out, name) as rows:
        with storage_errors(rows.path):
            rows.path.mkdir(parents=True, exist_ok=True)
        with CorpusLock(rows.path):
            results = ArchiveFolder(rows.path / name)
            results.tasks.make_way(restart=restart)
            results.open(archive_settings(options, sources, base, record_filter), restart=restart)
            record_options = RecordOptions(
                record_filter, options.plan, by_index=bool(archive.indexes)
            )
            report = ArchiveReport(rows.named(str(results.path)), name)
            if archive.indexes:
                results.choose(archive.indexes, record_filter)
                report.chosen = results.chosen.count()
            run = ArchiveRun(archive_units(archive, results), results, record_options, report)
            follow = rows.followed(on_progress) or (lambda _: None)
            return run.run(pool, follow, retry_failed=retry_failed)


def checked_options(options: ExtractionOptions | None) -> ExtractionOptions:
    """What is extracted of an archive, if it can be.

    Raises:
        InputError: there is no such method.
        ConfigError: what hosts repeat is to be left out.
    """
    options = options or ExtractionOptions(site_pages=0)
    if options.site_pages:
        raise ConfigError("what hosts repeat is found in a corpus only: site_pages must be 0")
    method_named(options.method)  # an unknown method is refused before anything is written
    return options


def archive_settings(
    options: ExtractionOptions, sources: Sequence[str], base: str, record_filter: RecordFilter
) -> dict[str, Any]:
    """All that the rows depend on."""
    about = {"sources": list(sources), "base": base, "wanted": _plain(asdict(record_filter))}
    return {**options.noted(), **about}


def archive_units(
    archive: ArchiveSources, results: ArchiveFolder, names: Collection[str] | None = None
) -> Iterator[Unit]:
    """The WARC files, or some of them, with the records that an index has chosen."""
    if archive.indexes:
        for file, rows in results.chosen.by_file(names):
            yield file, archive.path(file), rows
    else:
        for file, path in archive.warcs:
            if names is None or file in names:
                yield file, path, None


def archive_extractions(out: Path | str, method: str = "default") -> ds.Dataset:
    """The rows of an extraction from an archive as a pyarrow dataset.

    Args:
        out: folder that `extract_archive` wrote to.
        method: extraction method.

    Raises:
        StoreError: there is none.
    """
    return _results(out, method).dataset()


def archive_failures(out: Path | str, method: str = "default") -> Iterator[dict[str, Any]]:
    """Pages that failed, and damaged records: WARC file, offset, length, reason.

    Args:
        out: folder that `extract_archive` wrote to.
        method: extraction method.

    Raises:
        StoreError: there is none.
    """
    with read_results(out, method_name(method)) as rows:
        yield from _results(rows.path, method).failures()


def _results(out: Path | str, method: str) -> ArchiveFolder:
    folder = ArchiveFolder(Path(out) / method_name(method))
    if not folder.exists():
        message = f"holds no extraction from an archive by the method {method!r}"
        raise StoreError(message, where=out)
    return folder


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as JSON gives them back."""
    return {name: list(value) for name, value in values.items()}


class ArchiveRun:
    """One run. Parts are open from the first record of their file until a later file answers."""

    def __init__(
        self,
        units: Iterable[Unit],
        results: ArchiveFolder,
        options: RecordOptions,
        report: ArchiveReport,
    ) -> None:
        self._units = units
        self._results = results
        self._options = options
        self._report = report
        self._parts: dict[int, ArchivePart] = {}  # by the number of their file
        self._broken: set[int] = set()  # files that could not be read to their end

    def run(
        self, pool: PoolOptions, on_progress: Callable[[ArchiveReport], None], *, retry_failed: bool
    ) -> ArchiveReport:
        """Do it."""
        started = time.monotonic()
        function = partial(extract_records, options=self._options)
        bounds = asdict(pool)
        batches = _batches(self._records(retry_failed=retry_failed))
        try:
            with closing(
                map_pages(function, batches, input_bytes=_size, chunk_pages=4, **bounds)
            ) as outcomes:
                for outcome in outcomes:
                    batch = outcome.input
                    self._finish_before(batch[0].unit)
                    results = outcome.value or self._one_by_one(batch, bounds)
                    for record, result in zip(batch, results, strict=True):
                        self._take(record, result)
                        on_progress(self._report)
            self._finish_before(None)
        except BaseException as error:
            for part in self._parts.values():
                part.abandon(error)
            raise
        self._report.elapsed_s = round(time.monotonic() - started, 3)
        return self._report

    # What is to be done

    def _records(self, *, retry_failed: bool) -> Iterator[ArchiveRecord]:
        """The records of all files that have no part yet."""
        for number, (file, path, rows) in enumerate(self._units):
            done = self._results.done(file)
            if done is not None and not (retry_failed and (done.failures or done.damages)):
                if not done.damages:  # a run was killed that had just renewed the part
                    self._results.forget_damages(file)
                self._keep(done)
                continue
            try:
                path.open().close()
                self._parts[number] = self._results.part(file, is_renewed=done is not None)
                yield from self._of_file(number, file, path, rows)
            except StorageUnreachableError:
                raise
            except StoreError as error:
                self._broken.add(number)
                self._report.unreadable[file] = error.message
                if done is not None:  # its rows stay, since there are no others
                    part = self._parts.get(number)
                    self._report.records -= part.counts.records if part is not None else 0
                    self._keep(done)

    def _keep(self, done: RecordCounts) -> None:
        """Count a part that an earlier run has made."""
        self._report.files += 1
        self._report.done_before += done.pages
        self._report.records += done.records
        self._report.counts.add(done)

    def _of_file(
        self, number: int, file: str, path: StoragePath, rows: list[IndexRow] | None
    ) -> Iterator[ArchiveRecord]:
        if rows is not None:
            for row in rows:
                yield ArchiveRecord(number, file, path, row.offset, row.length, row.url)
            return
        part = self._parts[number]
        for item in read_warc(path):
            if isinstance(item, WarcDamage):
                part.add_damage(item)
            elif item.kind not in _CAPTURES:
                count(part.counts.skipped, item.kind or "no type")
            else:
                yield ArchiveRecord(number, file, path, item.offset, item.length, item.url, item)

    # What came of it

    def _finish_before(self, number: int | None) -> None:
        """Finish the parts of files before this one; None: of all."""
        for earlier in [one for one in self._parts if number is None or one < number]:
            part = self._parts[earlier]
            if earlier in self._broken:
                part.abandon(StoreError(self._report.unreadable[part.file], where=part.file))
            else:
                part.finish()
                self._report.files += 1
                self._report.counts.add(part.counts)
            del self._parts[earlier]

    def _one_by_one(
        self, batch: list[ArchiveRecord], bounds: dict[str, Any]
    ) -> Iterator[RecordResult]:
        """The results of a batch that has failed as a whole."""
        function = partial(extract_record, options=self._options)
        for outcome in map_pages(function, batch, **{**bounds, "workers": 1}):
            row = {"failure": outcome.reason, "detail": outcome.failure}
            yield outcome.value or RecordResult("page", row=row)

    def _take(self, record: ArchiveRecord, result: RecordResult) -> None:
        if result.is_unreachable:
            raise StorageUnreachableError(str((result.row or {}).get("detail")))
        part = self._parts[record.unit]
        part.counts.records += 1
        self._report.records += 1
        if result.kind == "page":
            row = result.row or {}
            about = {"url": record.url, "offset": record.offset, "length": record.length}
            if "host" not in row:
                about["host"] = host_key(record.url)
            part.add(about | row)
        elif result.damage is not None:
            part.add_damage(result.damage)
        else:
            _count(part.counts, result)


def _count(counts: RecordCounts, result: RecordResult) -> None:
    if result.kind == "redirect":
        counts.redirects += 1
    elif result.kind == "revisit":
        counts.revisits += 1
    else:
        count(counts.drops if result.kind == "drop" else counts.skipped, result.reason)


def _batches(records: Iterator[ArchiveRecord]) -> Iterator[list[ArchiveRecord]]:
    """Records of one file that are done at once."""
    batch: list[ArchiveRecord] = []
    n_bytes = 0
    for record in records:
        if batch and (
            record.unit != batch[0].unit or len(batch) == _BATCH_RECORDS or n_bytes >= _BATCH_BYTES
        ):
            yield batch
            batch, n_bytes = [], 0
        batch.append(record)
        if record.warc_record is not None:
            n_bytes += len(record.warc_record.block)
    if batch:
        yield batch


def _size(batch: list[ArchiveRecord]) -> int:
    """Bytes that are handed to a worker with a batch."""
    return sum(len(record.warc_record.block) for record in batch if record.warc_record)
