"""After a crash: bring the frontier up to what is already on disk.

The journal is written before the frontier is committed, so after a kill it may hold pages whose
leases were never acknowledged. Rows are replayed in the order they were written: a URL that
still waits is finished, and what its page led to is queued again, so that the next row finds its
URL known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.crawl.campaign.reasons import STORED
from quarkcrawl.crawl.campaign.scope import is_home
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key
from quarkcrawl.store import DuplicateRow, PageRow, RedirectRow
from quarkcrawl.store.tables import replay

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.crawl.campaign.scope import Scope
    from quarkcrawl.frontier import Frontier
    from quarkcrawl.store import Row


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a restart had to mend; all zero after a clean end."""

    rows: int
    finished: int


def recover(root: Path, frontier: Frontier, scope: Scope) -> Recovered:
    """Finish every URL in the frontier that the journal shows to be done."""
    rows = finished = 0
    for row in replay(root):
        rows += 1
        led_to = _led_to(row, frontier, scope)
        finished += _finish(row, frontier)
        frontier.push(led_to)
    if rows:
        frontier.commit()
    return Recovered(rows, finished)


def _finish(row: Row, frontier: Frontier) -> bool:
    if isinstance(row, PageRow):
        frontier.claim("md5", row.md5, row.url)
        if is_home(row.url, row.level, row.origin):
            frontier.claim("home", row.md5, row.host)
    reason = _reason(row)
    if frontier.finish(row.url, reason=reason):
        return True
    frontier.mark_seen([row.url])
    return False


def _reason(row: Row) -> str:
    if isinstance(row, PageRow):
        return STORED
    if isinstance(row, DuplicateRow):
        return "duplicate"
    return "redirect" if isinstance(row, RedirectRow) else row.reason


def _led_to(row: Row, frontier: Frontier, scope: Scope) -> list[Candidate]:
    host = host_key(row.url)
    if isinstance(row, PageRow | DuplicateRow):
        return scope.candidates(row.links, host=host, level=row.level)
    if isinstance(row, RedirectRow) and row.in_scope:
        (before,) = frontier.find([row.url])
        origin = (before.origin if before is not None else None) or row.url
        hops = (before.hops if before is not None else 0) + 1
        return [Candidate(row.target, host, row.level, origin, hops)]
    return []
