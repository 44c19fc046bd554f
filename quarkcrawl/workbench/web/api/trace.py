"""The API of the way of a URL."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import Annotated, Any, Final

import msgspec

from quarkcrawl.dataset import WAY_STEPS, WayPoint, explain_url, rule_points
from quarkcrawl.errors import QuarkError
from quarkcrawl.page import canonicalize, host_key
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations, PendingError, string

MOST_URL_CHARS: Final = 2000
_MOST_SIMILAR: Final = 10
TRACE_OPERATIONS: Final = Operations()


class Trace(msgspec.Struct, forbid_unknown_fields=True):
    """What became of a URL: the points of its way in their order, and what can be opened of it."""

    url: str
    is_known: bool
    points: list[dict[str, Any]]
    pages: list[dict[str, Any]]
    similar: list[str]


@TRACE_OPERATIONS.add(
    "GET /api/trace", "What became of a URL, from the list to the data set", reply=Trace
)
def trace(
    bench: Bench,
    url: Annotated[str, string(MOST_URL_CHARS, "the address", min_length=1)],
) -> Any:
    """The whole way of a URL."""
    return traced(bench, url)


def traced(bench: Bench, text: str) -> dict[str, Any]:
    """The way of a URL; of one that nothing is known of, addresses that are like it.

    Args:
        bench: the workbench; its tables may still be being read, or broken.
        text: the address as somebody wrote it.

    Raises:
        ApiError: there is no corpus.
        StoreError: the corpus is gone.
    """
    root, url = bench.tables.root, text.strip()
    points = explain_url(root, url, with_rules=False)
    if not _is_known(points):
        other = canonicalize(url if "://" in url else f"http://{url}")
        if other is not None and other != url:
            url, points = other, explain_url(root, other, with_rules=False)
    is_known = _is_known(points)
    plain = [_plain(point) for point in points]
    pages: list[dict[str, Any]] = []
    similar: list[dict[str, Any]] = []
    with suppress(QuarkError):  # the way itself is told without the index
        pages = bench.tables.rows(
            "SELECT id, fetched_at FROM pages WHERE url = ? ORDER BY number DESC LIMIT 20", [url]
        )
        if pages:
            _add_declared(bench, pages[0]["id"], plain)
            plain += map(_plain, _taught(bench, pages[0]["id"], url))
            plain.sort(key=lambda point: WAY_STEPS.index(point["step"]))
        if not is_known:
            part = url.partition("://")[2] or url
            similar = bench.tables.rows(
                "SELECT DISTINCT url FROM (SELECT url FROM pages UNION ALL SELECT url FROM drops"
                " UNION ALL SELECT url FROM redirects) WHERE contains(url, ?)"
                " ORDER BY len(url), url LIMIT ?",
                [part, _MOST_SIMILAR],
            )
    return {
        "url": url,
        "is_known": is_known,
        "points": plain,
        "pages": pages,
        "similar": [row["url"] for row in similar],
    }


def _is_known(points: list[Any]) -> bool:
    """Whether the corpus knows the URL itself, not only its host."""
    return not any(point.step == "fetch" and point.outcome == "unknown" for point in points)


def _add_declared(bench: Bench, page: str, points: list[dict[str, Any]]) -> None:
    """What was said of the charset, beside what decided it; read from the stored bytes."""
    with suppress(
        ApiError, PendingError
    ):  # the record is gone or broken: the tables still tell the rest
        declared = bench.worker.ask("charset", bench.documents[page])
        for point in points:
            if point["step"] == "charset":
                point["facts"] |= declared


def _taught(bench: Bench, page: str, url: str) -> list[WayPoint]:
    """What the rules of its host do on a page; it is read again where no page can hurt."""
    try:
        rules, host = bench.rules.rules(), host_key(url)
        if host not in rules.hosts:
            return []
        effects = bench.worker.ask(
            "taught_effects", bench.documents[page], method="default", taught=rules.of(host)
        )
    except (QuarkError, ApiError, PendingError) as error:
        return [WayPoint("rules", f"cannot be read ({error})", outcome="unreadable")]
    return list(rule_points(url, rules, str(bench.rules.path), **effects))


def _plain(point: Any) -> dict[str, Any]:
    fields = dataclasses.asdict(point)
    return {**fields, "facts": {name: _json(value) for name, value in point.facts.items()}}


def _json(value: Any) -> Any:
    """A value as JSON has it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return [_json(one) for one in value] if isinstance(value, list) else str(value)
