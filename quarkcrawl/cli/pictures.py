"""``quarkcrawl pictures``: search pictures by the words around them."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import CorpusFolder, Processes, progress_shown

if TYPE_CHECKING:
    from quarkcrawl.corpus.pictures import PictureHits


app = typer.Typer(
    help="Pictures of a corpus, found by the words around them.", no_args_is_help=True
)


@app.command("index")
def index(
    root: CorpusFolder,
    out: Annotated[
        Path | None,
        Option(
            metavar="FOLDER", help="The index goes here.", show_default="CORPUS/analysis/pictures"
        ),
    ] = None,
    workers: Processes = 0,
) -> None:
    """Find the pictures of a corpus and index the words around them.

    Tables go to CORPUS/analysis/pictures; a JSON summary to standard output.

    \b
    Example:
      quarkcrawl pictures index corpus
    """
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.corpus.pictures import index_pictures  # noqa: PLC0415

    with progress_shown() as show:
        report = index_pictures(root, out=out, pool=PoolOptions(workers), on_progress=show)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))


@app.command("search")
def search(
    root: CorpusFolder,
    query: Annotated[str, Argument(metavar="WORDS", help="What is looked for.")],
    index: Annotated[
        Path | None,
        Option(
            metavar="FOLDER", help="Folder of the index.", show_default="CORPUS/analysis/pictures"
        ),
    ] = None,
    top: Annotated[int, Option(min=1, help="How many are listed, best first.")] = 10,
    as_json: Annotated[
        bool | None,
        Option(
            "--json/--no-json",
            help="JSON lines, or a table.",
            show_default="a table on a terminal",
        ),
    ] = None,
) -> None:
    """Find pictures by their caption, alternative text, paragraphs beside them, block, headline.

    \b
    Examples:
      quarkcrawl pictures search corpus "未名湖 雪景"
      quarkcrawl pictures search corpus "book tower" --top 3 --no-json
    """
    from quarkcrawl.corpus.pictures import search_pictures  # noqa: PLC0415

    hits = search_pictures(root, query, out=index, limit=top)
    if not as_json and (as_json is not None or sys.stdout.isatty()):
        _print_table(hits)
        return
    for row in hits.rows:
        typer.echo(json.dumps(row, ensure_ascii=False))


def _print_table(hits: PictureHits) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from quarkcrawl.cli.options import harmless  # noqa: PLC0415

    table = Table("score")
    for name in ("picture", "words", "page"):
        table.add_column(name, overflow="fold")  # an address that is cut leads nowhere
    for row in hits.rows:
        words = row["caption"] or row["alt"] or row["before"] or row["after"] or row["title"]
        cells = (f"{row['score']:.2f}", row["src"], words[:60], row["url"])
        table.add_row(*map(harmless, cells))
    Console().print(table)
