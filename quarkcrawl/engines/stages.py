"""Tables that lie on disk between two steps of a job on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from quarkcrawl.engines.spark import SparkEngine


class SparkStages:
    """Writes tables into one folder, each under its name.

    Args:
        engine: the cluster.
        folder: where they go; all workers reach it.
    """

    def __init__(self, engine: SparkEngine, folder: Path) -> None:
        self.engine = engine
        self.folder = folder

    def keep(
        self,
        name: str,
        sql: str,
        function: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]] | None = None,
        schema: str = "",
    ) -> int:
        """Write the rows of a query as a table, see `SparkEngine.keep`.

        Args:
            name: name of the table, and of its folder.
            sql: the query.
            function: Python that the workers run on the rows.
            schema: columns of what the function yields.

        Returns:
            The number of rows.
        """
        return self.engine.keep(name, sql, self.folder / name, function, schema)

    def reopen(self, name: str) -> None:
        """Have a table again that an earlier run has written.

        Args:
            name: name of the table.
        """
        self.engine.reopen(name, self.folder / name)

    def view(self, name: str, sql: str) -> None:
        """Give a query a name.

        Args:
            name: name in later queries.
            sql: the query.
        """
        self.engine.view(name, sql)

    def row(self, sql: str) -> dict[str, Any]:
        """The one row of a query.

        Args:
            sql: the query.
        """
        row: dict[str, Any] = self.engine.fetch(sql).to_pylist()[0]
        return row

    def n_bytes(self, name: str) -> int:
        """Size of a table on disk.

        Args:
            name: name of the table.
        """
        return sum(path.stat().st_size for path in (self.folder / name).glob("*.parquet"))
