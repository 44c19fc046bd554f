"""Parts of tables that a job makes: read whole, and written anew without rows that are stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.store import storage_errors, sync_folder
from quarkcrawl.store.tables import open_part, write_part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def read_part(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a part.

    Args:
        path: the file.
        columns: which columns; None for all.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        with open_part(path) as file:
            return pq.read_table(file, columns=columns)
    except (OSError, pa.ArrowException) as error:
        message = f"cannot read a part ({error}); delete it, and what it held is done again"
        raise StoreError(message, where=path) from error


def replace_part(path: Path, rest: pa.Table) -> None:
    """Write a part anew under its old name; without rows it goes.

    Args:
        path: the file.
        rest: the rows that stay.

    Raises:
        StorageFullError: no room; the part is as it was.
        StoreError: any other failure, likewise.
    """
    with storage_errors(path):
        if rest.num_rows:
            write_part(rest, path)
        else:
            path.unlink()
        sync_folder(path.parent)
