"""``quarkcrawl explain``: what became of a URL, from the list of sites to the data set."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    AsJson,
    OwnWork,
    StoredExtraction,
    TaughtRules,
    printable,
    progress_shown,
)


def explain(
    root: Annotated[Path, Argument(metavar="CORPUS", help="Corpus, or folder of shards.")],
    url: Annotated[str, Argument(metavar="URL", help="The address.")],
    dataset: Annotated[
        list[Path] | None,
        Option(
            metavar="FOLDER",
            help="Data set that may hold it; may be repeated.",
            show_default="those beside the corpus",
        ),
    ] = None,
    work: OwnWork = None,
    rules: TaughtRules = None,
    extraction: StoredExtraction = "default",
    as_json: AsJson = False,
) -> None:
    """Tell the whole way of a URL: list, robots, fetch, content, rules, copies, ranks, data set.

    \b
    Examples:
      quarkcrawl explain corpus http://www.pku.edu.cn/a.htm
      quarkcrawl explain corpus http://www.pku.edu.cn/a.htm --dataset texts --json
    """
    from quarkcrawl.crawl.campaign import REASONS  # noqa: PLC0415 - help needs no Scrapy
    from quarkcrawl.dataset import explain_url  # noqa: PLC0415
    from quarkcrawl.errors import InputError  # noqa: PLC0415
    from quarkcrawl.page import canonicalize  # noqa: PLC0415

    address = canonicalize(url)
    if address is None:
        raise typer.BadParameter("no address of a page", param_hint="URL")
    for folder in (*(dataset or ()), *([work] if work else ())):
        if not folder.is_dir():
            raise InputError("no such folder", where=folder)
    with progress_shown() as show:
        way = partial(
            explain_url,
            root,
            method=extraction,
            seeds=work,
            datasets=dataset or (),
            rules=rules,
            on_progress=show,
        )
        points = way(url)
        is_unknown = any((point.step, point.outcome) == ("fetch", "unknown") for point in points)
        if is_unknown and url != address:
            points = way(address)  # as a crawl normalizes links before it fetches them
    for point in points:
        if as_json:
            typer.echo(json.dumps(dataclasses.asdict(point), ensure_ascii=False))
            continue
        meaning = REASONS.get(point.finding) if point.step == "fetch" else None
        typer.echo(
            f"{point.step:10} {printable(point.finding)}{f' ({meaning})' if meaning else ''}"
        )
        for name, value in point.facts.items():
            typer.echo(f"{'':10}   {name}: {printable(_shown(value))}")
        if point.place:
            typer.echo(f"{'':10}   see {point.place}")


def _shown(value: object) -> str:
    if isinstance(value, float):
        value = round(value, 4)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
