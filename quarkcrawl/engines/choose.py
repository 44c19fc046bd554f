"""The engine that a person names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.engines.duck import DuckEngine
from quarkcrawl.engines.spark import SparkEngine
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


ENGINES: Final = ("duckdb", "spark")


def open_engine(
    name: str = "duckdb",
    *,
    master: str | None = None,
    memory_bytes: int = 4 << 30,
    threads: int = 0,
    spill: Path | None = None,
    partitions: int = 0,
) -> DuckEngine | SparkEngine:
    """Open an engine; a context manager.

    Args:
        name: ``"duckdb"`` or ``"spark"``.
        master: Spark master URL; needed by Spark.
        memory_bytes: most memory of DuckDB; Spark has its own settings.
        threads: how many threads DuckDB uses; 0 for one a core. Spark has its own settings.
        spill: folder for what does not fit into DuckDB's memory.
        partitions: into how many parts Spark deals rows that are sorted, joined or grouped; 0: by
            the size of what is read, see `SparkEngine`.

    Raises:
        ConfigError: no such engine, or no master for Spark.
        EngineError: it cannot start.
    """
    if name not in ENGINES:
        raise ConfigError(f"no engine {name!r}; there are {', '.join(ENGINES)}", where="--engine")
    if name == "duckdb":
        if master:
            raise ConfigError("--spark-master needs --engine spark", where="--engine")
        if partitions:
            raise ConfigError("--partitions needs --engine spark", where="--engine")
        return DuckEngine(memory_bytes=memory_bytes, threads=threads, spill=spill)
    if not master:
        raise ConfigError("--engine spark needs --spark-master URL", where="--engine")
    return SparkEngine(master, partitions=partitions)
