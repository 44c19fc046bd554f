"""Counters of a run: by reason, by host, bytes and rates; for progress and the run summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quarkcrawl.crawl.campaign.reasons import CHANGED, STORED
from quarkcrawl.frontier import steady_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.page import PageItem


MAX_HOSTS_LISTED = 1000
"""Hosts with counters of their own; the corpus knows the rest."""

_URLS_LISTED = 1000


@dataclass(slots=True)
class Tally:
    """What one run did so far (not what earlier runs did)."""

    started_at: float = field(default_factory=steady_time)
    reasons: Counter[str] = field(default_factory=Counter)
    by_host: dict[str, Counter[str]] = field(default_factory=dict)
    body_bytes: int = 0
    stored_bytes: int = 0
    retries: int = 0
    rendered: Counter[str] = field(default_factory=Counter)
    given_up: dict[str, str] = field(default_factory=dict)
    tried_again: set[str] = field(default_factory=set)

    def page(self, item: PageItem, stored_bytes: int, reason: str = STORED) -> None:
        """A page, or a new version of one, was stored."""
        self.body_bytes += len(item.body)
        self.stored_bytes += stored_bytes
        self.given_up.pop(item.url, None)
        self.end(item.host, reason)

    def end(self, host: str, reason: str) -> None:
        """A URL of a host ended."""
        self.reasons[reason] += 1
        counts = self.by_host.get(host)
        if counts is None:
            if len(self.by_host) >= MAX_HOSTS_LISTED:
                return
            counts = self.by_host[host] = Counter()
        counts[reason] += 1

    def give_up(self, url: str, reason: str) -> None:
        """A URL ended for a reason that may pass."""
        if len(self.given_up) < _URLS_LISTED:
            self.given_up[url] = reason

    def revived(self, urls: Iterable[str]) -> None:
        """URLs that ended wait again."""
        for url in urls:
            self.given_up.pop(url, None)
            self.tried_again.add(url)

    @property
    def pages(self) -> int:
        """Pages stored in this run, and new versions of pages."""
        return self.reasons[STORED] + self.reasons[CHANGED]

    def pages_per_s(self) -> float:
        """Mean rate since the start of the run."""
        return self.pages / max(steady_time() - self.started_at, 1e-9)
