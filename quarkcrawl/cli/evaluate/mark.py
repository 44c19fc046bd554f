"""``quarkcrawl mark``: write quark= attributes into a page, to make gold of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import ContentMethod, PageUrl, refuse_binary, writing
from quarkcrawl.errors import InputError


def mark(
    source: Annotated[
        str, Argument(metavar="PAGE", help="File with the page; - is standard input.")
    ],
    selectors: Annotated[
        Path | None, Option(metavar="FILE", help="Lines: kind, tab, CSS or XPath.")
    ] = None,
    method: ContentMethod = "",
    out: Annotated[
        str, Option(metavar="FILE", help="The marked page; - is standard output.")
    ] = "-",
    url: PageUrl = "",
) -> int:
    """Write quark="content", "rel_link" or "noise" into the start tags of a page.

    Nothing else changes, not a byte. Unmarked text is noise; the nearest marked element decides.
    What cannot be marked is told on standard error, with exit code 1; the rest is still written.

    \b
    Examples:
      printf 'content\\tdiv.article\\nnoise\\t//div[@id="ad"]\\n' > rules.txt
      quarkcrawl mark page.html --selectors rules.txt --out gold/CWT-0001.html
      quarkcrawl mark page.html --method quark --out gold/CWT-0001.html
    """
    from quarkcrawl.lab.evaluate import (  # noqa: PLC0415
        content_method,
        mark_by_extraction,
        mark_by_rules,
        read_rules,
    )
    from quarkcrawl.page import Page  # noqa: PLC0415

    if (selectors is None) == (not method):
        raise typer.BadParameter("give one of --selectors FILE and --method METHOD")
    if selectors is not None:
        refuse_binary([selectors], "list of selectors")
        rules = read_rules(selectors)
        page = Page.from_bytes(_read(source), url)
        marked = mark_by_rules(page, rules, source)
    else:
        run = content_method(method)
        page = Page.from_bytes(_read(source), url)
        marked = mark_by_extraction(run(page), source)
    _write(out, marked.body)
    for problem in marked.problems:
        typer.echo(problem, err=True)
    typer.echo(f"{source}: {marked.n_marks} elements marked", err=True)
    return 1 if marked.problems else 0


def _read(source: str) -> bytes:
    refuse_binary([source], "page")
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=source) from error


def _write(out: str, body: bytes) -> None:
    if out == "-":
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    else:
        with writing(Path(out)):
            Path(out).write_bytes(body)
