"""``quarkcrawl corpus merge``: one corpus of what several workers stored."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import progress_shown


def merge(
    roots: Annotated[list[Path], Argument(metavar="CORPUS", help="Shared crawls, or corpora.")],
    out: Annotated[Path, Option(metavar="CORPUS", help="New corpus.")],
) -> int:
    """Make one corpus of the shards of a shared crawl: each URL, and each body, once.

    Exactly one data_N/HOST/page.dat a host. Of a URL stored twice the first is kept; a body
    stored under two URLs stays with the first, and the other becomes a duplicates row. Workers
    must not be writing. Prints a JSON report.

    \b
    Examples:
      quarkcrawl corpus merge corpus --out merged
      quarkcrawl corpus merge machine-1/corpus machine-2/corpus --out merged
    """
    from quarkcrawl.corpus import merge_corpora  # noqa: PLC0415

    with progress_shown() as show:
        report = merge_corpora(roots, out, on_progress=show)
    typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
    return 0
