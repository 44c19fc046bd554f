"""Stored pages wait again when they are due; their requests ask only for what has changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from quarkcrawl.crawl.visits.book import BOOK, KnownOther, VisitBook
from quarkcrawl.crawl.visits.schedule import VisitSchedule
from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.frontier import Candidate, Lease
from quarkcrawl.page import host_key
from quarkcrawl.store import CorpusLock, VisitRow, page_dat_path, read_at, replay, split_reply
from quarkcrawl.store.tables import settle_versions, table_folder

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.visits.book import KnownPage
    from quarkcrawl.frontier import SqliteFrontier
    from quarkcrawl.page import Fetched
    from quarkcrawl.page.lists import PublishedList
    from quarkcrawl.store import PageRow
    from quarkcrawl.store.tables import RowKind


_MOST_ASKED: Final = 100_000
"""Due pages join the frontier while fewer of them than this wait there."""

_LEADING: Final = frozenset({"sitemap", "feed", "list_moved", "redirect", "duplicate"})
"""Endings of visits that led to further URLs, which stand in no row."""

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
        passing: reasons for which a URL that gave no page comes back all the same.

    Raises:
        StoreError: the book of visits cannot be read or written.
    """

    def __init__(
        self, root: Path, config: CrawlConfig, frontier: SqliteFrontier, passing: Collection[str]
    ) -> None:
        self._root = root
        self._config = config
        self._frontier = frontier
        self._passing = passing
        least_s, most_s = config.refresh_min_s, config.refresh_max_s
        schedule = VisitSchedule(least_s, most_s, config.refresh_home_s)
        self._book = VisitBook(root, schedule, passing)
        self._n_stored: dict[str, int] = {}
        self._started_at = time.time()
        frontier.reopen(_BUDGET)  # a full host takes no new pages: see `is_full`
        for row in replay(root):  # after a kill: what these led to may be lost
            if isinstance(row, VisitRow) and row.reason in _LEADING:
                self._book.put_off(row.url, 0.0)

    @staticmethod
    def is_wanted(root: Path, config: CrawlConfig) -> bool:
        """Whether a corpus has, or is to have, returning visits."""
        kinds: tuple[RowKind, ...] = ("version", "visit")
        return (
            config.refresh
            or (root / BOOK).exists()
            or any(table_folder(root, kind).is_dir() for kind in kinds)
        )

    def known(self, url: str) -> KnownPage | None:
        """What is stored of a URL."""
        return self._book.get(url)

    def knows(self, url: str) -> bool:
        """Whether a URL comes back: a stored page, a list that was read, and the like."""
        return self._book.get(url) is not None or self._book.get_other(url) is not None

    def is_full(self, host: str) -> bool:
        """Whether a host has all the pages that it may have."""
        most = self._config.max_host_pages
        if not most:
            return False
        n_stored = self._n_stored.get(host)
        if n_stored is None:
            state = self._frontier.host(host)
            n_stored = 0 if state is None else state.stored
            self._n_stored[host] = n_stored
        return n_stored >= most

    def refusal(self, lease: Lease) -> str | None:
        """Why a page is not fetched: it is new, and its host has all that it may have."""
        return _BUDGET if self.is_full(lease.host) and not self.knows(lease.url) else None

    def conditions(self, url: str) -> dict[str, bytes]:
        """Header lines that ask for a page or a list only if it is another than before."""
        page, other = self._book.get(url), self._book.get_other(url)
        etag = modified = ""
        if page is not None and page.is_plain:
            etag, modified = self._validators(page)
        elif page is None and other is not None:
            etag, modified = other.etag, other.modified
        pairs = (("If-None-Match", etag), ("If-Modified-Since", modified))
        return {name: value.encode("latin-1", "ignore") for name, value in pairs if value}

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
        """Let what is due wait again; whether anything does now.

        Home pages and lists do always; other pages while not too many wait, of whatever host.
        """
        if not self._config.refresh:
            return False
        book, now = self._book, self.horizon
        pages = book.take_due(now, _AT_ONCE, is_home=True)
        if book.n_asked() < _MOST_ASKED:
            pages += book.take_due(now, _AT_ONCE)
        endings = [(Candidate(p.url, p.host, max(p.level, 1)), p.reason) for p in pages]
        endings += [
            (Candidate(x.url, host_key(x.url), x.level, x.origin or None), x.reason)
            for x in book.take_others(now, _AT_ONCE)
        ]
        return self._revive(endings) if endings else False

    def _revive(self, endings: list[tuple[Candidate, str]]) -> bool:
        reasons = {host: self._closing(host) for host in {c.host for c, _ in endings}}
        waits = self._frontier.revive([(c, reasons[c.host] or reason) for c, reason in endings])
        urls = [candidate.url for candidate, _ in endings]
        now = time.time()
        for url, entry in zip(urls, self._frontier.find(urls), strict=True):
            if entry is None:  # its host is closed for good
                self._book.put_off(url, now + self._config.refresh_max_s)
            elif isinstance(entry, Lease):  # it is out, or its last visit is not durable yet
                self._book.put_off(url, now + _SOON_S)
        return any(waits)

    def _closing(self, host: str) -> str | None:
        """Why a host was closed, if that may be over: then it is opened."""
        state = self._frontier.host(host)
        return state.closed if state is not None and state.closed in self._passing else None

    def is_due(self) -> bool:
        """Whether a page will be visited in this run that does not wait yet."""
        if not self._config.refresh:
            return False
        due = self._book.next_due()
        return due is not None and (self._config.watch or due <= self.horizon)

    # -- what came of it -----------------------------------------------------------------------

    def list_read(
        self, lease: Lease, reason: str, reply: Fetched, url_list: PublishedList, *, is_whole: bool
    ) -> None:
        """A sitemap or a feed: it comes back, and pages that it says have changed are due."""
        now = time.time()
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in (reply.header_lines if is_whole else ())
        }
        etag, modified = headers.get("etag", ""), headers.get("last-modified", "")
        origin = lease.origin or ""
        self._book.put_other(KnownOther(lease.url, 1, origin, reason, etag, modified), now)
        entries = zip(url_list.url, url_list.lastmod, strict=True)
        times = [(url, at) for url, at in entries if at is not None]
        n_today = sum(at > now - _DAY_S for _, at in times)
        if len(times) < _FEW or n_today < _MOST_TODAY * len(times):
            self._book.hasten(times)

    def moved(self, lease: Lease, target: str) -> None:
        """A home page leads elsewhere: it comes back, and with it a page that it leads to."""
        if lease.level == 1 and not lease.hops:
            entry = self._book.get(lease.url)
            if entry is None:
                self._book.put_other(KnownOther(lease.url, 1, "", "redirect"), time.time())
            self._book.put_off(target, 0.0)

    def gave_up(self, url: str, level: int, origin: str | None, reason: str) -> None:
        """A URL gave no page for a reason that may pass: it comes back."""
        other = KnownOther(url, max(level, 1), origin or "", reason)
        self._book.put_other(other, time.time())

    def stored(self, row: PageRow, reason: str) -> None:
        """A page was stored, or a new version of one."""
        self._book.stored(row, reason)
        if reason == "stored" and row.host in self._n_stored:
            self._n_stored[row.host] += 1

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
