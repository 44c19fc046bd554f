"""A Parquet file that is written row by row and takes the memory of a batch."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_BATCH_ROWS: Final = 10_000  # of pictures, with some kilobytes of text each


class GrowingTable(AbstractContextManager["GrowingTable"]):
    """A table that grows; whole once it is closed.

    Args:
        target: the file, or its path; give it its final name when all is well.
        schema: columns, and what the file says of itself.
    """

    def __init__(self, target: Path | BinaryIO, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(target, schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add a row.

        Args:
            row: values by column; those that are missing are NULL.
        """
        self._rows.append(row)
        if len(self._rows) >= _BATCH_ROWS:
            self.flush()

    def write(self, rows: pa.Table) -> None:
        """Add rows that are a table already.

        Args:
            rows: with the columns of this table.
        """
        self.flush()
        self._writer.write_table(rows)

    def note(self, values: Mapping[str, str]) -> None:
        """Let the file say something of itself that is known only at its end.

        Args:
            values: added to the metadata of the file.
        """
        self._writer.add_key_value_metadata(values)

    def flush(self) -> None:
        """Write the rows that are in memory, as a row group."""
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows = []

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.flush()
        finally:
            self._writer.close()
