"""What a corpus job asks of an engine.

A job is SQL in the words that DuckDB and Spark share, kept as one text: GROUP BY, window functions,
ANTI and SEMI JOIN, string functions that count in characters. Where the engines differ, each
defines a function of the same name (`SHARED_FUNCTIONS`). Both compare strings by their bytes, so
results are the same, row for row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa


SHARED_FUNCTIONS: Final = {
    "row_hash": "64-bit hash of a text; differs between engines, so for pre-selection only",
}
"""Functions that each engine defines, and what they do."""


class Engine(Protocol):
    """DuckDB or Spark, ready to run SQL; a context manager that frees it."""

    name: str

    def table(
        self,
        name: str,
        files: Sequence[Path | str],
        columns: Mapping[str, str],
        *,
        lenient: bool = False,
    ) -> None:
        """Make Parquet files a table.

        Args:
            name: name of the table.
            files: the files; none make an empty table.
            columns: columns of the table and their types, see `sql_columns`.
            lenient: columns that a file lacks, since an earlier version wrote it, are NULL.

        Raises:
            StoreError: a file cannot be read.
            InputError: a file lacks one of the columns.
        """

    def view(self, name: str, sql: str) -> None:
        """Give a query a name; it is computed wherever the name is used.

        Args:
            name: name in later queries.
            sql: the query.
        """

    def write(self, sql: str, folder: Path) -> int:
        """Write the rows of a query as Parquet files that appear whole or not at all.

        Args:
            sql: the query.
            folder: where the files go; what was there before is replaced.

        Returns:
            The number of rows.

        Raises:
            StorageFullError: no room.
            EngineError: the engine gave up.
        """

    def fetch(self, sql: str) -> pa.Table:
        """The rows of a query, in memory.

        Args:
            sql: the query.

        Raises:
            EngineError: the engine gave up.
        """


class Cluster(Protocol):
    """Machines that do numbered tasks; only a line of text comes back from each."""

    @property
    def n_cores(self) -> int:
        """How many tasks run at once."""

    def each(self, function: Callable[[int], str], numbers: Sequence[int]) -> Iterable[str]:
        """Call a function with each number, somewhere; a task whose machine dies is done again.

        Args:
            function: picklable; may be called twice with a number, also at once.
            numbers: each once.

        Returns:
            What it returned, in any order.

        Raises:
            EngineError: the cluster gave up.
        """
