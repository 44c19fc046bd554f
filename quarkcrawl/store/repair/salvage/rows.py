"""Rows for salvaged records: the old ones where they fit, new ones where not."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl.page import Page, PdfPage, UnparsedPage
from quarkcrawl.store.appendfile import sync_folder
from quarkcrawl.store.tables import (
    TABLES,
    PageRow,
    TableFile,
    all_parts,
    encode_row,
    journal_files,
    journal_folder,
    journal_tables,
    page_row,
    part_path,
    record_facts,
    rows_table,
    snapshot,
    table_folder,
    write_part,
)
from quarkcrawl.store.tianwang import read_at, split_reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.store.repair.salvage.file import KeptRecord
    from quarkcrawl.store.repair.salvage.report import SalvageJob, SalvageReport
    from quarkcrawl.store.tables import RowKind


PAGES: Final[tuple[RowKind, ...]] = ("page", "version")
"""Tables whose rows have records. All of their rows become pages; what has a newer version is
settled anew afterwards."""


class SalvagedRows:
    """The tables of a salvaged corpus, made bucket by bucket.

    Args:
        job: the salvage; counts are added to its report, unreadable parts go to its backup.
        number: part number of the new rows, higher than any.
    """

    def __init__(self, job: SalvageJob, number: int) -> None:
        self._job = job
        self._number = number
        self._live = self._live_tables()
        self._parts: dict[int | None, list[TableFile]] = defaultdict(list)
        for kind in PAGES:
            for part in snapshot(job.root, kind).parts:
                self._parts[part.bucket].append(part)
        job.versions.update(self._versions())

    def _versions(self) -> Counter[tuple[str, bytes]]:
        """How many rows there are of a URL with an MD5, if its page has several versions."""
        urls: set[str] = set()
        for kind, table in self._facts(["url", "version"]):
            rows = table if kind == "version" else table.filter(pc.is_valid(table["version"]))
            urls.update(rows["url"].to_pylist())
        if not urls:
            return Counter()
        url_array = pa.array(sorted(urls), pa.string())
        places = {  # a row is in two tables where a settling was killed
            tuple(row.values())
            for _, table in self._facts(["url", "md5", "host", "offset"])
            for row in table.filter(pc.is_in(table["url"], value_set=url_array)).to_pylist()
        }
        return Counter((url, bytes.fromhex(md5)) for url, md5, *_ in places if md5)

    def _facts(self, columns: list[str]) -> Iterator[tuple[RowKind, pa.Table]]:
        """Columns of the tables of pages, each with its kind; without files that lack one."""
        for kind in PAGES:
            if table := self._live.get(kind):
                yield kind, table.select(columns)
            for part in snapshot(self._job.root, kind).parts:
                try:
                    table = pq.read_table(part.path, columns=columns, partitioning=None)
                    facts = table.select(columns)
                except (pa.ArrowException, OSError, KeyError):  # said when it is read whole
                    continue
                yield kind, facts

    def _live_tables(self) -> dict[RowKind, pa.Table]:
        by_kind: dict[RowKind, list[pa.Table]] = defaultdict(list)
        for _, path in journal_files(self._job.root):
            for kind, table in journal_tables(path).items():
                by_kind[kind].append(table)
        return {
            kind: pa.concat_tables(tables, promote_options="permissive")
            for kind, tables in by_kind.items()
        }

    @contextmanager
    def bucket(self, number: int) -> Iterator[BucketRows]:
        """Rows of one bucket; written, and the old parts deleted, at the end."""
        rows = BucketRows(self._old_rows(number), self._job.report)
        yield rows
        table = rows.table()
        folder = table_folder(self._job.target, "page") / f"bucket={number}"
        if table is not None:
            self._write(table, folder)
        if self._job.in_place:
            self._delete(part for part in self._page_parts() if part.bucket == number)

    def _write(self, table: pa.Table, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_part(table, part_path(folder, self._number, self._number))
        sync_folder(folder)

    def _old_rows(self, number: int) -> pa.Table | None:
        tables = [table for part in self._parts[number] if (table := self._read(part))]
        live = self._live.get("page")
        if live is not None:
            mine = live.filter(pc.field("bucket") == number)
            tables.append(mine.drop_columns("bucket"))
        return pa.concat_tables(tables, promote_options="permissive") if tables else None

    def _read(self, part: TableFile) -> pa.Table | None:
        try:
            return pq.read_table(part.path, partitioning=None)
        except (pa.ArrowException, OSError):
            self._job.report.parts_lost.append(part.path)
            if self._job.in_place:
                name = f"{part.folder.name}-{part.path.name}"
                part.path.rename(self._job.backup() / name)
            return None

    def _delete(self, parts: Iterator[TableFile]) -> None:
        for part in parts:
            if part.last < self._number:
                part.path.unlink(missing_ok=True)

    def finish(self) -> None:
        """Write the tables of the other kinds; in place, delete the journal."""
        for kind in TABLES:
            if kind not in PAGES:
                self._carry_over(kind)
        if self._job.in_place:
            self._delete(part for part in self._page_parts() if part.bucket is None)
            for _, path in journal_files(self._job.root):
                path.unlink()
            if journal_folder(self._job.root).is_dir():
                sync_folder(journal_folder(self._job.root))

    def _page_parts(self) -> Iterator[TableFile]:
        return (part for kind in PAGES for part in all_parts(self._job.root, kind))

    def _carry_over(self, kind: RowKind) -> None:
        tables = [t for part in snapshot(self._job.root, kind).parts if (t := self._read(part))]
        if kind in self._live:
            tables.append(self._live[kind])
        folder = table_folder(self._job.target, kind)
        if tables:
            table = pa.concat_tables(tables, promote_options="permissive")
            self._write(_each_once(table, kind), folder)
        if self._job.in_place:
            self._delete(iter(all_parts(self._job.root, kind)))


def _each_once(table: pa.Table, kind: RowKind) -> pa.Table:
    """Rows without repeats: what an interrupted salvage has written is read beside its sources."""
    place = ["url", "at" if kind in {"drop", "visit"} else "fetched_at"]
    numbered = table.select(place).append_column("row", pa.array(range(table.num_rows), pa.int64()))
    first = numbered.group_by(place).aggregate([("row", "min")])["row_min"]
    return table if len(first) == table.num_rows else table.take(first.sort())


class _OldRow(NamedTuple):
    """A row of a page and a body; there are several if the page went back to an earlier version."""

    version: int
    number: int
    date: int


def _by_page(old: pa.Table) -> dict[tuple[str, str], list[_OldRow]]:
    """Rows by URL and MD5, each version once."""
    n = old.num_rows
    versions = old["version"].to_pylist() if "version" in old.column_names else [None] * n
    names = ("url", "md5", "fetched_at")
    facts = zip(*(old[name].to_pylist() for name in names), versions, strict=True)
    by_page: dict[tuple[str, str], list[_OldRow]] = {}
    for number, (url, md5, fetched_at, version) in enumerate(facts):
        rows = by_page.setdefault((url, md5), [])
        row = _OldRow(version or 1, number, int(fetched_at or 0))
        if all(other.version != row.version for other in rows):
            rows.append(row)
    for rows in by_page.values():
        rows.sort()
    return by_page


class BucketRows:
    """Old rows of a bucket, and which of them belong to which salvaged record."""

    def __init__(self, old: pa.Table | None, report: SalvageReport) -> None:
        self._old = old
        self._report = report
        self._places: list[tuple[int, KeptRecord]] = []  # index of an old row, its record
        self._rebuilt: list[bytes] = []
        self._by_page: dict[tuple[str, str], list[_OldRow]] = {}
        if old is not None:
            self._by_page = _by_page(old)
            report.rows_dropped += old.num_rows

    def match(self, host: str, records: Sequence[KeptRecord]) -> None:
        """Find or make the row of each record of a host."""
        for record in records:
            rows = self._by_page.get((record.url, record.md5.hex()))
            if rows:
                same_date = (row for row in rows if row.date == record.date)
                row = next(same_date, rows[0])
                rows.remove(row)
                self._places.append((row.number, record))
                self._report.rows_kept += 1
                self._report.rows_dropped -= 1
            else:
                self._rebuilt.append(encode_row(_rebuilt(record, host)))
                self._report.rows_rebuilt += 1

    def table(self) -> pa.Table | None:
        """The new rows of the bucket; None if there are none."""
        tables = []
        if self._places and self._old is not None:
            tables.append(self._moved(self._old))
        if self._rebuilt:
            tables.append(rows_table("page", self._rebuilt).drop_columns("bucket"))
        if not tables:
            return None
        whole = pa.concat_tables(tables, promote_options="permissive")
        return whole.sort_by([("host", "ascending"), ("offset", "ascending")])

    def _moved(self, old: pa.Table) -> pa.Table:
        """Old rows that stay, pointing at where their records are now."""
        table = old.take(pa.array([index for index, _ in self._places], pa.int64()))
        for name in ("offset", "length"):
            values = pa.array([getattr(record, name) for _, record in self._places], pa.int64())
            table = table.set_column(table.column_names.index(name), name, values)
        return table


def _rebuilt(record_place: KeptRecord, host: str) -> PageRow:
    """A row made from nothing but the record: charset, title and links as in the crawl.

    What only the crawl knew is unknown: the level is 0, redirects are not counted.

    Raises:
        DamagedRecordError: the record is not there any more.
    """
    record = read_at(record_place.path, record_place.offset, record_place.length)
    reply = split_reply(record.data)
    page = Page.from_bytes(reply.body, record_place.url, reply.get("content-type"))
    if isinstance(page, PdfPage):  # its title is read by workers only
        page = UnparsedPage(b"", None, record_place.url)
    row = page_row(record_facts(record, reply, host=host), page, flags=("salvaged",))
    return replace(row, offset=record_place.offset, length=record_place.length)
