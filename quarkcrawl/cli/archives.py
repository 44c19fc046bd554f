"""Extraction straight from WARC files and Common Crawl's index, for ``quarkcrawl extract``."""

from __future__ import annotations

import dataclasses
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from quarkcrawl.cli.options import page_progress, print_report
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.cli.options import PageProgress
    from quarkcrawl.corpus import ExtractionOptions
    from quarkcrawl.corpus.archive import ArchiveReport
    from quarkcrawl.corpus.tasks import Task

ArchiveBase = Annotated[
    str, Option(metavar="FOLDER|URI", help="Where the WARC files of a list or index are.")
]
WantedHosts = Annotated[
    list[str] | None, Option("--host", metavar="HOST", help="Only pages of this host (archive).")
]
WantedDomains = Annotated[
    list[str] | None,
    Option("--domain", metavar="NAME", help="Only pages of hosts of this domain (archive)."),
]
WantedLanguages = Annotated[
    list[str] | None,
    Option("--lang", metavar="CODE", help="Only pages in this language: zho, eng (index)."),
]
WantedStatuses = Annotated[
    list[int] | None,
    Option("--status", metavar="CODE", help="Only replies with this status (archive)."),
]
WantedTypes = Annotated[
    list[str] | None,
    Option("--mime", metavar="TYPE", help="Only this media type (archive). [HTML, text]"),
]


@dataclasses.dataclass(frozen=True, slots=True)
class ArchiveWords:
    """What the command line says of an archive.

    Args:
        sources: WARC files, lists, index files, folders.
        base: where the files of lists and index are.
        hosts, domains, languages, statuses, mime_types: what is wanted; None for all.
    """

    sources: Sequence[str]
    base: str
    hosts: Sequence[str] | None
    domains: Sequence[str] | None
    languages: Sequence[str] | None
    statuses: Sequence[int] | None
    mime_types: Sequence[str] | None

    def refuse_for_other_sources(self) -> None:
        """See that no option of archives was given with pages or a corpus.

        Raises:
            BadParameter: one was.
        """
        wanted = (self.hosts, self.domains, self.languages, self.statuses, self.mime_types)
        if self.base or any(wanted):
            words = "--base, --host, --domain, --lang, --status, --mime"
            raise typer.BadParameter("are for WARC files and their index", param_hint=words)


def is_archive_given(sources: Sequence[str]) -> bool:
    """Whether the words name an archive.

    Args:
        sources: words of the command line.

    Raises:
        ConfigError: an archive among other things.
    """
    if all(map(_is_a_page, sources)):
        return False
    from quarkcrawl.corpus.archive import is_archive  # noqa: PLC0415 - pages need no Arrow

    kinds = [is_archive(word) for word in sources if word != "-"]
    if any(kinds) and not (all(kinds) and "-" not in sources):
        message = "WARC files and their index cannot be given together with pages or a corpus"
        raise ConfigError(message, where=sources[kinds.index(True)])
    return any(kinds)


def _is_a_page(word: str) -> bool:
    """Whether a word can only be a page: standard input, an address, a file of another name."""
    if word == "-" or word.lower().startswith(("http://", "https://")):
        return True
    return Path(word).is_file() and not word.endswith((".gz", ".warc", ".parquet", ".paths"))


def extract_archives(
    words: ArchiveWords,
    out: str,
    options: ExtractionOptions,
    pool: PoolOptions,
    *,
    restart: bool,
    retry_failed: bool,
    task: Task | None = None,
) -> int:
    """Extract, and print the report.

    Args:
        words: the archive.
        out: where the rows go.
        options: what to extract.
        pool: processes.
        restart: do all anew.
        retry_failed: do files with failures again.
        task: only this one of so many, or all on a cluster; None: all at once, here.

    Returns:
        The exit code: 1 when a WARC file could not be opened.
    """
    from quarkcrawl.corpus.archive import (  # noqa: PLC0415
        RecordFilter,
        archive_task,
        extract_archive,
    )

    wanted = RecordFilter(
        tuple(host.lower() for host in words.hosts or ()),
        tuple(name.lower() for name in words.domains or ()),
        tuple(words.languages or ()),
        tuple(words.statuses or ()),
        tuple(words.mime_types or ()),
    )
    given: dict[str, Any] = {
        "base": words.base,
        "record_filter": wanted,
        "pool": pool,
    }
    if task is not None:
        print_report(archive_task(words.sources, out, options, task, **given))
        return 0
    with page_progress() as show:
        report = extract_archive(
            words.sources,
            out,
            options,
            restart=restart,
            retry_failed=retry_failed,
            on_progress=partial(_show, show),
            **given,
        )
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
    damaged = sum(report.counts.damages.values())
    if damaged:
        sys.stderr.write(f"{damaged} damaged records; --failures lists them\n")
    for file, reason in report.unreadable.items():
        sys.stderr.write(f"error: {file}: {reason}\n")
    return 1 if report.unreadable else 0


def _show(show: PageProgress, report: ArchiveReport) -> None:
    counts = report.counts
    failed = sum(counts.failures.values()) + sum(counts.damages.values())
    show(report.records, report.chosen, failed)


def report_of_archive(out: str, method: str, *, failures: bool) -> int:
    """Print failed pages and damages as JSON, or publish what all tasks have made.

    Args:
        out: where the rows are.
        method: extraction method.
        failures: whether it is the failures that are wanted.
    """
    from quarkcrawl.corpus.archive import archive_failures, finish_archive  # noqa: PLC0415

    if not failures:
        print_report(finish_archive(out, method))
        return 0
    for row in archive_failures(out, method):
        typer.echo(json.dumps(row, ensure_ascii=False))
    return 0
