"""``quarkcrawl evaluate items``: the five grades of the IB-DOM paper."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import typer

from quarkcrawl.cli.evaluate.base import OnlySets
from quarkcrawl.cli.options import (
    AsJson,
    ContentMethods,
    GoldData,
    MaxPages,
    Processes,
    listed,
    listed_all,
    progress_shown,
)
from quarkcrawl.progress import CountedStep

if TYPE_CHECKING:
    from quarkcrawl.lab.evaluate import GradeReport

_METHODS = ["ibdom", "rules"]


def items(
    data: GoldData,
    method: ContentMethods = _METHODS,
    sets: OnlySets = "",
    max_pages: MaxPages = None,
    workers: Processes = 0,
    as_json: AsJson = False,
) -> None:
    """Grade topic regions good, fairly good, medium, fairly poor or poor, as the IB-DOM paper does.

    \b
    Examples:
      quarkcrawl evaluate items pages.jsonl.gz
      quarkcrawl evaluate items data/ --method ibdom --method rules --sets daniel_zh --json

    Pages come with gold text (JSON lines) or marks (folder of NUMBER.html). A page's grade
    follows from the share of its marked text that is lost, and from the noise as a share of the
    marked text. The paper found 94.4 % of 700 pages good or fairly good.
    """
    from quarkcrawl.lab.evaluate import (  # noqa: PLC0415  # noqa: PLC0415
        GradeReport,
        compare,
        extractor,
        load_jobs,
    )

    names = listed_all(method)
    for name in names:
        extractor(name)  # a wrong name is told before anything runs
    jobs = load_jobs(data, sets=listed(sets), limit=max_pages)
    with progress_shown() as show:
        tick = CountedStep("pages", show, len(names) * len(jobs)).add
        compared = compare(names, jobs, workers=workers, timeout_s=30.0, tick=tick)
    reports = {
        name: {
            group: GradeReport.of(compared.measured[name][number].score for number in numbers)
            for group, numbers in compared.groups().items()
        }
        for name in names
    }
    if as_json:
        typer.echo(json.dumps(_fields(reports), ensure_ascii=False))
    else:
        _print(reports)


def _fields(reports: dict[str, dict[str, GradeReport]]) -> dict[str, Any]:
    return {
        name: {
            group: {"n_pages": report.n_pages, "good_share": round(report.good_share, 4)}
            for group, report in groups.items()
        }
        for name, groups in reports.items()
    }


def _print(reports: dict[str, dict[str, GradeReport]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from quarkcrawl.cli.options import harmless  # noqa: PLC0415
    from quarkcrawl.lab.evaluate import Grade  # noqa: PLC0415

    table = Table(title="Pages by grade")
    for name in ("method", "set", *Grade, "good or fairly good"):
        table.add_column(str(name), justify="left" if name in {"method", "set"} else "right")
    for method, groups in reports.items():
        for group, report in groups.items():
            counts = [f"{report.n_pages[grade]:,}" for grade in Grade]
            table.add_row(method, harmless(group), *counts, f"{report.good_share:.3f}")
    Console(file=sys.stdout, width=120).print(table)
