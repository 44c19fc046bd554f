"""Stored pages wait again when they are due; their requests ask only for what has changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from quarkcrawl.crawl.visits.book import BOOK, VisitBook
from quarkcrawl.crawl.visits.schedule import VisitSchedule
from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.frontier import Candidate, Lease
from quarkcrawl.store import CorpusLock, page_dat_path, read_at, split_reply
from quarkcrawl.store.tables import settle_versions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.visits.book import KnownPage
    from quarkcrawl.frontier import SqliteFrontier
    from quarkcrawl.store import PageRow


_WAITING_URLS: Final = 2000
"""Due pages join the frontier while fewer URLs than this wait there."""

_AT_ONCE: Final = 500
_SOON_S: Final = 1.0
_BUDGET: Final = "host_budget"


class Returning:
    """The returning visits of one crawl.

    Args:
        root: the corpus.
        config: the settings; without ``refresh`` pages are known, but none waits again.
        frontier: where due pages wait.

    Raises:
        StoreError: the book of visits cannot be read or written.
    """

    def __init__(self, root: Path, config: CrawlConfig, frontier: SqliteFrontier) -> None:
        self._root = root
        self._config = config
        self._frontier = frontier
        schedule = VisitSchedule(config.refresh_min_s, config.refresh_max_s, config.refresh_home_s)
        self._book = VisitBook(root, schedule)
        self._started_at = time.time()
        frontier.reopen(_BUDGET)  # a full host takes no new pages: see `is_full`

    @staticmethod
    def is_wanted(root: Path, config: CrawlConfig) -> bool:
        """Whether a corpus has, or is to have, returning visits."""
        return config.refresh or (root / BOOK).exists()

    def known(self, url: str) -> KnownPage | None:
        """What is stored of a URL."""
        return self._book.get(url)

    def is_full(self, host: str) -> bool:
        """Whether a host has all the pages that it may have."""
        most = self._config.max_host_pages
        state = self._frontier.host(host) if most else None
        return state is not None and state.stored >= most

    def conditions(self, page: KnownPage) -> dict[str, str]:
        """Header lines that ask for a page only if it is another than the stored one."""
        try:
            path = page_dat_path(self._root, page.host)
            reply = split_reply(read_at(path, page.offset, page.length).data)
        except (DamagedRecordError, StoreError):
            return {}
        pairs = (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified"))
        return {name: value for name, known in pairs if (value := reply.get(known))}

    # -- due pages -----------------------------------------------------------------------------

    @property
    def horizon(self) -> float:
        """Pages due until then are visited: now, or when the run began unless it goes on."""
        return time.time() if self._config.watch else self._started_at

    def feed(self) -> bool:
        """Let due pages wait again; whether any does now."""
        if not self._config.refresh or self._frontier.counts().pending >= _WAITING_URLS:
            return False
        pages = self._book.take_due(self.horizon, _AT_ONCE)
        if not pages:
            return False
        endings = [(Candidate(p.url, p.host, max(p.level, 1)), p.reason) for p in pages]
        waits = self._frontier.revive(endings)
        entries = self._frontier.find([page.url for page in pages])
        now = time.time()
        for page, entry in zip(pages, entries, strict=True):
            if entry is None:  # its host is closed
                self._book.put_off(page.url, now + self._config.refresh_max_s)
            elif isinstance(entry, Lease):  # it is out, or its last visit is not durable yet
                self._book.put_off(page.url, now + _SOON_S)
        return any(waits)

    def is_due(self) -> bool:
        """Whether a page will be visited in this run that does not wait yet."""
        if not self._config.refresh:
            return False
        due = self._book.next_due()
        return due is not None and (self._config.watch or due <= self.horizon)

    def listed(self, urls: Iterable[tuple[str, float]]) -> None:
        """Times at which pages changed, as a sitemap or a feed has them."""
        self._book.hasten(urls)

    # -- what came of it -----------------------------------------------------------------------

    def stored(self, row: PageRow, reason: str) -> None:
        """A page was stored, or a new version of one."""
        self._book.stored(row, reason)

    def visited(self, url: str, reason: str, at: float) -> None:
        """A stored page was asked for and has no new version."""
        self._book.visited(url, reason, at)

    def commit(self) -> None:
        """Called now and then."""
        self._book.commit()

    def close(self, *, is_whole: bool) -> None:
        """After the corpus was closed: pages have one row each again.

        Raises:
            StoreError: the tables cannot be written.
        """
        if not is_whole:
            self._book.abandon()
            return
        with CorpusLock(self._root):
            settle_versions(self._root)
            self._book.close()
