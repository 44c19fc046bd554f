"""Merging corpora: each URL once, each body once, nothing else lost.

Workers store a page twice only where one of them was cut off between storing it and saying so.
Here each URL is kept once (its newest version, of that the first that was fetched), and each body
once: a page whose MD5 another page has becomes a duplicates row, as it would have in a crawl by
one process. Records are copied as they are; rows follow with their new place. Where the record to
be kept is damaged, another copy of its URL, or another page of its body, takes its place.
"""

from __future__ import annotations

import heapq
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.corpus.merge.numbered import NumberedRows, as_duplicates
from quarkcrawl.corpus.merge.plan import (
    KINDS,
    SORT_BYTES,
    SORT_THREADS,
    NumberedFile,
    NumberedList,
    Plan,
)
from quarkcrawl.corpus.merge.records import Records, places
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import InputError
from quarkcrawl.progress import CountedStep, no_progress, reported
from quarkcrawl.store import (
    BulkWriter,
    CorpusLock,
    corpus_draft,
    log_robots,
    logged_robots,
    open_table,
    shard_roots,
    storage_errors,
)
from quarkcrawl.store.tables import total_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables import RowKind

    _Longs = NDArray[np.int64]


_RUN_BYTES: Final = 4 << 20


@dataclass(slots=True)
class MergeReport:
    """What a merge did.

    Args:
        out: the new corpus.
        shards: corpora that were read.
        hosts: hosts with pages.
        pages: pages of the new corpus.
        url_twice: copies of a URL that was stored before, left out.
        md5_twice: pages whose body was stored before; they became duplicates rows.
        damaged: pages of which no copy is whole, left out; each has a drops row.
        duplicates, redirects, drops: rows of these kinds.
    """

    out: str
    shards: int
    hosts: int = 0
    pages: int = 0
    url_twice: int = 0
    md5_twice: int = 0
    damaged: int = 0
    duplicates: int = 0
    redirects: int = 0
    drops: int = 0


def merge_corpora(
    roots: Iterable[Path | str], out: Path | str, *, on_progress: Progress = no_progress
) -> MergeReport:
    """Merge corpora, each of which may consist of the shards of workers.

    The new corpus appears under its name when it is complete; until then it is ``OUT.merging``.

    Args:
        roots: what to merge; nothing there is changed.
        out: folder of the new corpus; it must not be there.
        on_progress: is told of each batch of rows.

    Raises:
        InputError: ``out`` is there already, or there are no shards.
        CorpusLockedError: a worker writes to one of the corpora.
        StoreError: a folder is no corpus, or the device failed.
        EngineError: rows cannot be sorted.
    """
    out = Path(out)
    if out.exists():
        raise InputError("is there already; a merge makes a new corpus", where=out)
    shards = list(dict.fromkeys(x.resolve() for root in roots for x in shard_roots(root)))
    if not shards:
        raise InputError("nothing to merge: no worker has stored anything", where=out)
    with ExitStack() as stack:
        for shard in shards:
            stack.enter_context(CorpusLock(shard))
        draft = stack.enter_context(corpus_draft(out, ".merging"))
        schemas = {kind: _schema(shards, kind) for kind in KINDS}
        writer = stack.enter_context(BulkWriter(draft, schemas))
        work = draft / ".lists"
        with storage_errors(work):
            work.mkdir()
        with DuckEngine(memory_bytes=SORT_BYTES, threads=SORT_THREADS, spill=work) as engine:
            merge = _Merge(shards, writer, Plan(work, engine), work, on_progress)
            report = merge.run(str(out))
        shutil.rmtree(work)
        return report


def _schema(shards: Sequence[Path], kind: RowKind) -> pa.Schema:
    """The columns that rows of a kind have in any of the corpora."""
    schemas = [open_table(shard, kind).schema for shard in shards]
    return pa.unify_schemas(schemas, promote_options="permissive")


class _Merge:
    """Passes over the rows of all corpora: one for the plan, one or more for pages, one for others.

    Args:
        shards: the corpora.
        writer: takes records and rows of the new corpus.
        plan: says which rows stay.
        work: folder for lists of rows.
        on_progress: is told of each batch of rows.
    """

    def __init__(
        self,
        shards: Sequence[Path],
        writer: BulkWriter,
        plan: Plan,
        work: Path,
        on_progress: Progress,
    ) -> None:
        self._shards = shards
        self._writer = writer
        self._plan = plan
        self._work = work
        self._on_progress = on_progress
        self._rows = NumberedRows(shards)

    def run(self, out: str) -> MergeReport:
        report = MergeReport(out, len(self._shards))
        n_rows = total_rows(self._shards, *KINDS)
        rows = self._rows.all_rows()
        self._plan.number(
            reported(rows, "rows", self._on_progress, total=n_rows, size=lambda row: len(row[1]))
        )
        self._on_progress("which pages stay", 0, None)
        path, n_chosen = self._plan.chosen()
        report.url_twice = self._rows.n_pages - self._plan.n_firsts
        report.md5_twice = self._plan.n_firsts - n_chosen
        while n_chosen:
            damaged = self._work / f"damaged-{path.parent.name}.parquet"
            step = CountedStep("pages", self._on_progress, n_chosen)
            n_damaged = self._copy_pages(NumberedList(path), damaged, step)
            self._plan.note_stored(path, damaged)
            report.pages += n_chosen - n_damaged
            path, n_chosen = self._plan.chosen() if n_damaged else (path, 0)
        self._on_progress("which other rows stay", 0, None)
        self._copy_others(NumberedList(self._plan.others()), report)
        for robots in heapq.merge(*map(logged_robots, self._shards), key=attrgetter("at")):
            log_robots(self._writer.root, robots)
        report.hosts = self._writer.n_hosts
        return report

    def _copy_pages(self, pages: NumberedList, damaged: Path, step: CountedStep) -> int:
        """Copy the records of a list and their rows; returns how many of them are damaged."""
        with NumberedFile(damaged) as out, Records() as records:
            for shard, rows, listed in self._rows.listed("page", pages):
                whole, offsets = self._copy_records(shard, rows, records)
                if not whole.all():
                    out.add(listed.select(["n"]).filter(pa.array(~whole)))
                place = rows.schema.get_field_index("offset")
                moved = rows.set_column(place, rows.schema.field(place), pa.array(offsets))
                self._writer.append_pages(moved.filter(pa.array(whole)))
                step.add(rows.num_rows)
        return out.n_rows

    def _copy_records(
        self, shard: Path, rows: pa.Table, records: Records
    ) -> tuple[NDArray[np.bool_], _Longs]:
        """Copy records host by host; which of them are whole, and where they are now."""
        whole = np.ones(rows.num_rows, dtype=bool)
        offsets = np.zeros(rows.num_rows, dtype=np.int64)
        for host, group in groupby(places(rows), key=attrgetter("host")):
            run = _Run(self._writer, host, offsets)
            for place in group:
                record, damage = records.read(shard, place)
                if damage:
                    whole[place.row] = False
                else:
                    run.add(place.row, record)
            run.flush()
        return whole, offsets

    def _copy_others(self, others: NumberedList, report: MergeReport) -> None:
        """Rows without a page, each URL once; what was stored elsewhere needs none."""
        with Records() as records:
            for shard, rows, listed in self._rows.listed("page", others):
                has_owner = listed["owner"].is_valid()
                owners = listed["owner"].filter(has_owner)
                copies = as_duplicates(rows.filter(has_owner), owners)
                report.duplicates += self._append("duplicate", copies)
                drops = _drops(shard, rows.filter(pc.invert(has_owner)), records)
                report.drops += self._append("drop", drops)
                report.damaged += drops.num_rows
        for _, rows, listed in self._rows.listed("duplicate", others):
            copies = as_duplicates(rows, listed["owner"])
            report.duplicates += self._append("duplicate", copies)
        for _, rows, _ in self._rows.listed("redirect", others):
            report.redirects += self._append("redirect", rows)
        for _, rows, _ in self._rows.listed("drop", others):
            report.drops += self._append("drop", rows)

    def _append(self, kind: RowKind, rows: pa.Table) -> int:
        if rows.num_rows:
            self._writer.append_rows(kind, rows)
        return int(rows.num_rows)


class _Run:
    """Records of one host on their way, a few megabytes at a time."""

    def __init__(self, writer: BulkWriter, host: str, offsets: _Longs) -> None:
        self._writer = writer
        self._host = host
        self._offsets = offsets
        self._records: list[bytes] = []
        self._rows: list[int] = []
        self._n_bytes = 0

    def add(self, row: int, record: bytes) -> None:
        """Take a record, whose new place goes to ``offsets`` at the index ``row``."""
        self._rows.append(row)
        self._records.append(record)
        self._n_bytes += len(record)
        if self._n_bytes >= _RUN_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is there."""
        if self._records:
            first = self._writer.append_records(self._host, b"".join(self._records))
            lengths = [0, *map(len, self._records[:-1])]
            self._offsets[self._rows] = first + np.cumsum(lengths, dtype=np.int64)
        self._records, self._rows, self._n_bytes = [], [], 0


def _drops(shard: Path, rows: pa.Table, records: Records) -> pa.Table:
    """A drops row for each of some pages whose records are damaged."""
    details = [records.read(shard, place)[1] for place in places(rows)]
    values = {
        "url": rows["url"],
        "host": rows["host"],
        "reason": pa.array(["damaged"] * len(details), pa.string()),
        "detail": pa.array(details, pa.string()),
        "level": rows["level"],
        "at": rows["fetched_at"],
    }
    return pa.table(values)
