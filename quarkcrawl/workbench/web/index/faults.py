"""Files of a corpus that cannot be read: the rest is shown, and the views say what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.errors import QuarkError
from quarkcrawl.store.tables import snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quarkcrawl.store.tables import RowKind


@dataclass(frozen=True, slots=True)
class TableFault:
    """Something that the tables lack.

    Args:
        table: kind of its rows, or a name of `quarkcrawl.workbench.web.index.tables.OPTIONAL`.
        path: the file; of a table that cannot be read at all its corpus.
        why: what the reader said.
    """

    table: str
    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class TablesNote:
    """What there is to know of a copy of the tables.

    Args:
        as_of: epoch seconds at which the copy was begun.
        is_growing: whether somebody writes to the corpus at this moment.
        faults: what it lacks.
    """

    as_of: float
    is_growing: bool
    faults: tuple[TableFault, ...] = ()


def first_line(error: Exception) -> str:
    """The first line of what a reader said; DuckDB adds the statement below."""
    return str(error).partition("\n")[0] or type(error).__name__


def read_errors() -> tuple[type[Exception], ...]:
    """What reading a table may raise."""
    import duckdb  # noqa: PLC0415 - slow, and not needed without a corpus
    import pyarrow as pa  # noqa: PLC0415

    return QuarkError, OSError, pa.ArrowException, duckdb.Error


def damaged_parts(root: Path, kind: RowKind, columns: Sequence[str]) -> list[TableFault]:
    """Parquet files of a table that cannot be read from end to end, and why."""
    damages = ((part.path, _damage(part.path, columns)) for part in snapshot(root, kind).parts)
    return [TableFault(kind, path, why) for path, why in damages if why]


def _damage(path: Path, columns: Sequence[str]) -> str:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        with pq.ParquetFile(path) as file:
            names = [name for name in columns if name in file.schema_arrow.names]
            for batch in file.iter_batches(columns=names):
                batch.validate(full=True)
    except FileNotFoundError:  # a merge has taken it: no damage
        return ""
    except (OSError, pa.ArrowException) as error:
        return first_line(error)
    return ""
