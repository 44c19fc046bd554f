"""Results of the two tasks as tables for people and as plain values for JSON."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from quarkcrawl.lab.evaluate.cells import plain_table, ratio
from quarkcrawl.lab.gold import macro

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from quarkcrawl.lab.evaluate.sewm2008.finding import ContentResult
    from quarkcrawl.lab.evaluate.sewm2008.topic import TopicResult


def topic_table(results: Iterable[TopicResult]) -> Table:
    """A row for each run of task 1.

    Args:
        results: scores of the runs.
    """
    table = plain_table("Topic pages", "run", "P", "R", "F1", "found", "correct", "topic", "pages")
    for row in results:
        counts = (row.n_found, row.n_correct, row.n_topic, row.n_pages)
        score = (row.score.precision, row.score.recall, row.score.f1)
        table.add_row(row.name, *map(ratio, score), *map(str, counts))
    return table


def topic_json(results: Iterable[TopicResult]) -> list[dict[str, Any]]:
    """The same as plain values.

    Args:
        results: scores of the runs.
    """
    return [dataclasses.asdict(row) for row in results]


def content_table(results: Iterable[ContentResult], title: str) -> Table:
    """A row for each run of task 2, and one more for pages that were marked from its proposals.

    Args:
        results: scores of the runs.
        title: title of the table.
    """
    table = plain_table(title, "run", "P", "R", "F1", "pages", "missing")
    for row in results:
        score = (row.score.precision, row.score.recall, row.score.f1)
        means = map(ratio, score) if row.by_page else "–––"
        table.add_row(row.name, *means, str(len(row.by_page)), str(row.n_missing))
        if row.own:
            own = macro(list(row.own.values()))
            means = map(ratio, (own.precision, own.recall, own.f1))
            table.add_row(f"{row.name}, marks from its proposal", *means, str(len(row.own)), "")
    return table


def content_json(results: Iterable[ContentResult], *, by_page: bool) -> list[dict[str, Any]]:
    """The same as plain values.

    Args:
        results: scores of the runs.
        by_page: whether the scores of each page are wanted, too.
    """
    rows = []
    for row in results:
        fields: dict[str, Any] = {
            "name": row.name,
            "score": dataclasses.asdict(row.score),
            "n_pages": len(row.by_page),
            "n_missing": row.n_missing,
        }
        if row.own:
            fields["own_score"] = dataclasses.asdict(macro(list(row.own.values())))
            fields["n_own_pages"] = len(row.own)
        if by_page:
            pages = {number: dataclasses.asdict(score) for number, score in row.by_page.items()}
            fields["by_page"] = pages
        rows.append(fields)
    return rows
