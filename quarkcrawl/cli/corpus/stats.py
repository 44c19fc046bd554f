"""``quarkcrawl corpus stats``: the tables of a corpus or collection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusOrCollection,
    EngineName,
    MemoryMb,
    PageLanguage,
    Partitions,
    SparkMaster,
    check_output,
    opened_engine,
    say_unsettled,
    writing,
)
from quarkcrawl.errors import ConfigError

_SUFFIXES = {"text": "txt", "markdown": "md", "csv": "csv", "html": "html", "json": "json"}


def stats(  # noqa: PLR0913, PLR0917 - options of a command
    root: CorpusOrCollection,
    form: Annotated[
        str, Option("--format", metavar="text|markdown|csv|html|json", help="How to show it.")
    ] = "text",
    out: Annotated[Path | None, Option(help="File. [standard output]")] = None,
    folder: Annotated[
        Path | None, Option(help="Write all formats into this folder instead.")
    ] = None,
    with_duplicates: Annotated[
        bool, Option("--with-duplicates", help="Count stored duplicates, too.")
    ] = False,
    ip_database: Annotated[
        Path | None, Option(help="An ip2region.xdb. [that of XdbSearchIP, if installed]")
    ] = None,
    engine: EngineName = "duckdb",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
    memory_mb: MemoryMb = 4096,
    lang: PageLanguage = "en",
) -> None:
    """Totals, classes of domains, page types, provinces, media types, charsets.

    \b
    Examples:
      quarkcrawl corpus stats corpus
      quarkcrawl corpus stats cwt --format html --out stats.html
    """
    from quarkcrawl.corpus.stats import corpus_statistics  # noqa: PLC0415 - needs Arrow
    from quarkcrawl.workbench.report import STATISTICS_FORMATS, show_statistics  # noqa: PLC0415

    if form not in STATISTICS_FORMATS:
        known = ", ".join(STATISTICS_FORMATS)
        raise ConfigError(f"no format {form!r}; there are {known}", where="--format")
    say_unsettled(root)
    check_output(out)
    with opened_engine(engine, spark_master, memory_mb, partitions) as opened:
        found = corpus_statistics(
            opened, root, dedup=False if with_duplicates else None, ip_file=ip_database
        )
    if folder is not None:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, suffix in _SUFFIXES.items():
                path = folder / f"statistics.{suffix}"
                path.write_text(show_statistics(found, name, lang), encoding="utf-8")
        typer.echo(json.dumps({"folder": str(folder), "tables": len(found.tables)}))
        return
    text = show_statistics(found, form, lang)
    if out is None:
        typer.echo(text, nl=False)
    else:
        with writing(out):
            out.write_text(text, encoding="utf-8")
