"""From a closed journal file to Parquet parts.

Crash-safe by order: parts are written under temporary names, synced, renamed, their folders
synced, and only then is the journal file deleted. Whoever dies in between leaves parts that
readers ignore and that the next compaction of the same file replaces.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.store.appendfile import storage_error, sync_folder
from quarkcrawl.store.columns import TABLES
from quarkcrawl.store.journal import journal_folder, journal_path, read_lines
from quarkcrawl.store.parts import part_path, table_folder
from quarkcrawl.store.rowarrow import rows_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quarkcrawl.store.rows import RowKind

__all__ = ["compact", "journal_tables", "write_part"]

_BLOCK_BYTES: Final = 8 * 1024 * 1024  # JSON parsed at once
_ROWS_PER_GROUP: Final = 8192


def compact(root: Path, number: int) -> int:
    """Write the rows of one closed journal file to Parquet and delete it.

    Args:
        root: the corpus.
        number: number of the journal file.

    Returns:
        How many rows were written.

    Raises:
        StorageFullError: no room; the journal file is still there, nothing is lost.
        StoreError: any other failure, likewise.
    """
    path = journal_path(root, number)
    try:
        tables = journal_tables(path)
        folders = {
            folder
            for kind, table in tables.items()
            for folder in _write_table(root, kind, table, number)
        }
        for folder in sorted(folders, reverse=True):
            sync_folder(folder)
        path.unlink()
        sync_folder(journal_folder(root))
    except OSError as error:
        raise storage_error(error, path) from error
    return sum(table.num_rows for table in tables.values())


def journal_tables(path: Path) -> dict[RowKind, pa.Table]:
    """Rows of a journal file as Arrow tables; damaged lines are left out."""
    found: dict[RowKind, list[pa.Table]] = {}
    for kind, payloads in _blocks(path):
        found.setdefault(kind, []).append(rows_table(kind, payloads))
    return {
        kind: pa.concat_tables(tables, promote_options="permissive")
        for kind, tables in found.items()
    }


def _blocks(path: Path) -> Iterator[tuple[RowKind, list[bytes]]]:
    """JSON texts of one kind, some megabytes at a time."""
    waiting: dict[RowKind, list[bytes]] = {kind: [] for kind in TABLES}
    sizes: dict[RowKind, int] = dict.fromkeys(TABLES, 0)
    for line in read_lines(path):
        kind = line.kind
        if line.payload is None or kind not in waiting:
            continue
        waiting[kind].append(line.payload)
        sizes[kind] += len(line.payload)
        if sizes[kind] >= _BLOCK_BYTES:
            yield kind, waiting[kind]
            waiting[kind], sizes[kind] = [], 0
    for kind, payloads in waiting.items():
        if payloads:
            yield kind, payloads


def _write_table(root: Path, kind: RowKind, table: pa.Table, number: int) -> Iterator[Path]:
    """Write one kind of rows; yields the folders that have new entries."""
    base = table_folder(root, kind)
    base.mkdir(parents=True, exist_ok=True)
    yield from (base, base.parent, root)
    if kind != "page":
        write_part(table, part_path(base, number, number))
        return
    table = table.sort_by([(name, "ascending") for name in ("bucket", "host", "offset")])
    for bucket_number, piece in _by_bucket(table):
        folder = base / f"bucket={bucket_number}"
        folder.mkdir(exist_ok=True)
        write_part(piece, part_path(folder, number, number))
        yield folder


def _by_bucket(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """Slices of a table sorted by bucket, without that column: the folder's name has it."""
    numbers = table.column("bucket").to_numpy()
    rest = table.drop_columns("bucket")
    start = 0
    while start < len(numbers):
        end = int(numbers.searchsorted(numbers[start], side="right"))
        yield int(numbers[start]), rest.slice(start, end - start)
        start = end


def write_part(table: pa.Table, path: Path) -> None:
    """Write a Parquet file that appears whole or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            pq.write_table(table, file, compression="zstd", row_group_size=_ROWS_PER_GROUP)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
