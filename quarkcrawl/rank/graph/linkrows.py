"""The rows a link graph is made of, read column by column from the analysis tables.

Only the leaf columns that are needed are decoded, some pages at a time. URLs of links are read as
the dictionaries that they are stored as, so that no text is decoded once a link. What of a row
group cannot be read is left out and noted, other row groups of its file are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.progress import no_progress, reported
from quarkcrawl.store.tables import journal_tables, open_part, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables import RowKind


_BATCH_ROWS: Final = 8192
_UNREADABLE: Final = (pa.ArrowException, OSError, ValueError)


@dataclass(frozen=True, slots=True)
class DamagedPart:
    """Rows that could not be read.

    Args:
        path: the file.
        row_group: which part of it; -1: all of it.
        rows: how many rows are missing; -1: unknown.
        reason: what the reader said.
    """

    path: str
    row_group: int
    rows: int
    reason: str


def iter_columns(
    root: Path,
    kind: RowKind,
    leaves: Sequence[str],
    damaged: list[DamagedPart],
    on_progress: Progress = no_progress,
) -> Iterator[pa.Table]:
    """Some columns of a table of the corpus, a row group or journal file at a time.

    Args:
        root: the corpus.
        kind: which table.
        leaves: columns; of nested ones as ``links.url``.
        damaged: what cannot be read is added here.
        on_progress: is told of each Parquet file.

    Raises:
        FileNotFoundError: a crawl has compacted or merged files meanwhile; start again.
    """
    seen = snapshot(root, kind)
    top = {leaf.partition(".")[0] for leaf in leaves}
    for _, path in seen.journals:
        table = journal_tables(path).get(kind)
        if table is not None:
            yield table.select([name for name in table.column_names if name in top])
    paths, step = [part.path for part in seen.parts], f"files of {kind}s"
    yield from iter_files(reported(paths, step, on_progress, total=len(paths)), leaves, damaged)


def iter_files(
    paths: Iterable[Path], leaves: Sequence[str], damaged: list[DamagedPart]
) -> Iterator[pa.Table]:
    """Some columns of Parquet files, see `iter_columns`."""
    for path in paths:
        try:
            file = open_part(path)
        except FileNotFoundError:
            raise
        except OSError as error:
            damaged.append(DamagedPart(str(path), -1, -1, str(error)))
            continue
        with file:
            yield from _file_tables(path, file, leaves, damaged)


def _file_tables(
    path: Path, file: Any, leaves: Sequence[str], damaged: list[DamagedPart]
) -> Iterator[pa.Table]:
    try:
        texts = _paths(pq.ParquetFile(file).schema, {"links.url"})
        parquet = pq.ParquetFile(file, read_dictionary=texts)
    except _UNREADABLE as error:
        damaged.append(DamagedPart(str(path), -1, -1, str(error)))
        return
    columns = _paths(parquet.schema, set(leaves))
    for number in range(parquet.num_row_groups):
        rows = parquet.metadata.row_group(number).num_rows
        try:
            for batch in parquet.iter_batches(
                _BATCH_ROWS, row_groups=[number], columns=columns, use_threads=False
            ):
                rows -= batch.num_rows
                yield pa.Table.from_batches([batch])
        except _UNREADABLE as error:
            damaged.append(DamagedPart(str(path), number, rows, str(error)))


def _paths(schema: Any, leaves: set[str]) -> list[str]:
    """Names of leaf columns in the file: ``links.url`` is there ``links.list.element.url``."""
    paths = []
    for number in range(len(schema.names)):
        path: str = schema.column(number).path
        first, *inner = path.split(".")
        short = f"{first}.{inner[-1]}" if len(inner) > 2 else first
        if short in leaves:
            paths.append(path)
    return paths
