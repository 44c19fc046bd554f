"""Options that several verbs share, and how terminals are written to.

What reads and fetches pages is imported when it is asked for (PEP 562): help needs no NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quarkcrawl.cli.options.arguments import (
    CONTENT_METHODS,
    AsJson,
    ClassKey,
    ContentMethod,
    ContentMethods,
    CorpusFolder,
    CorpusOrCollection,
    CorpusPlace,
    CrawledExtraction,
    EngineName,
    Folds,
    GoldData,
    InProcess,
    MaxFileSize,
    MaxPages,
    Memory,
    OtherSettings,
    OwnWork,
    PageLanguage,
    PageSource,
    PageUrl,
    Partitions,
    Processes,
    Quiet,
    SparkMaster,
    StoredExtraction,
    TaughtRules,
    WorkerMemory,
    WorkerTimeout,
    file_bytes,
    memory_bytes,
    opened_engine,
    worker_bytes,
)
from quarkcrawl.cli.options.assignments import assigned, listed, listed_all
from quarkcrawl.cli.options.oldnames import RENAMED, renamed
from quarkcrawl.cli.options.outputs import (
    INTERRUPTED,
    USAGE,
    check_output,
    complain,
    harmless,
    human_bytes,
    printable,
    writing,
)
from quarkcrawl.cli.options.progress import progress_shown
from quarkcrawl.cli.options.shown import Shown
from quarkcrawl.cli.options.sources import (
    corpus_of,
    is_url,
    print_each,
    refuse_binary,
    say_unsettled,
)
from quarkcrawl.cli.options.tasks import (
    ClusterName,
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
    "CONTENT_METHODS",
    "INTERRUPTED",
    "RENAMED",
    "USAGE",
    "AsJson",
    "ClassKey",
    "ClusterName",
    "ContentMethod",
    "ContentMethods",
    "CorpusFolder",
    "CorpusOrCollection",
    "CorpusPlace",
    "CrawledExtraction",
    "EngineName",
    "FinishTasks",
    "Folds",
    "GoldData",
    "InProcess",
    "MaxFileSize",
    "MaxPages",
    "Memory",
    "NumberOfTasks",
    "OneTask",
    "OtherSettings",
    "OwnWork",
    "PageEngine",
    "PageLanguage",
    "PageSource",
    "PageUrl",
    "Partitions",
    "Processes",
    "Quiet",
    "RayAddress",
    "Shown",
    "SparkMaster",
    "StoredExtraction",
    "TaughtRules",
    "WorkerMemory",
    "WorkerTimeout",
    "assigned",
    "check_no_cluster",
    "check_output",
    "complain",
    "corpus_of",
    "fetch",
    "file_bytes",
    "harmless",
    "human_bytes",
    "is_url",
    "listed",
    "listed_all",
    "memory_bytes",
    "opened_cluster",
    "opened_engine",
    "opened_tasks",
    "opener_of",
    "print_each",
    "print_report",
    "printable",
    "progress_shown",
    "read_records",
    "read_source",
    "refuse_binary",
    "renamed",
    "say_unsettled",
    "task_of",
    "wanted_task",
    "worker_bytes",
    "writing",
]

_LAZY = {"fetch": "fetching", "opener_of": "fetching", "read_source": "reading"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"quarkcrawl.cli.options.{_LAZY[name]}"), name)
