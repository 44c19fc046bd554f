"""The view of the way of a URL: its stations, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset import WAY_STEPS
from quarkcrawl.workbench.web.api import MOST_URL_CHARS, traced

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


PASSED: Final = frozenset(
    {
        "absent", "agrees", "allowed", "blocks", "changed", "decided", "kept", "labels", "open",
        "open_fetching", "open_waits", "ranked", "seed", "stored", "taken", "text",
    }
)  # fmt: skip
ENDED: Final = frozenset(
    {
        "closed", "closed_fetching", "closed_waits", "dropped", "duplicate", "empty", "exact",
        "failed", "forbidden", "left_out", "near", "redirected",
    }
)  # fmt: skip
"""Outcomes after which a URL, or what it would have brought, was not taken further."""

DOUBTED: Final = frozenset({"never_offered", "unknown", "unlisted", "unreadable"})
"""Outcomes that say what is not known."""


def trace(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """What became of a URL."""
    url = query.text("url", MOST_URL_CHARS).strip()
    values: dict[str, Any] = {"view": "trace", "asked": url, "found": None, "stations": []}
    if url:
        way = traced(bench, url)
        stations = [
            {
                "step": step,
                "points": points,
                "state": _state(step, points, is_known=way["is_known"]),
            }
            for step in WAY_STEPS
            for points in [[_shown(one) for one in way["points"] if one["step"] == step]]
        ]
        values |= {"found": way, "stations": stations}
    else:
        _ = bench.tables  # says that there is no corpus
    return values


def _shown(point: dict[str, Any]) -> dict[str, Any]:
    """A point with the words that go into its sentence."""
    facts = dict(point["facts"])
    n = facts.get("chars", 0)
    if point["outcome"] == "blocks":
        n = sum(facts.values())
    if point["outcome"] == "ranked":
        n = facts.pop("position")
    step, reason = facts.get("selection_step", ""), facts.get("reason", "")
    said = {"finding": point["finding"], "step": step, "reason": reason, "n": n}
    said["rule"] = facts.get("rule", 0)
    return {**point, "facts": facts, "said": said}


def _state(step: str, points: list[dict[str, Any]], *, is_known: bool) -> str:
    """Whether a URL passed a station; the worst that is told of it counts."""
    if step == "filters" and not points:
        return "passed" if is_known else "silent"  # a URL that was asked for passed them all
    outcomes = {point["outcome"] for point in points}
    if outcomes & ENDED:
        return "ended"
    if outcomes & DOUBTED:
        return "doubted"
    return "passed" if outcomes else "silent"
