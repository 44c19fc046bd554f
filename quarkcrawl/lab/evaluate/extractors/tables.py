"""Results as tables for people and as plain values for JSON."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from rich.table import Table

from quarkcrawl.lab.evaluate.cells import plain_table, ratio
from quarkcrawl.lab.evaluate.extractors.sidebyside import Comparison, Summary

if TYPE_CHECKING:
    from quarkcrawl.lab.evaluate.extractors.bootstrap import Difference


Differences = dict[str, dict[str, "Difference"]]
"""By extractor and group: how far the reference is ahead of it."""


def comparison_tables(
    comparison: Comparison, against: str | None, differences: Differences
) -> list[Table]:
    """F1 by set and group; averages and speed; what is absent; intervals of the differences.

    Args:
        comparison: the extractors.
        against: extractor that the others are compared with, None for none.
        differences: see `Differences`.
    """
    tables = [_f1_table(comparison), _totals_table(comparison)]
    if comparison.absent:
        tables.append(_absent_table(comparison))
    if differences:
        tables.append(_difference_table(comparison, str(against), differences))
    return tables


def _f1_table(comparison: Comparison) -> Table:
    groups = comparison.groups()
    heads = [f"{_broken(name)}\n{len(numbers)}" for name, numbers in groups.items()]
    table = plain_table("Macro F1 (pages of each set below its name)", "extractor", *heads)
    for name in comparison.measured:
        rows = comparison.summaries(name)
        table.add_row(name, *(ratio(rows[group].score.f1) for group in groups))
    return table


def _absent_table(comparison: Comparison) -> Table:
    table = Table(
        box=None, pad_edge=False, show_header=False, title="Not installed", title_justify="left"
    )
    for name, package in comparison.absent.items():
        table.add_row(name, f"pip install {package}", style="dim")
    return table


def _broken(name: str) -> str:
    """A name in lines, for narrow columns."""
    return name.replace("_", "_\n")


def _totals_table(comparison: Comparison) -> Table:
    table = plain_table(
        "All pages", "extractor", "P", "R", "F1", "empty", "failed", "pages/s mean", "median"
    )
    for name, pages in comparison.measured.items():
        row = Summary.of(pages)
        failed = ", ".join(f"{n} {kind}" for kind, n in row.failures.items()) or "0"
        table.add_row(
            name,
            *map(ratio, (row.score.precision, row.score.recall, row.score.f1, row.empty_share)),
            failed,
            f"{row.mean_pages_per_s:.0f}",
            f"{row.median_pages_per_s:.0f}",
        )
    return table


def _difference_table(comparison: Comparison, against: str, differences: Differences) -> Table:
    groups = [group for group in comparison.groups() if group in next(iter(differences.values()))]
    title = f"Macro F1 of {against} minus that of the row, 95 % interval"
    table = plain_table(title, "extractor", *groups)
    for name, row in differences.items():
        table.add_row(name, *(_interval(row[group]) for group in groups))
    return table


def _interval(difference: Difference) -> str:
    star = "*" if difference.is_clear else " "
    return f"{difference.mean:+.3f} [{difference.low:+.3f} {difference.high:+.3f}]{star}"


def comparison_json(
    comparison: Comparison, against: str | None, differences: Differences, *, by_page: bool
) -> dict[str, Any]:
    """The whole comparison as plain values.

    Args:
        comparison: the extractors.
        against: extractor that the others are compared with, None for none.
        differences: see `Differences`.
        by_page: whether the scores of each page are wanted, too.
    """
    extractors: dict[str, Any] = {}
    for name, pages in comparison.measured.items():
        rows = comparison.summaries(name)
        row: dict[str, Any] = {group: dataclasses.asdict(score) for group, score in rows.items()}
        extractors[name] = {"version": comparison.versions.get(name, ""), "groups": row}
        if by_page:
            numbers = [job.page.number for job in comparison.jobs]
            measured = map(dataclasses.asdict, pages)
            extractors[name]["by_page"] = dict(zip(numbers, measured, strict=True))
    return {
        "extractors": extractors,
        "absent": comparison.absent,
        "against": against,
        "differences": {
            name: {group: dataclasses.asdict(score) for group, score in row.items()}
            for name, row in differences.items()
        },
    }
