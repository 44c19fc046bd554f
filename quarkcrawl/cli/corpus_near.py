"""``quarkcrawl corpus near``: pages of a corpus that hold the same article."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["near"]


def near(
    root: Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of the corpus.")],
    method: Annotated[
        str, typer.Option(help="default, three-codes, featurecode-2004 or code-only.")
    ] = "default",
    extraction: Annotated[
        str, typer.Option(help="Compare the texts of this extraction. [those of the crawl]")
    ] = "",
    least: Annotated[
        int, typer.Option("--least-chars", help="Shorter texts are not compared.")
    ] = 50,
    memory: Annotated[int, typer.Option("--memory-mb", help="Memory of the database.")] = 2048,
    show: Annotated[
        bool, typer.Option("--groups", help="Print the groups, a JSON line each.")
    ] = False,
) -> None:
    """Find pages that hold the same article; nothing is deleted.

    The groups go to CORPUS/analysis/near/METHOD/groups.parquet, with the page that is kept and the
    reason for each other one; a JSON summary to standard output. A run that was stopped goes on
    when the same command is given again.

    \b
    Examples:
      quarkcrawl corpus near corpus
      quarkcrawl corpus near corpus --extraction quark --groups
    """
    from quarkcrawl.corpus.near import find_near, near_groups  # noqa: PLC0415 - help needs no NumPy

    report = find_near(
        root,
        method,
        extraction=extraction or None,
        least_chars=least,
        memory_bytes=max(memory, 64) << 20,
    )
    if show:
        for group in near_groups(root, method) if report.texts else ():
            typer.echo(json.dumps(group, ensure_ascii=False))
    else:
        typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
