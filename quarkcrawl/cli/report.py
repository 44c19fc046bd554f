"""``quarkcrawl report``: a corpus as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    PageLanguage,
    Processes,
    check_output,
    progress_shown,
    writing,
)
from quarkcrawl.config import byte_count


def report(
    corpus: Annotated[Path, Argument(metavar="CORPUS", help="The corpus.")],
    out: Annotated[Path, Option(metavar="FILE", help="The page; - is standard output.")] = Path(
        "report.html"
    ),
    lang: PageLanguage = "en",
    pages: Annotated[int, Option(min=0, help="Pages of the sample; 0: none.")] = 100,
    max_size: Annotated[
        str, Option(metavar="SIZE", help="Most that the pages of the sample take.")
    ] = "16 MiB",
    workers: Processes = 0,
) -> int:
    """Write what a corpus holds as one HTML file, to be kept or sent.

    Totals, funnels, plots, ranks, and a sample of pages to be searched and looked at, in the
    colors of their blocks. The file loads nothing; no script of a page runs in it. For those who
    do not want a server; `quarkcrawl serve` shows more.

    \b
    Examples:
      quarkcrawl report demo-out
      quarkcrawl report corpus --out corpus.html --lang zh
      quarkcrawl report corpus --pages 500 --max-size 50MiB
    """
    from quarkcrawl.workbench.report import ReportSample, corpus_page  # noqa: PLC0415

    check_output(out)
    sample = ReportSample(pages, byte_count(max_size, source="--max-size"), workers=workers)
    with progress_shown() as show:
        page = corpus_page(corpus, lang, sample, on_progress=show).encode("utf-8", "replace")
    if out == Path("-"):
        sys.stdout.buffer.write(page)
        return 0
    with writing(out):
        out.write_bytes(page)
    typer.echo(f"written: {out}", err=True)
    return 0
