"""``quarkcrawl items``: paragraphs, data tables and pictures of a page, in order."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Option

from quarkcrawl.cli.options import PageSource, PageUrl, writing

if TYPE_CHECKING:
    from quarkcrawl.content import Item


ItemForm = Literal["json", "html", "markdown", "csv", "map"]
"""How items are printed."""


def items(
    source: PageSource,
    form: Annotated[ItemForm, Option("--format", help="What items are printed as.")] = "json",
    method: Annotated[
        Literal["default", "rules", "ibdom"],
        Option(help="How the topic is found; default is rules, ibdom that of the paper."),
    ] = "default",
    url: PageUrl = "",
    out: Annotated[
        Path | None, Option(metavar="FOLDER", help="With csv: table_1.csv … go here.")
    ] = None,
) -> None:
    """Print the topic of a page in reading order: paragraphs, data tables, pictures.

    \b
    Examples:
      quarkcrawl items page.html
      quarkcrawl items https://www.pku.edu.cn/ --format markdown
      quarkcrawl items page.html --format csv --out tables
      cat page.html | quarkcrawl items - --method ibdom --format map > region.html

    A page comes from a file, a URL (one request) or "-", standard input. json is one item a
    line; html and markdown are one document; csv is the data tables, one file a table with
    --out, else one after the other with an empty line between; map is the page itself with its
    topic region, the blocks that were taken out of it, and the rule that removed each.
    """
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.content.items import (  # noqa: PLC0415
        items_of,
        topic_region,
    )

    if out is not None and form != "csv":
        raise typer.BadParameter("goes with --format csv", param_hint="--out")
    region = topic_region(read_source(source, url=url).page, method=method)
    if form == "map":
        from quarkcrawl.workbench.report import region_map  # noqa: PLC0415

        sys.stdout.write(region_map(region))
    elif form == "csv":
        _tables(items_of(region), out)
    else:
        sys.stdout.write(_written(items_of(region), form))


def _written(items: list[Item], form: ItemForm) -> str:
    from quarkcrawl.content.items import items_as_html, items_as_json, items_as_markdown  # noqa: PLC0415

    writers = {
        "json": items_as_json,
        "html": items_as_html,
        "markdown": items_as_markdown,
    }
    return writers[form](items)


def _tables(items: list[Item], out: Path | None) -> None:
    """Write each data table to a file of its own, or all to standard output."""
    from quarkcrawl.content.items import table_as_csv  # noqa: PLC0415

    tables = [table_as_csv(item) for item in items if item.kind == "table"]
    if out is None:
        sys.stdout.write("\r\n".join(tables))
        return
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(tables, 1):
        path = out / f"table_{number}.csv"
        with writing(path):
            path.write_bytes(text.encode("utf-8-sig"))
        typer.echo(json.dumps({"table": number, "file": str(path)}, ensure_ascii=False))
