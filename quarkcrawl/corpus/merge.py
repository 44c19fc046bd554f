"""One corpus of many: the shards of a shared crawl, or corpora of several machines.

Workers store a page twice only where one of them was cut off between storing it and saying so.
Here each URL is kept once (the first that was fetched), and each body once: a page whose MD5
another page has becomes a duplicates row, as it would have in a crawl by one process. Records
are copied as they are; rows follow with their new place. Where the record to be kept is damaged,
another copy of its URL, or another page of its body, takes its place.
"""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa

from quarkcrawl.errors import DamagedRecordError, InputError, StoreError
from quarkcrawl.store import (
    Corpus,
    CorpusLock,
    CorpusWriter,
    DropRow,
    DuplicateRow,
    new_corpus,
    page_dat_path,
    shard_roots,
)
from quarkcrawl.store.tables import read_table
from quarkcrawl.store.tianwang import decode_record, url_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from quarkcrawl.store import PageRow, RedirectRow


_GROUP_ROWS = 2048


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


def merge_corpora(roots: Iterable[Path | str], out: Path | str) -> MergeReport:
    """Merge corpora, each of which may consist of the shards of workers.

    The new corpus appears under its name when it is complete; until then it is ``OUT.merging``.

    Args:
        roots: what to merge; nothing there is changed.
        out: folder of the new corpus; it must not be there.

    Raises:
        InputError: ``out`` is there already.
        CorpusLockedError: a worker writes to one of the corpora.
        StoreError: a folder is no corpus, or the device failed.
    """
    out = Path(out)
    if out.exists():
        raise InputError("is there already; a merge makes a new corpus", where=out)
    shards = list(dict.fromkeys(x.resolve() for root in roots for x in shard_roots(root)))
    with ExitStack() as stack:
        for shard in shards:
            stack.enter_context(CorpusLock(shard))
        writer = stack.enter_context(new_corpus(out, ".merging"))
        return _Merge(shards, writer, str(out)).run()


@dataclass(slots=True)
class _Plan:
    """Which pages stay.

    Args:
        kept: per shard the places (host and offset) of the pages that are kept.
        surplus: per shard the number of those that are not.
        owners: URL of the page that keeps a body, by MD5.
    """

    kept: list[set[tuple[str, int]]]
    surplus: list[int]
    owners: dict[bytes, str]


def _plan(shards: Sequence[Path]) -> tuple[_Plan, int, int]:
    """Choose among all pages; returns the plan, and how many URLs and bodies were there twice."""
    tables = []
    for number, shard in enumerate(shards):
        table = read_table(shard, "page", columns=["url", "host", "offset", "md5", "fetched_at"])
        column = pa.array(np.full(table.num_rows, number, dtype=np.int32))
        tables.append(table.append_column("shard", column))
    rows = pa.concat_tables(tables).combine_chunks()
    order = np.lexsort((rows["shard"].to_numpy(), rows["fetched_at"].to_numpy()))
    rows = rows.take(pa.array(order))
    first_url = _first(rows["url"])
    rows_by_url = rows.filter(pa.array(first_url))
    first_md5 = _first(rows_by_url["md5"])
    kept = rows_by_url.filter(pa.array(first_md5))
    places: list[set[tuple[str, int]]] = [set() for _ in shards]
    names = ("shard", "host", "offset")
    for number, host, offset in zip(*(kept[name].to_pylist() for name in names), strict=True):
        places[number].add((host, offset))
    digests = map(bytes.fromhex, kept["md5"].to_pylist())
    owners = dict(zip(digests, kept["url"].to_pylist(), strict=True))
    surplus = [table.num_rows - len(mine) for table, mine in zip(tables, places, strict=True)]
    plan = _Plan(places, surplus, owners)
    return plan, int((~first_url).sum()), int((~first_md5).sum())


def _first(column: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """True where a value comes for the first time."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    codes = array.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    first = np.zeros(len(codes), dtype=bool)
    first[np.unique(codes, return_index=True)[1]] = True
    return first


class _Merge:
    """Two passes over the pages of all shards, the second for what is not kept; then the rows."""

    def __init__(self, shards: Sequence[Path], writer: CorpusWriter, out: str) -> None:
        self._shards = shards
        self._writer = writer
        self._known: set[str] = set()
        self._damaged: dict[str, tuple[PageRow, str]] = {}
        self._hosts: set[str] = set()
        self.report = MergeReport(out, len(shards))

    def run(self) -> MergeReport:
        plan, self.report.url_twice, self.report.md5_twice = _plan(self._shards)
        for shard, kept in zip(self._shards, plan.kept, strict=True):
            for file, row in _pages(shard):
                if (row.host, row.offset) in kept:
                    self._page(row, file)
        for shard, kept, n_surplus in zip(self._shards, plan.kept, plan.surplus, strict=True):
            for file, row in _pages(shard) if n_surplus else ():
                if (row.host, row.offset) not in kept:
                    self._surplus(row, file, plan)
        self._end_damaged(plan)
        self._other_rows(plan)
        self.report.hosts = len(self._hosts)
        return self.report

    def _page(self, row: PageRow, file: BinaryIO | None) -> bool:
        """Copy a page; whether its record is whole."""
        record, damage = _record(row, file)
        if damage:
            self._damaged.setdefault(row.url, (row, damage))
            return False
        self._writer.append_stored(record, row)
        self._known.add(row.url)
        self._hosts.add(row.host)
        self.report.pages += 1
        self._writer.commit(_GROUP_ROWS)
        return True

    def _surplus(self, row: PageRow, file: BinaryIO | None, plan: _Plan) -> None:
        """A page that is not kept: its body is stored, or it stands in for a damaged record."""
        if row.url in self._known:
            return  # a copy of its own URL
        owner = plan.owners.get(row.md5)
        if owner is not None and owner in self._known:
            self._duplicate(row, owner)
        elif (row.url in self._damaged or owner in self._damaged) and self._page(row, file):
            plan.owners[row.md5] = row.url

    def _duplicate(self, row: PageRow | DuplicateRow, owner: str) -> None:
        self._row(DuplicateRow(row.fetched, owner, row.links))

    def _end_damaged(self, plan: _Plan) -> None:
        """A row for each page whose own record is lost: where its body is, or that it is gone."""
        for row, damage in self._damaged.values():
            owner = plan.owners.get(row.md5, row.url)
            if owner in self._known:
                self._duplicate(row, owner)
            elif row.url not in self._known:
                self.report.damaged += 1
                self._row(DropRow(row.url, row.host, "damaged", damage, row.level, row.fetched_at))
                plan.owners.pop(row.md5, None)

    def _other_rows(self, plan: _Plan) -> None:
        """Rows without a page, each URL once; what was stored elsewhere needs none."""
        corpora = [Corpus.open(shard) for shard in self._shards]
        for corpus in corpora:
            for row in corpus.duplicates():
                self._duplicate(row, plan.owners.get(row.md5, row.duplicate_of))
        for corpus in corpora:
            for redirect in corpus.redirects():
                self._row(redirect)
        for corpus in corpora:
            for drop in corpus.drops():
                self._row(drop)

    def _row(self, row: DuplicateRow | RedirectRow | DropRow) -> None:
        if row.url in self._known:
            return
        self._known.add(row.url)
        self._writer.append_row(row)
        name = row.kind + "s"
        setattr(self.report, name, getattr(self.report, name) + 1)
        self._writer.commit(_GROUP_ROWS)


def _pages(shard: Path) -> Iterator[tuple[BinaryIO | None, PageRow]]:
    """The rows of a shard, each with the file that holds its record, None if it is not there."""
    for host, rows in groupby(Corpus.open(shard).pages(), key=lambda row: row.host):
        with _opened(page_dat_path(shard, host)) as file:
            for row in rows:
                yield file, row


def _opened(path: Path) -> AbstractContextManager[BinaryIO | None]:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return nullcontext()
    except OSError as error:
        raise StoreError(f"cannot read ({error.strerror})", where=path) from error


def _record(row: PageRow, file: BinaryIO | None) -> tuple[bytes, str]:
    """The bytes of a record, and why they cannot be taken over; "" if they can."""
    if file is None:
        return b"", "page.dat is not there"
    file.seek(row.offset)
    record = file.read(row.length)
    try:
        found = url_text(decode_record(record).url)
    except DamagedRecordError as error:
        return record, error.message
    return record, "" if found == row.url else "the record is that of another page"
