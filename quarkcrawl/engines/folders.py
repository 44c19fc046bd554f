"""Folders of Parquet files that appear whole or not at all."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import InputError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill that takes the place of another one once the block has ended well.

    Args:
        folder: its final name; a file of that name goes, too.
    """
    temporary = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield temporary
        if folder.is_file():
            folder.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files in a folder and below it, by name; hidden ones are left out.

    Args:
        folder: may hold other files too; one that is not there gives an empty list, a file itself.
    """
    if folder.is_file():
        return [folder]
    files = folder.rglob("*.parquet")
    return sorted(path for path in files if not path.name.startswith((".", "_")))


def count_rows(folder: Path) -> int:
    """Rows of all files of a folder, from their metadata."""
    return sum(pq.read_metadata(path).num_rows for path in parquet_files(folder))


_SQL_TYPES: Final = {
    pa.string(): "string",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}


def sql_columns(schema: pa.Schema, names: Iterable[str] = ()) -> dict[str, str]:
    """Columns and their types, by the names that both engines know.

    Args:
        schema: has these columns.
        names: which ones; none for all.
    """
    return {name: _sql_type(schema.field(name).type) for name in names or schema.names}


def _sql_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{_sql_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(f'{field.name}:{_sql_type(field.type)}' for field in kind)}>"
    return _SQL_TYPES[kind]


def check_columns(
    files: Sequence[Path | str], columns: Mapping[str, str], *, lenient: bool = False
) -> set[str]:
    """See that the files are Parquet and have the columns.

    Returns:
        Those of the columns that a file has.

    Raises:
        StoreError: a file cannot be read.
        InputError: a file lacks a column, unless that is allowed by ``lenient``.
    """
    present: set[str] = set()
    for path in files:
        try:
            names = pq.read_schema(path).names
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"not a Parquet file ({error})", where=path) from error
        missing = [name for name in columns if name not in names]
        if missing and not lenient:
            raise InputError(f"has no column {', '.join(missing)}", where=path)
        present.update(names)
    return present & columns.keys()
