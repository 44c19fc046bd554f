"""Versions of a page: one row a URL in the pages table, the earlier ones in a table of their own.

A page that had changed when it was asked for again is stored as a page with the column ``version``
(2, 3, …); the record before it stays where it is in page.dat. Once a run has ended, rows that have
a successor move:

    root/analysis/versions/bucket=214/part-000012.parquet

The rows that move are written first, then each part of the pages table without them is renamed
over the old one. Whoever dies in between has rows in both tables; the next settling mends that.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.store.appendfile import storage_errors, sync_folder, write_whole
from quarkcrawl.store.tables.arrow import conform
from quarkcrawl.store.tables.columns import schema_of
from quarkcrawl.store.tables.compaction import open_part, write_part
from quarkcrawl.store.tables.journal import journal_files
from quarkcrawl.store.tables.parts import (
    TableFile,
    folder_parts,
    last_number,
    part_path,
    snapshot,
    table_folder,
)
from quarkcrawl.store.tables.stream import iter_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables.rows import RowKind


_BATCH_ROWS: Final = 1024
_KINDS: Final[tuple[RowKind, ...]] = ("version", "page")
_FACTS: Final = ("url", "version", "fetched_at", "status", "md5", "body_bytes", "host", "offset")
_KEYS: Final = ("url", "host", "offset", "version")

Place = tuple[str, int]
"""Host and offset of a record."""


def settle_versions(root: Path, on_progress: Progress = no_progress) -> int:
    """Move rows of pages that have a newer version to the table of versions.

    The caller holds the lock; rows that are still in the journal stay, and so do all others then.

    Args:
        root: the corpus.
        on_progress: is told of files that were looked at.

    Returns:
        How many rows were moved.

    Raises:
        StorageFullError: no room; nothing is lost.
        StoreError: a part cannot be read or written.
    """
    if any(path.stat().st_size for _, path in journal_files(root)):
        return 0
    number = last_number(root) + 1
    n_moved = 0
    page_parts = snapshot(root, "page").parts
    step = CountedStep("files", on_progress, len(page_parts))
    for bucket, group in groupby(page_parts, key=lambda part: part.bucket):
        parts = list(group)
        try:
            with storage_errors(parts[0].folder):
                n_moved += _settle(root, parts, bucket, number)
        except pa.ArrowException as error:
            raise StoreError(f"cannot settle versions ({error})", where=parts[0].folder) from error
        step.add(len(parts))
    return n_moved


def page_versions(
    root: Path, url: str = "", *, on_progress: Progress = no_progress
) -> Iterator[dict[str, Any]]:
    """Facts of the versions of pages, the earliest of a page first; the last is current.

    Args:
        root: one corpus, or one shard.
        url: only this page, also if it has one version; empty: all that have several.
        on_progress: is told of rows that were read.

    Raises:
        StoreError: a table cannot be read.
    """
    step = CountedStep("rows", on_progress)
    urls = {url} if url else _urls_with_versions(root, step)
    versions: dict[str, list[dict[str, Any]]] = {}
    seen: set[Place] = set()  # a row is in both tables where a settling was killed
    for kind in _KINDS:
        for batch in iter_batches(root, kind, _FACTS):
            for row in batch.to_pylist():
                place = (row["host"], row["offset"])
                if row["url"] in urls and place not in seen:
                    seen.add(place)
                    row["version"] = row.get("version") or 1
                    versions.setdefault(row["url"], []).append(row)
            step.add(len(batch))
    for rows in versions.values():
        rows.sort(key=itemgetter("version"))
        for row in rows:
            yield row | {"current": row is rows[-1]}


def count_unsettled(root: Path) -> int:
    """Rows of the pages table that have a successor there: the table counts them as pages.

    Args:
        root: one corpus, or one shard.

    Raises:
        StoreError: a table cannot be read.
    """
    urls = {
        row["url"]
        for batch in iter_batches(root, "page", ("url", "version"))
        if "version" in batch.schema.names and batch["version"].null_count < len(batch)
        for row in batch.to_pylist()
        if row["version"]
    }
    if not urls:
        return 0
    url_array = pa.array(urls)
    batches = iter_batches(root, "page", ("url",))
    return sum(pc.sum(pc.is_in(b["url"], url_array)).as_py() or 0 for b in batches) - len(urls)


def _urls_with_versions(root: Path, step: CountedStep) -> set[str]:
    urls: set[str] = set()
    for kind in _KINDS:
        for batch in iter_batches(root, kind, ("url", "version")):
            rows = batch.to_pylist()
            urls.update(row["url"] for row in rows if kind == "version" or row.get("version"))
            step.add(len(batch))
    return urls


def _settle(root: Path, parts: Sequence[TableFile], bucket: int | None, number: int) -> int:
    keys = {part: _keys(part) for part in parts}
    if all(pc.max(table["version"]).as_py() is None for table in keys.values()):
        return 0
    earlier = _earlier(keys.values())
    if not earlier:
        return 0
    folder = table_folder(root, "version")
    if bucket is not None:
        folder /= f"bucket={bucket}"
    folder.mkdir(parents=True, exist_ok=True)
    places_there = {place for part in folder_parts(folder) for place in _places(_keys(part))}
    touched = [part for part in parts if not earlier.isdisjoint(_places(keys[part]))]
    rows = [
        batch for part in touched for batch in _batches(part, earlier - places_there, inside=True)
    ]
    if rows:
        schema = schema_of("version")
        wide = pa.unify_schemas([schema, *(r.schema for r in rows)], promote_options="permissive")
        moved = pa.concat_tables([conform(pa.Table.from_batches([r]), wide) for r in rows])
        if bucket is not None:
            moved = moved.drop_columns("bucket")
        write_part(moved, part_path(folder, number, number))
        for changed in (folder, folder.parent, folder.parent.parent):
            sync_folder(changed)
    for part in touched:
        _rewrite(part, earlier)
    return len(earlier)


def _keys(part: TableFile) -> pa.Table:
    """What tells the versions of pages apart, also of a part from before there were any."""
    with open_part(part.path) as source, pq.ParquetFile(source, pre_buffer=False) as file:
        names = [name for name in _KEYS if name in file.schema_arrow.names]
        table = file.read(columns=names, use_threads=False)
    if "version" not in names:
        table = table.append_column("version", pa.nulls(table.num_rows, pa.int32()))
    return table


def _places(keys: pa.Table) -> list[Place]:
    return list(zip(keys["host"].to_pylist(), keys["offset"].to_pylist(), strict=True))


def _earlier(tables: Iterable[pa.Table]) -> set[Place]:
    """Places of all rows but the newest of each URL."""
    newest: dict[str, tuple[int, Place]] = {}
    earlier: set[Place] = set()
    for table in tables:
        for row in zip(*(table[name].to_pylist() for name in _KEYS), strict=True):
            url, host, offset, version = row
            mine = (version or 1, (host, offset))
            other = newest.get(url)
            if other is None:
                newest[url] = mine
            else:
                newest[url], old = max(mine, other), min(mine, other)
                earlier.add(old[1])
    return earlier


def _batches(part: TableFile, places: set[Place], *, inside: bool) -> list[pa.RecordBatch]:
    """Rows of a part whose record is at one of these places, or is not."""
    with open_part(part.path) as source, pq.ParquetFile(source, pre_buffer=False) as file:
        return [
            rows
            for batch in file.iter_batches(_BATCH_ROWS, use_threads=False)
            if (rows := _chosen(batch, places, inside=inside)).num_rows
        ]


def _chosen(batch: pa.RecordBatch, places: set[Place], *, inside: bool) -> pa.RecordBatch:
    rows: Any = zip(batch["host"].to_pylist(), batch["offset"].to_pylist(), strict=True)
    return batch.filter(pa.array([(place in places) is inside for place in rows], pa.bool_()))


def _rewrite(part: TableFile, places: set[Place]) -> None:
    """Replace a part by one without the rows at these places."""
    with (
        open_part(part.path) as source,
        pq.ParquetFile(source, pre_buffer=False) as file,
        write_whole(part.path) as target,
        pq.ParquetWriter(target, file.schema_arrow, compression="zstd") as writer,
    ):
        for batch in file.iter_batches(_BATCH_ROWS, use_threads=False):
            writer.write_batch(_chosen(batch, places, inside=False))
    sync_folder(part.folder)
