"""Checking a corpus: records, rows, and that each has the other."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.page import host_key
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.store.layout import bucket, page_dat_path, stored_files
from quarkcrawl.store.marker import check_marker
from quarkcrawl.store.tables import journal_files, open_table, read_lines, total_rows
from quarkcrawl.store.tianwang import Damage, LocatedRecord, read_records, split_reply, url_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow.dataset as ds

    from quarkcrawl.progress import Progress


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
_TWICE: Final[dict[str, ProblemKind]] = {"url": "url stored twice", "md5": "md5 stored twice"}
_BATCH_ROWS = 4096


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


def verify(root: Path | str, *, on_progress: Progress = no_progress) -> Iterator[Problem]:
    """Everything that is wrong with a corpus that no crawl is writing to.

    Every record is read and its MD5 computed; rows are read bucket by bucket.

    Args:
        root: folder of the corpus.
        on_progress: is told of rows and of records, some thousands at a time.

    Raises:
        StoreError: the folder is no corpus, or a table cannot be read.
    """
    root = Path(root)
    check_marker(root)
    yield from _journal(root)
    rows = open_table(root, "page")
    n_rows = total_rows([root], "page")
    for column, kind in _TWICE.items():
        step = CountedStep(f"{column} of rows", on_progress, n_rows)
        yield from _twice(rows, root, column, kind, step)
    earlier = open_table(root, "version")
    step = CountedStep("records", on_progress, total_rows([root], "page", "version"))
    files = defaultdict(list)
    for number, host, path in stored_files(root):
        files[number].append((host, path))
    batches = rows.to_batches(columns=["bucket"], cache_metadata=False)
    with_rows = {number for batch in batches for number in batch.column(0).unique().to_pylist()}
    for number in sorted({*files, *with_rows}):
        mine = pc.field("bucket") == number
        tables = [
            table.to_table(columns=_COLUMNS, filter=mine, cache_metadata=False)
            for table in (rows, earlier)
        ]
        yield from _bucket(root, number, files[number], pa.concat_tables(tables), step)


def _journal(root: Path) -> Iterator[Problem]:
    for _, path in journal_files(root):
        for line in read_lines(path):
            if line.payload is None:
                yield Problem("damaged journal line", f"{path}@{line.offset}")


def _twice(
    rows: ds.Dataset, root: Path, column: str, kind: ProblemKind, step: CountedStep
) -> Iterator[Problem]:
    """Values that stand in several rows; eight bytes a row are held, and rows are read twice.

    Versions of a page that are not settled yet have its URL, and may have a body of before.
    """
    keys = np.fromiter(map(_key, _values(rows, column, step)), np.uint64)
    keys.sort()
    suspects = set(keys[:-1][keys[1:] == keys[:-1]].tolist())
    if not suspects:
        return
    counts = Counter(value for value in _values(rows, column) if _key(value) in suspects)
    for value, count in counts.items():
        if count > 1:
            url = value.partition(": version ")[0] if column == "url" else None
            yield Problem(kind, str(root), url, f"{value}: {count} rows")


def _values(rows: ds.Dataset, column: str, step: CountedStep | None = None) -> Iterator[str]:
    # The metadata of all files would stay in memory, .3 MiB each.
    columns = list(dict.fromkeys([column, "url", "version"]))
    for batch in rows.to_batches(columns=columns, batch_size=_BATCH_ROWS, cache_metadata=False):
        values = (batch.column(name).to_pylist() for name in (column, "url", "version"))
        for value, url, version in zip(*values, strict=True):
            yield value if version is None else f"{value}: version {version} of {url}"
        if step is not None:
            step.add(len(batch))


def _key(value: str) -> int:
    digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest)


def _bucket(
    root: Path, number: int, files: list[tuple[str, Path]], table: pa.Table, step: CountedStep
) -> Iterator[Problem]:
    table = table.sort_by([("host", "ascending"), ("offset", "ascending")])
    rows: dict[str, pa.Table] = {}
    start = 0
    for host, count in zip(*table["host"].value_counts().flatten(), strict=True):
        rows[host.as_py()] = table.slice(start, count.as_py())
        start += count.as_py()
    for host, path in files:
        if bucket(host) != number:
            yield Problem("wrong bucket", str(path), detail=f"belongs into data_{bucket(host)}")
        yield from _file(host, path, _dicts(rows.pop(host, table.slice(0, 0)), step))
    for host, lost in rows.items():
        for row in _dicts(lost, step):
            yield _lost(page_dat_path(root, host), row)


def _dicts(rows: pa.Table, step: CountedStep) -> Iterator[dict[str, Any]]:
    for batch in rows.to_batches(max_chunksize=_BATCH_ROWS):
        yield from batch.to_pylist()
        step.add(len(batch))


def _file(host: str, path: Path, rows: Iterator[dict[str, Any]]) -> Iterator[Problem]:
    """What is wrong with a file and its rows, both in the order of their places."""
    row = next(rows, None)
    for item in read_records(path):
        where = f"{path}@{item.offset}"
        if isinstance(item, Damage):
            yield Problem("damaged record", where, item.url, f"{item.kind}: {item.detail}")
            continue
        while row is not None and row["offset"] < item.offset:
            yield _lost(path, row)
            row = next(rows, None)
        mine = None
        while row is not None and row["offset"] == item.offset:
            if mine is not None:
                yield Problem("two rows for one record", where, row["url"])
            mine, row = row, next(rows, None)
        yield from _record(item, mine, host, where)
    while row is not None:
        yield _lost(path, row)
        row = next(rows, None)


def _record(
    located: LocatedRecord, row: dict[str, Any] | None, host: str, where: str
) -> Iterator[Problem]:
    url = located.record.url
    if host_key(url_text(url)) != host:
        yield Problem("wrong host", where, url)
    if row is None:
        yield Problem("record without row", where, url)
    elif difference := _difference(located, row):
        yield Problem("row and record differ", where, url, difference)


def _lost(path: Path, row: dict[str, Any]) -> Problem:
    return Problem("row without record", f"{path}@{row['offset']}", row["url"])


def _difference(located: LocatedRecord, row: dict[str, Any]) -> str:
    """Names of what differs; "" when all is equal."""
    body = split_reply(located.record.data).body
    actual = {
        "url": url_text(located.record.url),
        "length": located.length,
        "md5": hashlib.md5(body, usedforsecurity=False).hexdigest(),
        "body_bytes": len(body),
    }
    return ", ".join(name for name, value in actual.items() if row[name] != value)
