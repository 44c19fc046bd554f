"""Few large Parquet files instead of many small ones.

Each rotation adds a part to every bucket it touched. Once a folder has `MERGE_FROM` parts of one
journal file each, they become one merged part; merged parts are left alone (sixteen times larger
files, sixteen times fewer). The merged part is renamed into place before the old ones are
deleted; should the writer die in between, readers ignore what is covered and the next writer's
recovery deletes it.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import storage_errors, sync_folder, write_whole
from quarkcrawl.store.tables.arrow import conform
from quarkcrawl.store.tables.columns import TABLES
from quarkcrawl.store.tables.journal import journal_files
from quarkcrawl.store.tables.parts import TableFile, all_parts, covered, part_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


MERGE_FROM: Final = 16
_BATCH_ROWS: Final = 1024


def merge_parts(root: Path, *, limit: int | None = None) -> int:
    """Merge where it is worth it; returns how many merged parts were written.

    Args:
        root: the corpus.
        limit: most folders to merge now; None: all.

    Raises:
        StorageFullError: no room; nothing is lost.
        StoreError: a part cannot be read or written.
    """
    live = {number for number, _ in journal_files(root)}
    n_merged = 0
    for kind in TABLES:
        parts = [part for part in all_parts(root, kind) if part.first not in live]
        for folder, group in groupby(parts, key=lambda part: part.folder):
            small = [part for part in group if part.first == part.last]
            if len(small) >= MERGE_FROM and (limit is None or n_merged < limit):
                _merge(folder, small)
                n_merged += 1
    return n_merged


def _merge(folder: Path, parts: Sequence[TableFile]) -> None:
    try:
        with storage_errors(folder):
            with write_whole(part_path(folder, parts[0].first, parts[-1].last)) as target:
                _copy(parts, target)
            sync_folder(folder)
            for part in parts:
                part.path.unlink()
    except pa.ArrowException as error:
        raise StoreError(f"cannot merge ({error})", where=folder) from error


def _copy(parts: Sequence[TableFile], target: BinaryIO) -> None:
    """Row groups of all parts, one after the other: only a batch is in memory.

    The parts are sorted by host and offset each, and later parts have later offsets, so the rows
    of one host stay in the order of its page.dat but for other hosts between them.
    """
    schema = pa.unify_schemas(
        [pq.read_schema(part.path) for part in parts], promote_options="permissive"
    )
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for part in parts:
            with pq.ParquetFile(part.path, pre_buffer=False) as file:
                for batch in file.iter_batches(_BATCH_ROWS, use_threads=False):
                    writer.write_table(conform(pa.Table.from_batches([batch]), schema))


def delete_covered(root: Path) -> None:
    """Delete what a writer that died while merging left behind, and its temporary files."""
    for kind in TABLES:
        parts = all_parts(root, kind)
        for path in covered(parts):
            path.unlink(missing_ok=True)
        for folder in {part.folder for part in parts}:
            for path in folder.glob(".*.tmp"):
                path.unlink(missing_ok=True)
