"""``quarkcrawl segment``: the blocks of a page as text, JSON or a colored map."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import ContentMethod, PageSource, PageUrl

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.segment import Block, Segmentation


BlockForm = Literal["text", "json", "html"]
"""How blocks are printed."""


def segment(
    source: PageSource,
    form: Annotated[BlockForm, Option("--format", help="What blocks are printed as.")] = "text",
    method: ContentMethod = "",
    url: PageUrl = "",
    spans: Annotated[
        bool, Option("--spans", help="Also where blocks stand in the bytes (JSON).")
    ] = False,
) -> None:
    """Cut a page into blocks.

    \b
    Examples:
      quarkcrawl segment page.html
      quarkcrawl segment https://www.pku.edu.cn/ --format json --method quark
      cat page.html | quarkcrawl segment - --format html > map.html

    A page comes from a file, a URL (one request) or "-", standard input. With --method, each
    block is labeled content, rel_link or noise, with "default" also post or comment. JSON has
    one block a line; html is the page itself with every block in a color of its own.
    """
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415 - help needs no NumPy

    if spans and form != "json":
        raise typer.BadParameter("goes with --format json", param_hint="--spans")
    page = read_source(source, url=url).page
    cut = _cut(page, method or None)
    if form == "html":
        from quarkcrawl.workbench.report import block_map  # noqa: PLC0415

        typer.echo(block_map(page, cut))
        return
    for block in cut:
        typer.echo(_line(block, spans=spans) if form == "json" else _words(block))


def _cut(page: Page, method: str | None) -> Segmentation:
    if method is None:
        from quarkcrawl.segment import segmentation_of  # noqa: PLC0415

        return segmentation_of(page)
    from quarkcrawl import extract  # noqa: PLC0415

    return extract(page, method=method).segmentation


def _line(block: Block, *, spans: bool) -> str:
    fields = {
        "number": block.number,
        "path": block.path,
        "tag_class": block.tag_class.value,
        "kind": block.kind,
        "n_chars": block.n_chars,
        "n_anchor_chars": block.n_anchor_chars,
        "n_links": block.n_links,
        "text": block.text,
    }
    if spans:
        fields["spans"] = [span._asdict() for span in block.spans]
    return json.dumps(fields, ensure_ascii=False)


def _words(block: Block) -> str:
    kind = f" {block.kind}" if block.kind else ""
    counts = f"{block.n_chars} characters, {block.n_anchor_chars} of them in {block.n_links} links"
    head = f"[{block.number}]{kind} {block.path} ({block.tag_class.value}, {counts})"
    return f"{head}\n{block.text}\n"
