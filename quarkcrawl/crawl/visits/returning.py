"""Stored pages wait again when they are due; their requests ask only for what has changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from quarkcrawl.crawl.visits.book import BOOK, KnownList, VisitBook
from quarkcrawl.crawl.visits.schedule import VisitSchedule
from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.frontier import Candidate, Lease
from quarkcrawl.page import host_key
from quarkcrawl.store import CorpusLock, page_dat_path, read_at, split_reply
from quarkcrawl.store.tables import settle_versions

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.visits.book import KnownPage
    from quarkcrawl.frontier import SqliteFrontier
    from quarkcrawl.page import Fetched
    from quarkcrawl.page.lists import PublishedList
    from quarkcrawl.store import PageRow


_WAITING_URLS: Final = 2000
"""Due pages join the frontier while fewer URLs than this wait there."""

_AT_ONCE: Final = 500
_SOON_S: Final = 1.0
_DAY_S: Final = 86400.0
_FEW: Final = 10
_MOST_TODAY: Final = 0.9
"""Share of entries: a list by which nearly all pages have changed today names its own date."""
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
        frontier.reopen(_BUDGET)  # a full host takes no new pages: see `refusal`

    @staticmethod
    def is_wanted(root: Path, config: CrawlConfig) -> bool:
        """Whether a corpus has, or is to have, returning visits."""
        return config.refresh or (root / BOOK).exists()

    def known(self, url: str) -> KnownPage | None:
        """What is stored of a URL."""
        return self._book.get(url)

    def refusal(self, lease: Lease) -> str | None:
        """Why a page is not fetched: it is new, and its host has all that it may have."""
        most = self._config.max_host_pages
        state = self._frontier.host(lease.host) if most else None
        if state is None or state.stored < most or self.known(lease.url) is not None:
            return None
        return _BUDGET

    def conditions(self, url: str) -> dict[str, str]:
        """Header lines that ask for a page or a list only if it is another than before."""
        page = self._book.get(url)
        if page is not None:
            etag, modified = self._validators(page)
        elif (one := self._book.get_list(url)) is not None:
            etag, modified = one.etag, one.modified
        else:
            return {}
        pairs = (("If-None-Match", etag), ("If-Modified-Since", modified))
        return {name: value for name, value in pairs if value}

    def _validators(self, page: KnownPage) -> tuple[str, str]:
        """Those of the stored reply; of one that cannot be read none."""
        try:
            path = page_dat_path(self._root, page.host)
            reply = split_reply(read_at(path, page.offset, page.length).data)
        except (DamagedRecordError, StoreError):
            return "", ""
        return reply.get("etag") or "", reply.get("last-modified") or ""

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
        lists = self._book.take_lists(self.horizon, _AT_ONCE)
        endings = [(Candidate(p.url, p.host, max(p.level, 1)), p.reason) for p in pages]
        endings += [(Candidate(x.url, host_key(x.url), 1, x.origin), x.reason) for x in lists]
        if not endings:
            return False
        waits = self._frontier.revive(endings)
        urls = [candidate.url for candidate, _ in endings]
        now = time.time()
        for url, entry in zip(urls, self._frontier.find(urls), strict=True):
            if entry is None:  # its host is closed
                self._book.put_off(url, now + self._config.refresh_max_s)
            elif isinstance(entry, Lease):  # it is out, or its last visit is not durable yet
                self._book.put_off(url, now + _SOON_S)
        return any(waits)

    def is_due(self) -> bool:
        """Whether a page will be visited in this run that does not wait yet."""
        if not self._config.refresh:
            return False
        due = self._book.next_due()
        return due is not None and (self._config.watch or due <= self.horizon)

    def list_read(self, lease: Lease, reason: str, reply: Fetched, found: PublishedList) -> None:
        """A sitemap or a feed: it comes back, and pages that it says have changed are due."""
        now = time.time()
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in reply.header_lines
        }
        etag, modified = headers.get("etag", ""), headers.get("last-modified", "")
        one = KnownList(lease.url, lease.origin or "", reason, etag, modified)
        self._book.list_read(one, now)
        entries = zip(found.url, found.lastmod, strict=True)
        times = [(url, at) for url, at in entries if at is not None]
        n_today = sum(at > now - _DAY_S for _, at in times)
        if len(times) < _FEW or n_today < _MOST_TODAY * len(times):
            self._book.hasten(times)

    def knows(self, url: str) -> bool:
        """Whether a URL is that of a stored page, or of a list that was read before."""
        return self._book.get(url) is not None or self._book.get_list(url) is not None

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
