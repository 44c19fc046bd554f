"""From a closed journal file to Parquet parts.

Crash-safe by order: parts are written under temporary names, synced, renamed, their folders
synced, and only then is the journal file deleted. Whoever dies in between leaves parts that
readers ignore and that the next compaction of the same file replaces.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.store.appendfile import storage_errors, sync_folder, write_whole
from quarkcrawl.store.tables.arrow import rows_table
from quarkcrawl.store.tables.columns import TABLES
from quarkcrawl.store.tables.journal import journal_folder, journal_path, read_lines
from quarkcrawl.store.tables.parts import part_path, table_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from quarkcrawl.store.tables.rows import RowKind


_BLOCK_BYTES: Final = 2 * 1024 * 1024  # JSON parsed at once
_PLACE = re.compile(rb',"host":"([^"]*)","level":-?\d+,"bucket":(\d+),"offset":(\d+),')
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
    with storage_errors(path):
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
    return sum(table.num_rows for table in tables.values())


def journal_tables(path: Path) -> dict[RowKind, pa.Table]:
    """Rows of a journal file as Arrow tables; damaged lines are left out.

    Pages come sorted by bucket, host and offset. Sorting the JSON texts takes a tenth of the
    time of sorting the table with its lists of links.
    """
    payloads: dict[str, list[bytes]] = {kind: [] for kind in TABLES}
    for line in read_lines(path):
        if line.payload is not None and line.kind in payloads:
            payloads[line.kind].append(line.payload)
    payloads["page"].sort(key=_place)
    return {
        kind: pa.concat_tables(
            [rows_table(kind, block) for block in _blocks(payloads[kind])],
            promote_options="permissive",
        )
        for kind in TABLES
        if payloads[kind]
    }


def _place(payload: bytes) -> tuple[int, bytes, int]:
    """Bucket, host and offset of a page row.

    No string in the row can look like them: quotes within a string have a backslash before them.
    """
    match = _PLACE.search(payload)
    return (int(match[2]), match[1], int(match[3])) if match else (-1, b"", 0)


def _blocks(payloads: list[bytes]) -> Iterator[list[bytes]]:
    """The texts, some megabytes at a time."""
    start = size = 0
    for index, payload in enumerate(payloads):
        size += len(payload)
        if size >= _BLOCK_BYTES:
            yield payloads[start : index + 1]
            start, size = index + 1, 0
    if start < len(payloads):
        yield payloads[start:]


def _write_table(root: Path, kind: RowKind, table: pa.Table, number: int) -> Iterator[Path]:
    """Write one kind of rows; yields the folders that have new entries."""
    base = table_folder(root, kind)
    base.mkdir(parents=True, exist_ok=True)
    yield from (base, base.parent, root)
    if kind != "page":
        write_part(table, part_path(base, number, number), compression="snappy")
        return
    for bucket_number, piece in by_bucket(table):
        folder = base / f"bucket={bucket_number}"
        folder.mkdir(exist_ok=True)
        write_part(piece, part_path(folder, number, number), compression="snappy")
        yield folder


def by_bucket(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """Slices of a table sorted by bucket, without that column: the folder's name has it.

    Args:
        table: rows of pages.
    """
    numbers = table.column("bucket").to_numpy()
    rest = table.drop_columns("bucket")
    start = 0
    while start < len(numbers):
        end = int(numbers.searchsorted(numbers[start], side="right"))
        yield int(numbers[start]), rest.slice(start, end - start)
        start = end


def open_part(path: Path) -> pa.NativeFile:
    """Open a Parquet file so that Arrow reads it without Python.

    Arrow reads on threads of its own, which may let go of a file after the caller has. If it is a
    file of Python, they need the interpreter for that, and where it is on its way out by then, the
    process aborts ("terminate called without an active exception").
    Without ``pre_buffer`` a part is read in the caller's thread, as at the end of a process.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be opened.
    """
    try:
        return pa.OSFile(str(path))
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def write_part(table: pa.Table, path: Path, *, compression: str = "zstd") -> None:
    """Write a table to a Parquet file that appears whole or not at all.

    Small parts that will be merged take ``"snappy"``: of 25 rows, half the time of ``"zstd"``.
    """
    with write_whole(path) as file:
        pq.write_table(table, file, compression=compression, row_group_size=_ROWS_PER_GROUP)
