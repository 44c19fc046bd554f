"""Apache Spark as the engine: the same jobs on a cluster.

Files are read and written by the workers, so paths must mean the same on all machines (a shared
file system).
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from quarkcrawl.engines.folders import check_columns, count_rows, replaced_folder
from quarkcrawl.engines.session import spark_session
from quarkcrawl.errors import ConfigError, EngineError, StorageFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


_SQL = {"spark.sql.ansi.enabled": "true", "spark.sql.ansi.doubleQuotedIdentifiers": "true"}
_FULL = re.compile(r"no space left|disk quota exceeded|file too large", re.IGNORECASE)
_PARTITIONS = "spark.sql.shuffle.partitions"
_PARTITION_BYTES = 32 << 20  # of Parquet; some four times as much while rows are sorted
_MOST_PARTITIONS = 20_000
_GLOB = re.compile(r"([\[\]{}*?\\])")
_CAUSE = re.compile(r"(?:Caused by: |^)([^\n]+)")


class SparkEngine(AbstractContextManager["SparkEngine"]):
    """Runs jobs on a cluster through a session of its own.

    Args:
        master: a Spark master URL.
        app: name that the cluster shows.
        settings: Spark settings over ours.
        partitions: into how many parts rows are dealt that are sorted, joined or grouped; 0: one
            for each 32 MiB of the tables read, at least one a core. Spark puts small ones together.

    Raises:
        ConfigError: this is no master URL, or the number is negative.
        EngineError: the session cannot start.
    """

    name = "spark"

    def __init__(
        self,
        master: str,
        *,
        app: str = "quarkcrawl",
        settings: Mapping[str, str] | None = None,
        partitions: int = 0,
    ) -> None:
        if partitions < 0:
            raise ConfigError(f"{partitions} is not from 0", where="--partitions")
        self._master = master
        self._table_bytes: dict[str, int] = {}
        self._stack = ExitStack()
        if partitions:
            settings = {**(settings or {}), _PARTITIONS: str(partitions)}
        self.session = self._stack.enter_context(
            spark_session(master, app=app, settings={**_SQL, **(settings or {})})
        )
        # Also by spark-defaults.conf.
        self._is_fixed = self.session.sparkContext.getConf().contains(_PARTITIONS)
        self.session.sql(
            "CREATE OR REPLACE TEMPORARY FUNCTION row_hash(x STRING) RETURNS BIGINT"
            " RETURN xxhash64(x)"
        )

    def partition_for(self, n_bytes: int) -> None:
        """Deal rows into as many parts as so much Parquet needs, unless a number was given.

        Args:
            n_bytes: size of the files that the next queries read.
        """
        if not self._is_fixed:
            n_cores = self.session.sparkContext.defaultParallelism
            n_partitions = min(-(-n_bytes // _PARTITION_BYTES), _MOST_PARTITIONS)
            self.session.conf.set(_PARTITIONS, str(max(n_partitions, n_cores)))

    def table(
        self,
        name: str,
        files: Sequence[Path | str],
        columns: Mapping[str, str],
        *,
        lenient: bool = False,
    ) -> None:
        """See `Engine.table`."""
        check_columns(files, columns, lenient=lenient)
        self._table_bytes[name] = sum(Path(path).stat().st_size for path in files)
        self.partition_for(sum(self._table_bytes.values()))
        schema = ", ".join(f"`{column}` {kind}" for column, kind in columns.items())
        with self._told(name):
            if files:
                reader = self.session.read.schema(schema).option("recursiveFileLookup", "true")
                frame = reader.parquet(*(_GLOB.sub(r"\\\1", _place(path)) for path in files))
            else:
                frame = self.session.createDataFrame([], schema)
            frame.createOrReplaceTempView(name)

    def view(self, name: str, sql: str) -> None:
        """See `Engine.view`."""
        with self._told(name):
            self.session.sql(sql).createOrReplaceTempView(name)

    def write(self, sql: str, folder: Path) -> int:
        """See `Engine.write`."""
        with self._told(folder), replaced_folder(folder) as temporary:
            writer = self.session.sql(sql).write.mode("overwrite").option("compression", "zstd")
            writer.parquet(_place(temporary))
            self._drop_marks(temporary)
        return count_rows(folder)

    def keep(
        self,
        name: str,
        sql: str,
        folder: Path,
        function: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]] | None = None,
        schema: str = "",
    ) -> int:
        """Write the rows of a query on the workers, and give what was written a name.

        Args:
            name: name of the table in later queries.
            sql: the query.
            folder: where the files go.
            function: Python that the workers run on the rows, on the batches of a partition.
            schema: columns of what the function yields, in Spark's notation.

        Returns:
            The number of rows.

        Raises:
            StorageFullError: no room.
            EngineError: the engine gave up.
        """
        with self._told(folder), replaced_folder(folder) as temporary:
            frame = self.session.sql(sql)
            if function is not None:
                frame = frame.mapInArrow(function, schema)
            writer = frame.write.mode("overwrite").option("compression", "zstd")
            writer.parquet(_place(temporary))
            self._drop_marks(temporary)
        self.reopen(name, folder, frame.schema)
        return count_rows(folder)

    def reopen(self, name: str, folder: Path, schema: Any = None) -> None:
        """Give files that `keep` has written a name.

        Args:
            name: name of the table in later queries.
            folder: where the files are.
            schema: their columns; None: as the files have it.

        Raises:
            EngineError: there are none.
        """
        with self._told(folder):
            reader = self.session.read if schema is None else self.session.read.schema(schema)
            reader.parquet(_place(folder)).createOrReplaceTempView(name)

    @staticmethod
    def _drop_marks(folder: Path) -> None:
        """Checksums and success marks of Hadoop are of no use once the folder is in place."""
        for path in [*folder.rglob(".*.crc"), folder / "_SUCCESS"]:
            path.unlink(missing_ok=True)

    def fetch(self, sql: str) -> pa.Table:
        """See `Engine.fetch`."""
        with self._told("query"):
            return self.session.sql(sql).toArrow()

    @property
    def n_cores(self) -> int:
        """See `Cluster.n_cores`."""
        return int(self.session.sparkContext.defaultParallelism)

    def each(self, function: Callable[[int], str], numbers: Sequence[int]) -> list[str]:
        """See `Cluster.each`: a task of Spark for each number."""
        if not numbers:
            return []
        with self._told("tasks"):
            places = self.session.range(0, len(numbers), 1, numPartitions=len(numbers))
            call = partial(_call, function=function, numbers=tuple(numbers))
            replies: list[str] = (
                places.mapInArrow(call, "said string").toArrow()["said"].to_pylist()
            )
            return replies

    @contextmanager
    def _told(self, where: object) -> Iterator[None]:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra, and slow
        from pyspark.errors import PySparkException  # noqa: PLC0415

        try:
            yield
        except (PySparkException, Py4JError) as error:
            text = str(error)
            if _FULL.search(text):
                raise StorageFullError("no room on a worker", where=where) from error
            cause = _CAUSE.findall(text)[-1:] or [text]
            raise EngineError(f"Spark gave up ({cause[0][:500]})", where=where) from error

    def close(self) -> None:
        """Stop the session; safe to call twice."""
        self._stack.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _place(path: Path | str) -> str:
    """A local path for Hadoop, which takes it as it stands, without percent signs."""
    return f"file://{Path(path).absolute()}"


def _call(
    batches: Iterable[pa.RecordBatch], function: Callable[[int], str], numbers: tuple[int, ...]
) -> Iterator[pa.RecordBatch]:
    """What a worker does."""
    for batch in batches:
        said = [function(numbers[place]) for place in batch.column("id").to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(said, pa.string())], names=["said"])
