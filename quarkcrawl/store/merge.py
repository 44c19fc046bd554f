"""Few large Parquet files instead of many small ones.

Each rotation adds a part to every bucket it touched. Once a folder has `MERGE_FROM` parts of one
journal file each, they become one merged part; merged parts are left alone (sixteen times larger
files, sixteen times fewer). The merged part is renamed into place before the old ones are
deleted; should the writer die in between, readers ignore what is covered and the next writer's
recovery deletes it.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import storage_error, sync_folder
from quarkcrawl.store.columns import TABLES
from quarkcrawl.store.compaction import write_part
from quarkcrawl.store.journal import journal_files
from quarkcrawl.store.parts import Part, all_parts, covered, part_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["MERGE_FROM", "delete_covered", "merge_parts"]

MERGE_FROM: Final = 16


def merge_parts(root: Path) -> int:
    """Merge where it is worth it; returns how many merged parts were written.

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
            if len(small) >= MERGE_FROM:
                _merge(folder, small)
                n_merged += 1
    return n_merged


def _merge(folder: Path, parts: Sequence[Part]) -> None:
    try:
        tables = [pq.read_table(part.path, partitioning=None) for part in parts]
        table = pa.concat_tables(tables, promote_options="permissive")
        if {"host", "offset"} <= set(table.column_names):
            table = table.sort_by([("host", "ascending"), ("offset", "ascending")])
        write_part(table, part_path(folder, parts[0].first, parts[-1].last))
        sync_folder(folder)
        for part in parts:
            part.path.unlink()
    except OSError as error:
        raise storage_error(error, folder) from error
    except pa.ArrowException as error:
        raise StoreError(f"cannot merge ({error})", where=folder) from error


def delete_covered(root: Path) -> None:
    """Delete what a writer that died while merging left behind, and its temporary files."""
    for kind in TABLES:
        parts = all_parts(root, kind)
        for path in covered(parts):
            path.unlink(missing_ok=True)
        for folder in {part.folder for part in parts}:
            for path in folder.glob(".*.tmp"):
                path.unlink(missing_ok=True)
