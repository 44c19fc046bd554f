"""Tables of a selection: Parquet files that are whole or not there.

The steps hand tables to each other through a work folder; a step that is stopped, or that runs
into a full disk, leaves the table of its last whole run.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from quarkcrawl.errors import InputError
from quarkcrawl.store import storage_errors, waiting_lock, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa


def write_table(path: Path, table: pa.Table) -> None:
    """Write a Parquet file in place of the one that is there.

    Raises:
        StorageFullError: no room; the old file stays.
        StoreError: any other failure to write; the old file stays.
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to load

    with _replacing(path) as file:
        pq.write_table(table, file, compression="zstd")


def read_table(path: Path, columns: Sequence[str]) -> pa.Table:
    """Read a table that must have these columns.

    Args:
        path: Parquet file of an earlier step.
        columns: names that it must have.

    Raises:
        InputError: the file is missing or damaged, or a column is missing; names them.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError("is not there; run the step before", where=path) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"not a Parquet file ({error})", where=path) from error
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        has = ", ".join(table.column_names)
        raise InputError(f"no column {', '.join(missing)} (it has: {has})", where=path)
    return table


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file in place of the one that is there.

    Raises:
        StoreError: it cannot be written; the old file stays.
    """
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8) in place of the one that is there.

    Args:
        path: the file.
        text: all that it is to hold.

    Raises:
        StoreError: it cannot be written; the old file stays.
    """
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file in place of the one that is there.

    Args:
        path: the file.
        data: all that it is to hold.

    Raises:
        StoreError: it cannot be written; the old file stays.
    """
    with _replacing(path) as file:
        file.write(data)


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Args:
        path: file of an earlier step.

    Raises:
        InputError: it is missing or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("is not there; run the step before", where=path) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error


@contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """The right to write files of a work folder that depend on what is there; others wait.

    A decision of a person and the end of a filter, in another process, write the same table.

    Raises:
        StoreError: the folder cannot be written.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with waiting_lock(folder / ".lock"):
            yield


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file, written by the block, that then takes the place of ``path``."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_whole(path) as file:
            yield file
