"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from quarkcrawl.config import byte_count

if TYPE_CHECKING:
    from quarkcrawl.engines import DuckEngine, SparkEngine

CONTENT_METHODS = ("default", "quark", "ibdom", "rules")
"""Names of extraction methods, as in `quarkcrawl.content.METHODS`; help needs no NumPy."""

_METHODS = "|".join((*CONTENT_METHODS, "FILE.toml"))

CorpusFolder = Annotated[Path, Argument(metavar="CORPUS", help="Folder of the corpus.")]
CorpusPlace = Annotated[str, Argument(metavar="CORPUS", help="Folder of the corpus, also s3://….")]
CorpusOrCollection = Annotated[Path, Argument(metavar="CORPUS", help="Corpus or collection.")]
CrawledExtraction = Annotated[
    str,
    Option(
        "--extraction",
        metavar="NAME",
        help="Stored extraction that is read.",
        show_default="that of the crawl",
    ),
]
StoredExtraction = Annotated[
    str, Option("--extraction", metavar="NAME", help="Stored extraction that is read.")
]
ContentMethod = Annotated[
    str,
    Option(
        "--method",
        metavar=_METHODS,
        help="Extraction method, or a file of one.",
        autocompletion=lambda: list(CONTENT_METHODS),
    ),
]
ContentMethods = Annotated[
    list[str] | None,
    Option(
        "--method",
        metavar=_METHODS,
        help="Extraction method; may be repeated, or several with commas between.",
        autocompletion=lambda: list(CONTENT_METHODS),
    ),
]
MaxFileSize = Annotated[
    str,
    Option(
        "--max-file-size", metavar="SIZE", help='A file is closed after about so much, as "1 GiB".'
    ),
]
InProcess = Annotated[
    bool, Option("--in-process", help="Analyze pages in this process, for debugging.")
]
ClassKey = Annotated[
    str, Option("--label", metavar="KEY", help="Key of a page's class in the JSON lines.")
]
Folds = Annotated[
    int,
    Option("--folds", min=0, help="Measure on sites left out, in so many parts; 0: do not."),
]
GoldData = Annotated[
    list[Path], Argument(metavar="DATA", help="JSON lines with gold_text, or folders.")
]
MaxPages = Annotated[
    int | None, Option("--max-pages", min=1, help="Most pages of a set.", show_default="all")
]
OtherSettings = Annotated[
    list[str] | None,
    Option("--set", metavar="NAME=VALUE", help="A setting of the crawl; may be repeated."),
]
OwnWork = Annotated[
    Path | None,
    Option(
        "--work",
        metavar="FOLDER",
        help="Work folder of quarkcrawl select.",
        show_default="seeds or seeds-work beside the corpus",
    ),
]
PageLanguage = Annotated[
    Literal["en", "zh"], Option("--lang", help="Language of the page that is written.")
]
PageSource = Annotated[str, Argument(metavar="FILE|URL|-", help="The page.")]


def _page_url(url: str) -> str:
    """The address of a page, if it can be one: links of the page are relative to it."""
    if url:
        from quarkcrawl.page import canonicalize  # noqa: PLC0415 - help needs no page

        if canonicalize(url) is None:
            raise typer.BadParameter(f"no address of a page: {url!r}")
    return url


PageUrl = Annotated[
    str,
    Option(
        "--url",
        metavar="URL",
        help="Address of a page read from a file or stdin.",
        callback=_page_url,
    ),
]
TaughtRules = Annotated[
    Path | None,
    Option(
        "--rules",
        metavar="FILE",
        help="What people taught about hosts (TOML).",
        show_default="CORPUS/rules.toml",
    ),
]
Processes = Annotated[
    int, Option("--workers", min=0, help="Processes that work on pages; 0: one per core.")
]
Quiet = Annotated[bool, Option("--quiet", help="No progress.")]
AsJson = Annotated[bool, Option("--json", help="JSON instead of tables and text.")]

LocalOrSpark = Literal["local", "spark"]
"""What can run a job of tables."""

EngineName = Annotated[
    LocalOrSpark,
    Option("--engine", help="What runs the job: this machine, or a cluster."),
]
SparkMaster = Annotated[
    str, Option("--spark-master", metavar="URL", help="Cluster, for --engine spark.")
]
Partitions = Annotated[
    int,
    Option("--partitions", min=0, help="Parts rows are dealt into, on Spark; 0: by size."),
]
Memory = Annotated[
    str,
    Option(
        "--memory", metavar="SIZE", help='Most memory of the job on this machine, as "512 MiB".'
    ),
]
WorkerMemory = Annotated[
    str,
    Option(
        "--worker-memory",
        metavar="SIZE",
        help='Most memory of one process, as "512 MiB"; 0: no limit.',
    ),
]
WorkerTimeout = Annotated[
    float, Option("--timeout-s", min=0, help="Longest time for a page, in seconds.")
]


def opened_engine(
    name: LocalOrSpark, master: str, memory: str, partitions: int = 0
) -> DuckEngine | SparkEngine:
    """The engine that the options name.

    Raises:
        BadParameter: no size of a memory.
        ConfigError: they do not go together.
        EngineError: it cannot start.
    """
    from quarkcrawl.engines import open_engine  # noqa: PLC0415 - slow to import

    return open_engine(
        "duckdb" if name == "local" else name,
        master=master or None,
        memory_bytes=memory_bytes(memory),
        partitions=partitions,
    )


def memory_bytes(text: str, least: str = "64 MiB") -> int:
    """Bytes of ``--memory``.

    Args:
        text: a size with its unit.
        least: the smallest with which the job works.

    Raises:
        BadParameter: it is less.
        ConfigError: it is no size.
    """
    n_bytes = byte_count(text, source="--memory")
    if n_bytes < byte_count(least):
        message = f"{text!r} is too little; give {least} or more"
        raise typer.BadParameter(message, param_hint="--memory")
    return n_bytes


def file_bytes(text: str) -> int:
    """Bytes of ``--max-file-size``.

    Raises:
        BadParameter: there is not one.
        ConfigError: it is no size.
    """
    n_bytes = byte_count(text, source="--max-file-size")
    if n_bytes < 1:
        raise typer.BadParameter("give a byte or more", param_hint="--max-file-size")
    return n_bytes


def worker_bytes(text: str) -> int:
    """Bytes of ``--worker-memory``; 0: no limit.

    Raises:
        ConfigError: it is no size.
    """
    return byte_count(text, source="--worker-memory")
