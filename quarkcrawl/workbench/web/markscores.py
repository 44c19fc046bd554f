"""Scores of the methods against somebody's marks, with intervals that shrink as pages are marked.

Pages of one host look alike, so whole hosts are drawn for the intervals; of fewer than
`LEAST_GROUPS` hosts the pages are drawn instead, and of fewer pages no interval is given: it would
say more than is known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.lab.evaluate import Difference, paired_bootstrap
from quarkcrawl.page import host_key
from quarkcrawl.workbench.web.gold import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Scored = tuple[dict[str, Any], Any]
    """A page's entry of the marks, and precision, recall and F1 of a method there, or none."""


LEAST_GROUPS: Final = 5
"""Fewer hosts, or pages, than these are not drawn."""

_N_DRAWS: Final = 2000
_HISTORY_STEPS: Final = 12


def method_scores(entries: Sequence[dict[str, Any]], scores: dict[str, Any]) -> dict[str, Any]:
    """Means of each method with their intervals, how these shrank, and what lies between methods.

    Pages whose marks began from what a method proposed are left out of its means and have some of
    their own, ``own``.

    Args:
        entries: marks of the pages, in the order in which they were marked.
        scores: those of each page by method, as
            `quarkcrawl.workbench.web.worker.gold.score_marks` gives them.
    """
    scored = {name: list(zip(entries, rows, strict=True)) for name, rows in scores.items()}
    others = {name: _of_origin(rows, name, is_own=False) for name, rows in scored.items()}
    methods = [
        {
            "method": name,
            **_means(others[name]),
            **_interval(others[name]),
            "history": list(_history(others[name])),
            "own": _means(_of_origin(rows, name, is_own=True)),
        }
        for name, rows in scored.items()
    ]
    best = max(methods, key=lambda one: one["f1"] or 0.0)["method"] if methods else ""
    for one in methods:
        one["behind"] = _behind(others[best], others[one["method"]]) if entries else None
    n_first = sum(entry.get("order") == "disagreement" for entry in entries)
    return {"methods": methods, "best": best, "n_by_disagreement": n_first}


def _of_origin(rows: Sequence[Scored], name: str, *, is_own: bool) -> list[Scored]:
    return [row for row in rows if (origin_of(row[0]) == name) == is_own]


def _means(rows: Sequence[Scored]) -> dict[str, Any]:
    scores = [score for _, score in rows if score]
    n = len(scores)
    return {
        "n_scored": n,
        "n_waiting": sum(score == "" for _, score in rows),
        "precision": round(sum(score[0] for score in scores) / n, 4) if n else None,
        "recall": round(sum(score[1] for score in scores) / n, 4) if n else None,
        "f1": round(sum(score[2] for score in scores) / n, 4) if n else None,
    }


def _interval(rows: Sequence[Scored]) -> dict[str, Any]:
    """The middle 95 % of the means of pages drawn with replacement; None of too few."""
    entry_scores = [(entry, score[2]) for entry, score in rows if score]
    hosts = [host_key(str(entry.get("url") or "")) for entry, _ in entry_scores]
    drawn, groups = _groups(hosts)
    if not drawn:
        return {"low": None, "high": None, "drawn": "", "n_drawn": 0}
    values = [value for _, value in entry_scores]
    interval = _difference(tuple(values), (0.0,) * len(values), groups)
    low, high = round(interval.low, 4), round(interval.high, 4)
    return {"low": low, "high": high, "drawn": drawn, "n_drawn": interval.n_groups}


@lru_cache(maxsize=256)
def _difference(
    first: tuple[float, ...], second: tuple[float, ...], groups: tuple[str, ...] | None
) -> Difference:
    """The bootstrap; views ask every few seconds, mostly for the same. From zeros: of the mean."""
    return paired_bootstrap(first, second, groups=groups, n_draws=_N_DRAWS)


def _groups(hosts: Sequence[str]) -> tuple[str, tuple[str, ...] | None]:
    """What is drawn (hosts, pages, or "": nothing), and the group of each page (None: its own)."""
    if len(set(hosts)) >= LEAST_GROUPS:
        return "hosts", tuple(hosts)
    return ("pages", None) if len(hosts) >= LEAST_GROUPS else ("", None)


def _history(rows: Sequence[Scored]) -> Iterator[dict[str, Any]]:
    """The interval after some of the pages, after more, … and after all of them."""
    rows_with_score = [row for row in rows if row[1]]
    step = max(1, -(-len(rows_with_score) // _HISTORY_STEPS))
    for n in range(len(rows_with_score) % step or step, len(rows_with_score) + 1, step):
        interval = _interval(rows_with_score[:n])
        if interval["drawn"]:
            yield {"n_pages": n, **interval}


def _behind(best: Sequence[Scored], rows: Sequence[Scored]) -> dict[str, Any] | None:
    """How far a method is behind the best one on the pages where both count; None of too few."""
    first = {id(entry): (entry, score[2]) for entry, score in best if score}
    both = [(*first[id(entry)], score[2]) for entry, score in rows if score and id(entry) in first]
    drawn, groups = _groups([host_key(str(entry.get("url") or "")) for entry, _, _ in both])
    if not drawn:
        return None
    ones, twos = [one for _, one, _ in both], [two for _, _, two in both]
    difference = _difference(tuple(ones), tuple(twos), groups)
    return {
        "n_pages": difference.n_pages,
        "mean": round(difference.mean, 4),
        "low": round(difference.low, 4),
        "high": round(difference.high, 4),
        "is_clear": difference.is_clear,
    }
