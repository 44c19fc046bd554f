"""Checking a corpus: records, rows, and that each has the other."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.page import host_key
from quarkcrawl.store.layout import bucket, page_dat_path, stored_files
from quarkcrawl.store.marker import check_marker
from quarkcrawl.store.tables import journal_files, open_table, read_lines, read_table
from quarkcrawl.store.tianwang import Damage, LocatedRecord, read_records, split_reply, url_text

if TYPE_CHECKING:
    from collections.abc import Iterator


ProblemKind = Literal[
    "damaged record",
    "record without row",
    "row without record",
    "row and record differ",
    "two rows for one record",
    "url stored twice",
    "md5 stored twice",
    "wrong bucket",
    "wrong host",
    "damaged journal line",
]

_COLUMNS = ["url", "host", "bucket", "offset", "length", "md5", "body_bytes"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that should not be.

    Args:
        kind: what is wrong.
        where: ``path@offset`` or path.
        url: the page concerned, if known.
        detail: words for a person.
    """

    kind: ProblemKind
    where: str
    url: str | None = None
    detail: str = ""


def verify(root: Path | str) -> Iterator[Problem]:
    """Everything that is wrong with a corpus that no crawl is writing to.

    Every record is read and its MD5 computed; rows are read bucket by bucket.

    Args:
        root: folder of the corpus.

    Raises:
        StoreError: the folder is no corpus, or a table cannot be read.
    """
    root = Path(root)
    check_marker(root)
    yield from _journal(root)
    yield from _twice(root, "url", "url stored twice")
    yield from _twice(root, "md5", "md5 stored twice")
    rows = open_table(root, "page")
    files = defaultdict(list)
    for number, host, path in stored_files(root):
        files[number].append((host, path))
    with_rows = read_table(root, "page", columns=["bucket"])["bucket"].unique().to_pylist()
    for number in sorted({*files, *with_rows}):
        table = rows.to_table(columns=_COLUMNS, filter=pc.field("bucket") == number)
        yield from _bucket(root, number, files[number], table)


def _journal(root: Path) -> Iterator[Problem]:
    for _, path in journal_files(root):
        for line in read_lines(path):
            if line.payload is None:
                yield Problem("damaged journal line", f"{path}@{line.offset}")


def _twice(root: Path, column: str, kind: ProblemKind) -> Iterator[Problem]:
    table = read_table(root, "page", columns=[column])
    counts = table.group_by(column).aggregate([([], "count_all")])
    for row in counts.filter(pc.field("count_all") > 1).to_pylist():
        value, count = row[column], row["count_all"]
        yield Problem(kind, str(root), value if column == "url" else None, f"{value}: {count} rows")


def _bucket(
    root: Path, number: int, files: list[tuple[str, Path]], table: pa.Table
) -> Iterator[Problem]:
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in table.to_pylist():
        rows[row["host"]].append(row)
    for host, path in files:
        if bucket(host) != number:
            yield Problem("wrong bucket", str(path), detail=f"belongs into data_{bucket(host)}")
        yield from _file(host, path, rows.pop(host, []))
    for host, lost in rows.items():
        for row in lost:
            yield _lost(page_dat_path(root, host), row)


def _file(host: str, path: Path, rows: list[dict[str, Any]]) -> Iterator[Problem]:
    by_offset: dict[int, dict[str, Any]] = {}
    for row in rows:
        if row["offset"] in by_offset:
            where = f"{path}@{row['offset']}"
            yield Problem("two rows for one record", where, row["url"])
        by_offset[row["offset"]] = row
    for item in read_records(path):
        where = f"{path}@{item.offset}"
        if isinstance(item, Damage):
            yield Problem("damaged record", where, item.url, f"{item.kind}: {item.detail}")
        else:
            yield from _record(item, by_offset.pop(item.offset, None), host, where)
    for row in by_offset.values():
        yield _lost(path, row)


def _record(
    found: LocatedRecord, row: dict[str, Any] | None, host: str, where: str
) -> Iterator[Problem]:
    url = found.record.url
    if host_key(url_text(url)) != host:
        yield Problem("wrong host", where, url)
    if row is None:
        yield Problem("record without row", where, url)
    elif difference := _difference(found, row):
        yield Problem("row and record differ", where, url, difference)


def _lost(path: Path, row: dict[str, Any]) -> Problem:
    return Problem("row without record", f"{path}@{row['offset']}", row["url"])


def _difference(found: LocatedRecord, row: dict[str, Any]) -> str:
    """Names of what differs; "" when all is equal."""
    body = split_reply(found.record.data).body
    actual = {
        "url": url_text(found.record.url),
        "length": found.length,
        "md5": hashlib.md5(body, usedforsecurity=False).hexdigest(),
        "body_bytes": len(body),
    }
    return ", ".join(name for name, value in actual.items() if row[name] != value)
