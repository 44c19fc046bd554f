"""A frontier from the stored corpus, after the server that kept it has lost something.

Every row says that its URL has ended, and a page's row names its links. Entering all of them
gives a frontier in which nothing that is stored is fetched again and every link that was ever
found waits or has ended. Rows may come in any order and more than once. What no row knows is
asked again: robots.txt, delays learned from it, sitemaps and feeds, seeds that were never fetched
(a worker offers its HOSTS when it starts).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

from quarkcrawl.crawl.campaign.reasons import CHANGED, LISTS, STORED, is_failure
from quarkcrawl.crawl.campaign.scope import claims_of
from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.frontier import Candidate, Restored
from quarkcrawl.page import host_key
from quarkcrawl.store import (
    Corpus,
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    VisitRow,
    shard_roots,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.crawl.campaign.scope import Scope
    from quarkcrawl.frontier import SharedFrontier
    from quarkcrawl.store import Row


_AT_ONCE = 50
CLOSING = frozenset({"host_alias", "spam_host"})
"""Endings of home pages with which their host is given up."""


@dataclass(slots=True)
class Rebuilt:
    """What a rebuild found.

    Args:
        rows: rows read.
        unknown: URLs that the frontier did not know.
        reopened: URLs that it held to be waiting or out although their row is stored.
        waiting: URLs that wait now.
    """

    rows: int = 0
    unknown: int = 0
    reopened: int = 0
    waiting: int = 0


def rebuild_frontier(
    roots: Iterable[Path],
    frontier: SharedFrontier,
    scope: Scope,
    on_progress: Callable[[Rebuilt], None] | None = None,
) -> Rebuilt:
    """Enter what corpora hold into a frontier, empty or not; workers may be at work.

    Raises:
        StoreError: a folder is no corpus.
        FrontierError: the server cannot be reached.
    """
    rebuilt = Rebuilt()
    rows = chain.from_iterable(_rows(shard) for root in roots for shard in shard_roots(root))
    closed: dict[str, str] = {}
    lists: list[Candidate] = []
    while batch := list(islice(rows, _AT_ONCE)):
        unknown, reopened = frontier.restore(
            [
                restored(row, scope)
                for row in _without_revived(batch, frontier)
                if not is_list_read(row)
            ]
        )
        lists += [restored(row, scope).candidate for row in batch if is_list_read(row)]
        rebuilt.rows += len(batch)
        rebuilt.unknown += unknown
        rebuilt.reopened += reopened
        closed |= {row.host: row.reason for row in batch if getattr(row, "reason", "") in CLOSING}  # type: ignore[union-attr]
        if on_progress is not None:
            on_progress(rebuilt)
    while lists:  # those that it has forgotten: what they named stands in no row
        frontier.push(lists[-_AT_ONCE:])
        del lists[-_AT_ONCE:]
    for host, reason in closed.items():
        frontier.close_host(host, reason=reason)
    rebuilt.waiting = frontier.counts().pending
    return rebuilt


def _without_revived(rows: list[Row], frontier: SharedFrontier) -> list[Row]:
    """Rows but for failures of URLs that wait or are out: perhaps they were revived since."""
    failed = [row.url for row in rows if isinstance(row, DropRow) and is_failure(row.reason)]
    entries = dict(zip(failed, frontier.find(failed), strict=True)) if failed else {}
    return [row for row in rows if entries.get(row.url) is None]


def is_list_read(row: Row) -> bool:
    """Whether a row says that a sitemap or a feed led to URLs, which stand in no row."""
    return isinstance(row, DropRow) and row.reason in LISTS


def _rows(shard: Path) -> Iterator[Row]:
    corpus = Corpus.open(shard)
    return chain(corpus.pages(), corpus.duplicates(), corpus.redirects(), corpus.drops())


def restored(row: Row, scope: Scope) -> Restored:
    """What a row says of its URL: that it ended, and what it claimed and led to."""
    host = host_key(row.url)
    mark = ListMark.parse(row.detail) if isinstance(row, DropRow) else None
    origin = getattr(row, "origin", None) if mark is None else str(mark)
    candidate = Candidate(row.url, host, max(row.level, 1), origin)
    if isinstance(row, VisitRow):
        return Restored(candidate, row.reason)
    if isinstance(row, PageRow | DuplicateRow):
        feeds = scope.feeds_of(row.links, host=host, level=row.level)
        led_to = (*feeds, *scope.candidates(row.links, host=host, level=row.level))
        if isinstance(row, DuplicateRow):
            return Restored(candidate, "duplicate", (), led_to)
        reason = CHANGED if row.analysis.get("version") else STORED
        return Restored(candidate, reason, tuple(claims_of(row)), led_to)
    if isinstance(row, RedirectRow):
        target = Candidate(row.target, host, row.level, row.url, 1)
        return Restored(candidate, "redirect", (), (target,) if row.in_scope else ())
    return Restored(candidate, row.reason)
