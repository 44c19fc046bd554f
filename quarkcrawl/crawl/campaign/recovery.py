"""After a crash: bring the frontier up to what is already on disk.

The journal is written before the frontier is committed, so after a kill it may hold pages whose
leases were never acknowledged. Rows are replayed in the order they were written: a URL that
still waits is finished, and what its page led to is queued again, so that the next row finds its
URL known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.crawl.campaign.reasons import LISTS, is_failure
from quarkcrawl.crawl.campaign.rebuild import CLOSING, is_list_read, restored
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key
from quarkcrawl.store import DropRow, RedirectRow, VisitRow
from quarkcrawl.store.tables import replay

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from quarkcrawl.crawl.campaign.scope import Scope
    from quarkcrawl.frontier import Frontier


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a restart had to mend; nothing after a clean end."""

    rows: int
    finished: int
    hosts: Mapping[str, Candidate]
    """By host one URL of its lowest level that ended: its sitemaps may have been forgotten."""


def recover(root: Path, frontier: Frontier, scope: Scope) -> Recovered:
    """Finish every URL in the frontier that the journal shows to be done."""

    def knows(url: str) -> bool:
        return frontier.find([url]) != [None]

    rows = finished = 0
    hosts: dict[str, Candidate] = {}
    for row in replay(root):
        rows += 1
        ended = restored(row, scope)
        led_to: Sequence[Candidate] = ended.led_to
        if led_to and isinstance(row, RedirectRow):
            led_to = [_redirected(row, frontier)]
        for space, digest, name in ended.claims:
            frontier.claim(space, digest, name)
        if isinstance(row, DropRow | VisitRow) and _may_wait(row) and knows(row.url):
            continue
        if is_list_read(row):  # the frontier has lost it, and with it what it named: once more
            frontier.push([ended.candidate])
            continue
        if ended.reason not in CLOSING:
            _keep_lowest(hosts, ended.candidate)
        if frontier.finish(row.url, reason=ended.reason):
            finished += 1
        else:
            frontier.mark_seen([row.url])
        frontier.push(led_to)
    if rows:
        frontier.commit()
    return Recovered(rows, finished, hosts)


def _keep_lowest(hosts: dict[str, Candidate], ended: Candidate) -> None:
    first = hosts.setdefault(ended.host, ended)
    if ended.level < first.level:
        hosts[ended.host] = ended


def _may_wait(row: DropRow | VisitRow) -> bool:
    """Whether a URL is tried again: perhaps it was revived, or what it led to is not known."""
    leads = LISTS if isinstance(row, DropRow) else LISTS | {"redirect", "duplicate"}
    return is_failure(row.reason) or row.reason in leads


def _redirected(row: RedirectRow, frontier: Frontier) -> Candidate:
    """The target of a redirect, with the first URL and all hops of its chain."""
    (before,) = frontier.find([row.url])
    origin = (before.origin if before is not None else None) or row.url
    hops = (before.hops if before is not None else 0) + 1
    return Candidate(row.target, host_key(row.url), row.level, origin, hops)
