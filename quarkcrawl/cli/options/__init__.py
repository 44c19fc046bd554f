"""Options that several verbs share, and how terminals are written to."""

from quarkcrawl.cli.options.arguments import (
    CorpusFolder,
    CorpusOrCollection,
    CorpusProcesses,
    GoldData,
    MostPages,
    OtherSettings,
    PageLanguage,
    PageSource,
    PageUrl,
    Processes,
    Quiet,
    SkippedSteps,
    TableAsJson,
    TablesAsJson,
)
from quarkcrawl.cli.options.assignments import assigned
from quarkcrawl.cli.options.engine import EngineName, MemoryMb, SparkMaster, opened_engine
from quarkcrawl.cli.options.lists import listed, listed_some
from quarkcrawl.cli.options.outputs import check_output, writing
from quarkcrawl.cli.options.sizes import human_bytes
from quarkcrawl.cli.options.sources import (
    corpus_of,
    fetch,
    is_url,
    opener_of,
    print_each,
    read_source,
)
from quarkcrawl.cli.options.terminal import INTERRUPTED, harmless
from quarkcrawl.inputs import read_records

__all__ = [
    "INTERRUPTED",
    "CorpusFolder",
    "CorpusOrCollection",
    "CorpusProcesses",
    "EngineName",
    "GoldData",
    "MemoryMb",
    "MostPages",
    "OtherSettings",
    "PageLanguage",
    "PageSource",
    "PageUrl",
    "Processes",
    "Quiet",
    "SkippedSteps",
    "SparkMaster",
    "TableAsJson",
    "TablesAsJson",
    "assigned",
    "check_output",
    "corpus_of",
    "fetch",
    "harmless",
    "human_bytes",
    "is_url",
    "listed",
    "listed_some",
    "opened_engine",
    "opener_of",
    "print_each",
    "read_records",
    "read_source",
    "writing",
]
