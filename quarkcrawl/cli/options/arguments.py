"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

if TYPE_CHECKING:
    from quarkcrawl.engines import DuckEngine, SparkEngine

CorpusFolder = Annotated[Path, Argument(metavar="CORPUS", help="Folder of the corpus.")]
CorpusPlace = Annotated[str, Argument(metavar="CORPUS", help="Folder of the corpus, also s3://….")]
CorpusOrCollection = Annotated[Path, Argument(metavar="CORPUS", help="Corpus or collection.")]
CorpusProcesses = Annotated[int, Option(min=0, help="Processes for a corpus. [0: one per core]")]
InProcess = Annotated[
    bool, Option("--in-process", help="Analyse pages in this process, for debugging.")
]
GoldData = Annotated[
    list[Path], Argument(metavar="DATA", help="JSON lines with gold_text, or folders.")
]
MostPages = Annotated[int | None, Option(min=1, help="Most pages of a set.")]
OtherSettings = Annotated[
    list[str] | None, Option("--set", metavar="NAME=VALUE", help="Any other setting.")
]
PageLanguage = Annotated[Literal["en", "zh"], Option("--lang", help="Language of the page.")]
PageSource = Annotated[str, Argument(metavar="FILE|URL|-", help="The page.")]
PageUrl = Annotated[str, Option(help="Address of a page read from a file or stdin.")]
Processes = Annotated[int, Option(min=0, help="Processes. [0: one per core]")]
Quiet = Annotated[bool, Option("--quiet", help="No progress.")]
SkippedSteps = Annotated[
    list[str] | None, Option("--skip", metavar="STEP", help="Leave out this step.")
]
TableAsJson = Annotated[bool, Option("--json", help="JSON instead of a table.")]
TablesAsJson = Annotated[bool, Option("--json", help="JSON instead of tables.")]

EngineName = Annotated[str, Option("--engine", metavar="duckdb|spark", help="What runs the job.")]
SparkMaster = Annotated[
    str, Option("--spark-master", metavar="URL", help="Cluster, for --engine spark.")
]
Partitions = Annotated[
    int, Option("--partitions", min=0, help="Parts rows are dealt into, on Spark. [0: by size]")
]
MemoryMb = Annotated[int, Option("--memory-mb", help="Memory of DuckDB.")]


def opened_engine(
    name: str, master: str, memory_mb: int, partitions: int = 0
) -> DuckEngine | SparkEngine:
    """The engine that the options name.

    Raises:
        ConfigError: they do not go together.
        EngineError: it cannot start.
    """
    from quarkcrawl.engines import open_engine  # noqa: PLC0415 - slow to import

    return open_engine(
        name,
        master=master or None,
        memory_bytes=max(memory_mb, 64) << 20,
        partitions=partitions,
    )
