"""The view of two rankings beside each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import QuarkError
from quarkcrawl.rank import rank_names
from quarkcrawl.workbench.web.api import MOST_MOVERS, compared_ranks
from quarkcrawl.workbench.web.http import PendingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


_N_MOVERS: Final = ("10", "20", "50")


def rank_compare(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """Two rankings of the corpus: how they agree, the figure, who gains and loses."""
    names = rank_names(bench.tables.root)
    first, second = query.text("first", 60), query.text("second", 60)
    first = first or next(iter(names), "")
    second = second or next((name for name in names if name != first), first)
    movers = min(query.number("movers"), MOST_MOVERS) or int(_N_MOVERS[0])
    values: dict[str, Any] = {
        "view": "ranks", "names": names, "first": first, "second": second, "movers": movers,
        "counts": _N_MOVERS if str(movers) in _N_MOVERS else (*_N_MOVERS, str(movers)),
        "found": None, "failure": "", "unknown": "",
    }  # fmt: skip
    if not names:
        return values
    if unknown := [name for name in (first, second) if name not in names]:
        return values | {"unknown": unknown[0]}
    try:
        comparison, plot = compared_ranks(bench, first, second, movers)
    except PendingError:
        raise
    except QuarkError as error:
        return values | {"failure": str(error)}
    pages = _pages(bench, (mover.url for mover in (*comparison.gained, *comparison.lost)))
    tau = None if math.isnan(comparison.kendall_tau) else comparison.kendall_tau
    return values | {"found": comparison, "tau": tau, "plot": plot, "pages": pages}


def _pages(bench: Bench, urls: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Id and title of the stored pages among some URLs; none if the tables cannot be read."""
    unique_urls = list(dict.fromkeys(urls))
    if not unique_urls:
        return {}
    marks = ", ".join("?" * len(unique_urls))
    try:
        rows = bench.tables.rows(
            "SELECT url, any_value(id) AS id,"  # noqa: S608 - question marks
            " any_value(coalesce(nullif(content_title, ''), title)) AS title"
            f" FROM pages WHERE url IN ({marks}) GROUP BY url",
            unique_urls,
        )
    except PendingError:
        raise
    except QuarkError:
        return {}
    return {row["url"]: row for row in rows}
