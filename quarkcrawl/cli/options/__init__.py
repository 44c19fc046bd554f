"""Options that several verbs share, and how terminals are written to.

What reads and fetches pages is imported when it is asked for (PEP 562): help needs no NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quarkcrawl.cli.options.arguments import (
    CorpusFolder,
    CorpusOrCollection,
    CorpusPlace,
    CorpusProcesses,
    EngineName,
    GoldData,
    InProcess,
    MemoryMb,
    MostPages,
    OtherSettings,
    PageLanguage,
    PageSource,
    PageUrl,
    Partitions,
    Processes,
    Quiet,
    SkippedSteps,
    SparkMaster,
    TableAsJson,
    TablesAsJson,
    opened_engine,
)
from quarkcrawl.cli.options.assignments import assigned, listed, listed_some
from quarkcrawl.cli.options.outputs import (
    INTERRUPTED,
    check_output,
    harmless,
    human_bytes,
    printable,
    writing,
)
from quarkcrawl.cli.options.progress import PageProgress, page_progress
from quarkcrawl.cli.options.sources import corpus_of, is_url, print_each, say_unsettled
from quarkcrawl.cli.options.tasks import (
    FinishTasks,
    NumberOfTasks,
    OneTask,
    PageEngine,
    RayAddress,
    check_no_cluster,
    opened_cluster,
    opened_tasks,
    print_report,
    task_of,
    wanted_task,
)
from quarkcrawl.inputs import read_records

if TYPE_CHECKING:
    from quarkcrawl.cli.options.fetching import fetch, opener_of
    from quarkcrawl.cli.options.reading import read_source

__all__ = [
    "INTERRUPTED",
    "CorpusFolder",
    "CorpusOrCollection",
    "CorpusPlace",
    "CorpusProcesses",
    "EngineName",
    "FinishTasks",
    "GoldData",
    "InProcess",
    "MemoryMb",
    "MostPages",
    "NumberOfTasks",
    "OneTask",
    "OtherSettings",
    "PageEngine",
    "PageLanguage",
    "PageProgress",
    "PageSource",
    "PageUrl",
    "Partitions",
    "Processes",
    "Quiet",
    "RayAddress",
    "SkippedSteps",
    "SparkMaster",
    "TableAsJson",
    "TablesAsJson",
    "assigned",
    "check_no_cluster",
    "check_output",
    "corpus_of",
    "fetch",
    "harmless",
    "human_bytes",
    "is_url",
    "listed",
    "listed_some",
    "opened_cluster",
    "opened_engine",
    "opened_tasks",
    "opener_of",
    "page_progress",
    "print_each",
    "print_report",
    "printable",
    "read_records",
    "read_source",
    "say_unsettled",
    "task_of",
    "wanted_task",
    "writing",
]

_LAZY = {"fetch": "fetching", "opener_of": "fetching", "read_source": "reading"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"quarkcrawl.cli.options.{_LAZY[name]}"), name)
