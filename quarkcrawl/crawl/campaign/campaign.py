"""What the parts of one crawl share: frontier, writer, ledger, counters, and the durable group.

Scheduler, spider, middlewares and pipelines are built by Scrapy one by one; `Campaign.of` gives
them the same campaign. How a URL can end is in `quarkcrawl.crawl.campaign.outcomes`; its one rule,
durable first, acknowledged after, in `quarkcrawl.crawl.campaign.durable`. Every ``commit_pages``
endings or ``commit_interval_s`` a group is committed.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import time
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from quarkcrawl.crawl.campaign.control import Control, write_report
from quarkcrawl.crawl.campaign.crashes import CrashGuard
from quarkcrawl.crawl.campaign.durable import STORAGE_FAULTS, DurableGroup
from quarkcrawl.crawl.campaign.optout import OptOut
from quarkcrawl.crawl.campaign.outcomes import Outcomes
from quarkcrawl.crawl.campaign.reasons import PASSING
from quarkcrawl.crawl.campaign.recovery import recover
from quarkcrawl.crawl.campaign.robots import RobotsRules
from quarkcrawl.crawl.campaign.scope import Scope
from quarkcrawl.crawl.campaign.seeds import seed_candidates
from quarkcrawl.crawl.campaign.shared import join_campaign, worker_report
from quarkcrawl.crawl.campaign.tally import Tally
from quarkcrawl.crawl.campaign.traps import TrapGuard
from quarkcrawl.crawl.leases import Ledger
from quarkcrawl.crawl.lists import ListSources, with_mark
from quarkcrawl.crawl.options import config_of
from quarkcrawl.crawl.visits import Returning
from quarkcrawl.errors import ConfigError
from quarkcrawl.frontier import FrontierOptions, SqliteFrontier, WorkerHooks, steady_time
from quarkcrawl.store import CorpusWriter, open_shard, storage_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.crawler import Crawler

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Candidate, Frontier, FrontierCounts, Lease
    from quarkcrawl.page import Links


logger = logging.getLogger(__name__)

_REAP_S = 15.0
_LOOK_S = 1.0
_DAY_S = 86400.0  # in a watch the budgets of traps and lists are for a day
_LINKS_AT_ONCE = 1000

_campaigns: WeakKeyDictionary[Crawler, Campaign] = WeakKeyDictionary()


class Campaign:
    """One crawl into one corpus.

    Args:
        config: the settings.
        root: folder of the corpus; created if it is not there.

    Raises:
        CorpusLockedError: another run holds the corpus.
        StoreError: the folder cannot be written.
    """

    def __init__(self, config: CrawlConfig, root: Path) -> None:
        self.config = config
        self.failure: BaseException | None = None
        self.final_counts: FrontierCounts | None = None
        self.scope = Scope(config)
        self.opt_out = OptOut(config.opt_out)
        self.writer = (
            open_shard(root, on_rotate=self._checkpoint)
            if config.redis
            else CorpusWriter(root, on_rotate=self._checkpoint)
        )
        self.root = self.writer.root
        try:
            self._open()
        except BaseException as error:
            self.failure = error  # so the journal keeps its rows: they may not be recovered yet
            for part in (self.writer, getattr(self, "frontier", None)):
                with contextlib.suppress(*STORAGE_FAULTS):
                    if part is not None:
                        part.close()
            raise
        self.control = Control(self.root)
        self.ledger = Ledger(self.frontier)
        self.traps = TrapGuard(config)
        self.robots = RobotsRules(self.frontier, config)
        self.lists = ListSources(
            config, self.frontier, named=self.robots.sitemaps, in_scope=self.scope.of_urls
        )
        self.tally = Tally()
        self.on_failure: Callable[[], None] | None = None
        writer, frontier, ledger = self.writer, self.frontier, self.ledger
        self.group = DurableGroup(writer, frontier, ledger, failed=self.storage_failed)
        self.outcomes = Outcomes(config, writer, frontier, ledger, self.tally, self.group)
        self.outcomes.returning = self.returning
        self._next_reap = 0.0
        self._next_look = 0.0
        self._next_day = time.monotonic() + _DAY_S
        self._closed = False

    def _open(self) -> None:
        config, root = self.config, self.root
        options = _frontier_options(config)
        self.frontier: Frontier
        self.returning: Returning | None = None
        if config.redis:
            self.frontier = join_campaign(config, options, root)
        else:
            is_returning = Returning.is_wanted(root, config)
            if is_returning:  # a full host takes no new pages, but its old ones are visited
                options = dataclasses.replace(options, max_host_pages=None)
            self.frontier = frontier = SqliteFrontier(root / "frontier.sqlite", options)
        with storage_errors(root):
            self.recovered = recover(root, self.frontier, self.scope)
            self.crash_guard = CrashGuard(root)
            if not config.redis and is_returning:
                self.returning = Returning(root, config, frontier, PASSING)

    @classmethod
    def opened(cls, crawler: Crawler) -> Campaign | None:
        """The campaign of a crawler, if it was opened.

        Args:
            crawler: Scrapy's object for one run of a spider.
        """
        return _campaigns.get(crawler)

    @classmethod
    def of(cls, crawler: Crawler) -> Campaign:
        """The campaign of a crawler; opened when first asked for.

        Args:
            crawler: Scrapy's object for one run of a spider; its settings name the corpus folder.

        Raises:
            ConfigError: no corpus folder is set.
        """
        campaign = _campaigns.get(crawler)
        if campaign is None:
            config = config_of(crawler.settings)
            if not config.out:
                raise ConfigError("no corpus folder: set QUARKCRAWL_OUT (option --out)")
            campaign = _campaigns[crawler] = cls(config, Path(config.out))
        return campaign

    def start(self, look_again: Callable[[], None]) -> None:
        """The event loop runs.

        Args:
            look_again: told when the frontier may have a lease that it had not before.
        """
        self.group.on_durable = look_again  # what waited for a host's budget may go on
        hooks = WorkerHooks(
            report=self._said_of_itself,
            opted_out=self.opt_out,
            on_leases=look_again,
            on_robots=self.robots.learn,  # its crawl-delay is known to the frontier already
            on_failure=self.storage_failed,
        )
        self.frontier.start(hooks)
        with self.storage_guard():  # a run that finds nothing waiting ends before it looks again
            for ended in self.recovered.hosts.values():
                self._push_counted(self.lists.forgotten(ended))
            self._take_inbox()
        self._report()

    def _said_of_itself(self) -> dict[str, object]:
        return worker_report(self.frontier, self.tally, self.root)

    def _report(self, **more: object) -> None:
        """Tell whoever looks at the corpus; of a shared campaign the server is told instead."""
        if not self.config.redis:
            write_report(self.root, self._said_of_itself() | more)

    # -- links ---------------------------------------------------------------------------------

    def seed(self, candidates: Sequence[Candidate]) -> int:
        """Queue the seeds and make them known for good, so that recovery can build on them.

        Args:
            candidates: the seeds.
        """
        new = self.push(candidates)
        self.frontier.commit()
        return new

    def push(self, candidates: Sequence[Candidate]) -> int:
        """Queue candidates that traps, opt-out and robots.txt allow; returns how many were new.

        Args:
            candidates: URLs in canonical form.
        """
        return len(self._push(candidates))

    def _push(self, candidates: Sequence[Candidate], *, is_listed: bool = False) -> list[Candidate]:
        """Those that were new; lists have bounds of their own instead of those of patterns."""
        if self.returning is not None:  # a full host takes no new pages, as one that is closed
            full = {host for host in {c.host for c in candidates} if self.returning.is_full(host)}
            candidates = [c for c in candidates if c.host not in full]
        allowed, refused = self.traps.sieve(candidates, is_bounded=not is_listed)
        if any(self.opt_out.covers(host) for host in {c.host for c in allowed}):
            refused += [(c, "opted_out") for c in allowed if self.opt_out.covers(c.host)]
            allowed = [c for c in allowed if not self.opt_out.covers(c.host)]
        if self.config.robots:
            permitted = [c for c in allowed if self.robots.allows(c.url, c.host)]
            if len(permitted) < len(allowed):
                permitted_urls = {c.url for c in permitted}
                refused += [(c, "robots") for c in allowed if c.url not in permitted_urls]
                allowed = permitted
        fresh = self.frontier.push(allowed) if allowed else []
        new = list(compress(allowed, fresh))
        for candidate in new:
            self.traps.count(candidate)
        if refused:
            self._refuse(refused)
        return new

    def seek_sitemaps(self, lease: Lease) -> None:
        """Queue the sitemaps of a host when a URL of it is fetched, once in a run.

        Args:
            lease: that of the URL.
        """
        if candidates := self.lists.sitemaps_of(lease):
            self._push_counted(candidates)

    async def push_listed(self, candidates: Sequence[Candidate]) -> int:
        """Queue what a sitemap or a feed names, of much some at a time; how many were new.

        Args:
            candidates: URLs of pages, or of lists.
        """
        n_new = 0
        for start in range(0, len(candidates), _LINKS_AT_ONCE):
            if start:  # others have their turn
                await asyncio.sleep(0)
            n_new += self._push_counted(candidates[start : start + _LINKS_AT_ONCE])
        return n_new

    def _push_counted(self, candidates: Sequence[Candidate]) -> int:
        new = self._push(candidates, is_listed=True)
        for candidate in new:
            self.lists.count(candidate)
        return len(new)

    async def push_links(self, links: Links, *, host: str, level: int) -> None:
        """Queue feeds and links of a page that are in scope; of very many some at a time.

        Args:
            links: links of the page.
            host: key of the page's host.
            level: level of the page.
        """
        if feeds := self.lists.within(self.scope.feeds_of(links, host=host, level=level)):
            self._push_counted(feeds)  # before links lead there, too: those are to pages
        urls = list(self.scope.urls_of(links, level=level))
        for start in range(0, len(urls), _LINKS_AT_ONCE):
            if start:  # others have their turn
                await asyncio.sleep(0)
            part = urls[start : start + _LINKS_AT_ONCE]
            if part := self.frontier.unoffered(part, host=host, level=level + 1):
                self.push(self.scope.of_urls(part, host=host, level=level + 1))

    def _refuse(self, refused: Sequence[tuple[Candidate, str]]) -> None:
        new = self.frontier.mark_seen([c.url for c, _ in refused])
        for (candidate, reason), is_new in zip(refused, new, strict=True):
            if is_new:
                self.outcomes.drop_row(candidate.url, candidate.host, reason, level=candidate.level)

    # -- the timer -----------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """``"running"``, or ``"paused"`` or ``"draining"`` if a file or the server orders that."""
        ordered = self.control.state
        return self.frontier.state() if ordered == "running" else ordered

    def _take_inbox(self) -> None:
        """Queue what `quarkcrawl frontier add` and `retry` left."""
        inbox = self.control.take_inbox()
        # The tables that the order was made of may not have shown yet what was stored since.
        endings = [one for one in inbox.endings if one[0].url not in self.tally.tried_again]
        if endings:
            revived = zip(endings, self.frontier.revive(endings), strict=True)
            self.frontier.commit()
            self.tally.revived(one.url for (one, _), is_revived in revived if is_revived)
        if inbox.seeds:
            self.seed(seed_candidates(inbox.seeds))
        self.control.inbox_done()  # also without a seed: what is left would hide later ones

    def tick(self) -> bool:
        """Called by a timer: bounds the age of a group and takes expired leases back.

        Returns:
            Whether pages wait that did not before.
        """
        self.outcomes.list_closed()
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _LOOK_S
            self.opt_out.look()
            self._take_inbox()
            self._report()
        if self.group.age_s >= self.config.commit_interval_s:
            self.group.commit_soon()
            if self.returning is not None:
                self.returning.commit()
        self._reap(steady_time())
        if self.config.watch and now >= self._next_day:
            self._next_day = now + _DAY_S
            self.traps = TrapGuard(self.config)
            self.lists.forget()
        return self.returning is not None and self.returning.feed()

    def _reap(self, now: float) -> None:
        """Take expired leases back; what comes of their requests later is not stored.

        A lease that has ended here waits for its group only. If it is overdue too (the process
        was suspended), its group goes first: its page is stored and must not be fetched again.
        """
        if now < self._next_reap:
            return
        self.ledger.prolong(now)
        if not self.ledger.may_reap(now):
            self.group.commit_soon()
            return
        self._next_reap = now + min(_REAP_S, self.config.lease_s / 2)
        expired = self.ledger.overdue(now)
        self.frontier.reap(now=now)
        self.ledger.forget(lease.token for lease in expired)
        for lease in self.frontier.expired(expired):
            detail = with_mark(lease.origin, "")
            words = lease.url, lease.host, "lease_expired"
            self.outcomes.drop_row(*words, level=lease.level, detail=detail)

    def _checkpoint(self) -> None:
        """Before rows leave the journal; after a failure they stay, for recovery to read."""
        if self.failure is not None:
            raise self.failure
        self.frontier.checkpoint()

    def storage_failed(self, error: Exception) -> None:
        """The disk is full or broken: say so, once, and let the scheduler close the run.

        Args:
            error: what the file system said.
        """
        if self.failure is not None:
            return
        self.failure = error
        logger.error("%s", error)
        if self.on_failure is not None:
            self.on_failure()

    @contextlib.contextmanager
    def storage_guard(self) -> Iterator[None]:
        """A fault of the corpus or the frontier closes the run instead of being raised."""
        try:
            yield
        except STORAGE_FAULTS as error:
            self.storage_failed(error)

    @property
    def closed(self) -> bool:
        """True once the run ends."""
        return self._closed

    async def close(self) -> None:
        """Finish the group, release what is still out, close frontier and corpus."""
        if self._closed:
            return
        self._closed = True
        await self.group.settled()
        with self.storage_guard():
            await self.frontier.stop()
            self.outcomes.list_closed()
            self.group.finish()
        self._close_files()

    def abandon(self) -> None:
        """Close the files of a crawl that failed to start."""
        if not self._closed:
            self._closed = True
            self._close_files()

    def _close_files(self) -> None:
        """Close what can be closed; the writer first: it makes a checkpoint of the frontier."""
        self.group.close()
        failure = None if self.failure is None else str(self.failure)
        self._report(ended_at=time.time(), failure=failure)  # while nobody else can write here
        parts = (self._count, self.writer.close, self.frontier.close, self.crash_guard.close)
        for close in parts:
            with self.storage_guard():
                close()
        if self.returning is not None:
            with self.storage_guard():
                self.returning.close(is_whole=self.failure is None)

    def _count(self) -> None:
        self.final_counts = self.frontier.counts()


def _frontier_options(config: CrawlConfig) -> FrontierOptions:
    return FrontierOptions(
        delay_s=config.delay_s,
        concurrency=config.host_concurrency,
        max_tries=config.max_tries,
        late_tries=config.late_tries,
        lease_s=config.lease_s,
        max_host_pages=config.max_host_pages or None,
        robots=config.robots,
        domain_delay_s=config.domain_delay_s,
        address_concurrency=config.ip_concurrency,
    )
