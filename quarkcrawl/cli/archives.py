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

from quarkcrawl.cli.options import complain, print_report, progress_shown
from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.cli.options import Shown
    from quarkcrawl.corpus import ExtractionOptions
    from quarkcrawl.corpus.archive import ArchiveReport
    from quarkcrawl.corpus.tasks import Task

ArchiveBase = Annotated[
    str,
    Option("--base", metavar="FOLDER|URI", help="What the paths of a list are relative to."),
]
WantedHosts = Annotated[
    list[str] | None,
    Option("--host", metavar="HOST", help="Only pages of this host; may be repeated."),
]
WantedDomains = Annotated[
    list[str] | None,
    Option("--domain", metavar="NAME", help="Only pages of hosts of this domain; may be repeated."),
]
WantedLanguages = Annotated[
    list[str] | None,
    Option(
        "--content-language", metavar="CODE", help="Only pages in this language: zho, eng (index)."
    ),
]
WantedStatuses = Annotated[
    list[int] | None,
    Option("--status", metavar="CODE", help="Only replies with this HTTP status; may be repeated."),
]
WantedTypes = Annotated[
    list[str] | None,
    Option(
        "--mime",
        metavar="TYPE",
        help="Only this media type; may be repeated.",
        show_default="HTML, plain text",
    ),
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
        filters = (self.hosts, self.domains, self.languages, self.statuses, self.mime_types)
        if self.base or any(filters):
            words = "--base, --host, --domain, --content-language, --status, --mime"
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
    if any(kinds):
        for word in sources:
            refuse_no_archive(word)
    return any(kinds)


_LOOKED_AT_BYTES = 1 << 20
_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"PAR1"


def refuse_no_archive(word: str) -> None:
    """See that a file of this machine can be what its place says: WARC, a list or an index.

    Args:
        word: path or URI; what is no file of this machine is passed over.

    Raises:
        InputError: it is not there, or is none of them.
    """
    path = Path(word)
    if "://" in word or path.is_dir():
        return
    try:
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT_BYTES)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=word) from error
    if word.endswith(".parquet"):
        if not head.startswith(_PARQUET):
            raise InputError("no Parquet file; give an index of records", where=word)
    elif not word.endswith((".paths", ".paths.gz")) and not any(
        mark in head for mark in (b"WARC/", _GZIP, _ZSTD)
    ):
        raise InputError("no WARC file; no record begins in it", where=word)


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

    record_filter = RecordFilter(
        tuple(host.lower() for host in words.hosts or ()),
        tuple(name.lower() for name in words.domains or ()),
        tuple(words.languages or ()),
        tuple(words.statuses or ()),
        tuple(words.mime_types or ()),
    )
    given: dict[str, Any] = {
        "base": words.base,
        "record_filter": record_filter,
        "pool": pool,
    }
    if task is not None:
        with progress_shown() as show:
            show("tasks", 0, None)
            done = archive_task(words.sources, out, options, task, **given)
        print_report(done)
        return 0
    with progress_shown() as show:
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
        records = "record" if damaged == 1 else "records"
        sys.stderr.write(f"{damaged:,} damaged {records}; --failures lists them\n")
    for file, reason in report.unreadable.items():
        complain(reason, where=file)
    return 1 if report.unreadable else 0


def _show(show: Shown, report: ArchiveReport) -> None:
    counts = report.counts
    failed = sum(counts.failures.values()) + sum(counts.damages.values())
    show("records", report.records, report.chosen, f"{failed:,} failed")


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
