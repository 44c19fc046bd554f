"""Options of the commands that run on DuckDB or Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:
    from quarkcrawl.engines import DuckEngine, SparkEngine


EngineName = Annotated[str, Option("--engine", metavar="duckdb|spark", help="What runs the job.")]
SparkMaster = Annotated[
    str, Option("--spark-master", metavar="URL", help="Cluster, for --engine spark.")
]
MemoryMb = Annotated[int, Option("--memory-mb", help="Memory of DuckDB.")]


def opened_engine(name: str, master: str, memory_mb: int) -> DuckEngine | SparkEngine:
    """The engine that the options name.

    Raises:
        ConfigError: they do not go together.
        EngineError: it cannot start.
    """
    from quarkcrawl.engines import open_engine  # noqa: PLC0415 - slow to import

    return open_engine(name, master=master or None, memory_bytes=max(memory_mb, 64) << 20)
