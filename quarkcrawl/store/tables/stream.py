"""Reading a table row by row, also while a crawl writes, compacts and merges.

What is seen is the table as it was at the beginning. The rows of the live journal files are taken
first; then, folder by folder, all parts are opened at once: a file that a merge deletes afterwards
stays readable. A merged part may hold rows of journal files that were live at the beginning; these
are recognized by their place (host and offset, or URL) and left out.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.store.tables.arrow import row_fields
from quarkcrawl.store.tables.compaction import journal_tables, open_part
from quarkcrawl.store.tables.journal import journal_files
from quarkcrawl.store.tables.json import decode_row
from quarkcrawl.store.tables.parts import (
    TableFile,
    all_parts,
    covered,
    folder_parts,
    retried,
    stable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables.rows import Row, RowKind


_BATCH_ROWS = 1024
_NEVER = 1 << 62
_KEYS: dict[RowKind, tuple[str, ...]] = {
    "page": ("host", "offset"),
    "version": ("host", "offset"),
    "visit": ("url", "at"),
}


def iter_rows(root: Path, kind: RowKind) -> Iterator[Row]:
    """Rows one after the other; a batch at a time is in memory, and the live journal.

    Raises:
        StoreError: a Parquet file cannot be read.
    """
    for batch in iter_batches(root, kind):
        for row in batch.to_pylist():
            yield decode_row({"kind": kind} | row_fields(row))


def iter_batches(
    root: Path,
    kind: RowKind,
    columns: Sequence[str] | None = None,
    on_progress: Progress = no_progress,
) -> Iterator[pa.RecordBatch]:
    """The table in batches; of columns not in every file, batches have those that are.

    ``on_progress`` is told of each bucket: how many rows they have would have to be read before.

    Raises:
        StoreError: a Parquet file cannot be read.
    """
    live, horizon = retried(partial(_live, root, kind), root)
    parts = stable(lambda: all_parts(root, kind))
    key = _KEYS.get(kind, ("url",))
    seen = {pair for table in live for pair in _keys(table, key)}
    folders = sorted({(part.bucket or 0, part.folder) for part in parts})
    step = f"buckets of {kind}s"
    for bucket, folder in reported(folders, step, on_progress, total=len(folders)):
        with ExitStack() as stack:
            for part, file in retried(partial(_open, folder, horizon, stack), folder):
                spans = part.last >= horizon
                yield from _part_batches(file, part, bucket, columns, seen if spans else None, key)
    for table in live:
        yield from (table if columns is None else table.select(columns)).to_batches(_BATCH_ROWS)


def _live(root: Path, kind: RowKind) -> tuple[list[pa.Table], int]:
    """Rows in the journal, and the number of its first file."""
    files = journal_files(root)
    tables = [table for _, path in files if (table := journal_tables(path).get(kind))]
    return tables, min((number for number, _ in files), default=_NEVER)


def _keys(batch: pa.Table | pa.RecordBatch, key: Sequence[str]) -> list[tuple[Any, ...]]:
    return list(zip(*(batch.column(name).to_pylist() for name in key), strict=True))


def _open(folder: Path, horizon: int, stack: ExitStack) -> list[tuple[TableFile, pq.ParquetFile]]:
    parts = stable(lambda: folder_parts(folder))
    hidden = covered(parts)
    live = [part for part in parts if part.first < horizon and part.path not in hidden]
    with ExitStack() as mine:  # closes those that were opened before one that is gone
        files = [mine.enter_context(open_part(part.path)) for part in live]
        stack.push(mine.pop_all())
    return [(part, _parquet(part, file)) for part, file in zip(live, files, strict=True)]


def _parquet(part: TableFile, file: Any) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(file)
    except pa.ArrowInvalid as error:
        raise StoreError(f"not a Parquet file ({error})", where=part.path) from error


def _part_batches(
    file: pq.ParquetFile,
    part: TableFile,
    bucket: int,
    columns: Sequence[str] | None,
    seen: set[tuple[Any, ...]] | None,
    key: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    names = file.schema_arrow.names
    selected = names if columns is None else [name for name in columns if name in names]
    read = selected if seen is None else list(dict.fromkeys([*selected, *key]))
    for raw in file.iter_batches(_BATCH_ROWS, columns=read):
        batch = raw
        if seen:
            batch = batch.filter(pa.array([k not in seen for k in _keys(batch, key)], pa.bool_()))
        batch = batch.select(selected)
        if part.bucket is not None and (columns is None or "bucket" in columns):
            numbers = pa.array([bucket] * batch.num_rows, pa.int32())
            batch = batch.append_column("bucket", numbers)
        yield batch
