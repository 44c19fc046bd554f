"""``quarkcrawl corpus stats``: the tables of a corpus or collection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import (
    CorpusOrCollection,
    EngineName,
    Memory,
    PageLanguage,
    Partitions,
    SparkMaster,
    check_output,
    opened_engine,
    progress_shown,
    say_unsettled,
    writing,
)

_SUFFIXES = {"text": "txt", "markdown": "md", "csv": "csv", "html": "html", "json": "json"}


def stats(  # noqa: PLR0913, PLR0917 - options of a command
    root: CorpusOrCollection,
    form: Annotated[
        Literal["text", "markdown", "csv", "html", "json"],
        Option("--format", help="What is written."),
    ] = "text",
    out: Annotated[
        Path | None,
        Option(metavar="FILE", help="File to write.", show_default="standard output"),
    ] = None,
    folder: Annotated[
        Path | None,
        Option(metavar="FOLDER", help="Write all formats into this folder instead."),
    ] = None,
    with_duplicates: Annotated[
        bool, Option("--with-duplicates", help="Duplicates, too; needs no dedup before.")
    ] = False,
    ip_database: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="An ip2region.xdb.",
            show_default="that of XdbSearchIP, if installed",
        ),
    ] = None,
    engine: EngineName = "local",
    spark_master: SparkMaster = "",
    partitions: Partitions = 0,
    memory: Memory = "4 GiB",
    lang: PageLanguage = "en",
) -> None:
    """Totals, classes of domains, page types, provinces, media types, charsets.

    \b
    Examples:
      quarkcrawl corpus stats corpus
      quarkcrawl corpus stats cwt --format html --out stats.html
    """
    from quarkcrawl.corpus.stats import corpus_statistics  # noqa: PLC0415 - needs Arrow
    from quarkcrawl.workbench.report import show_statistics  # noqa: PLC0415

    if folder is not None and (form != "text" or out is not None):
        raise typer.BadParameter("not with --folder", param_hint="--format, --out")
    if lang != "en" and folder is None and form != "html":
        raise typer.BadParameter("is for --format html", param_hint="--lang")
    say_unsettled(root)
    check_output(out)
    with (
        opened_engine(engine, spark_master, memory, partitions) as opened,
        progress_shown() as show,
    ):
        statistics = corpus_statistics(
            opened,
            root,
            dedup=False if with_duplicates else None,
            ip_file=ip_database,
            on_progress=show,
        )
    if folder is not None:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, suffix in _SUFFIXES.items():
                path = folder / f"statistics.{suffix}"
                path.write_text(show_statistics(statistics, name, lang), encoding="utf-8")
        typer.echo(json.dumps({"folder": str(folder), "tables": len(statistics.tables)}))
        return
    text = show_statistics(statistics, form, lang)
    if out is None:
        typer.echo(text, nl=False)
    else:
        with writing(out):
            out.write_text(text, encoding="utf-8")
