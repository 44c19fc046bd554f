"""``quarkcrawl report``: a corpus as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import PageLanguage, check_output, writing


def report(
    corpus: Annotated[Path, Argument(metavar="CORPUS", help="The corpus.")],
    out: Annotated[Path, Option(metavar="FILE", help="The page; - is standard output.")] = Path(
        "report.html"
    ),
    lang: PageLanguage = "en",
) -> int:
    """Write what a corpus holds as one HTML file, plots inline.

    For those who do not want a server; `quarkcrawl serve` shows more.

    \b
    Examples:
      quarkcrawl report demo-out
      quarkcrawl report corpus --out corpus.html --lang zh
    """
    from quarkcrawl.workbench.report import corpus_page  # noqa: PLC0415

    check_output(out)
    page = corpus_page(corpus, lang).encode("utf-8", "replace")
    if out == Path("-"):
        sys.stdout.buffer.write(page)
        return 0
    with writing(out):
        out.write_bytes(page)
    typer.echo(f"written: {out}", err=True)
    return 0
