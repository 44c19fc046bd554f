"""From a page's bytes to its links and columns: the step between the crawl and the workers.

The stages of the project say what they want of each page (`AnalysisStage.plan`); together that is
the plan of the crawl. A page that no earlier stage has dropped is sent to a worker with it, the
links that come back are queued, and each stage takes its columns when the page passes it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from quarkcrawl.analysis import (
    AnalysisEngine,
    AnalysisPlan,
    AnalyzedPage,
    EngineOptions,
    PageAnalysis,
    PageInput,
    analyze,
    analyze_page,
)
from quarkcrawl.crawl.components.pages import followed
from quarkcrawl.crawl.http import Attachments, check_proxies
from quarkcrawl.frontier import steady_time
from quarkcrawl.page import PackedReply
from quarkcrawl.page.lists import ListBounds

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy.crawler import Crawler

    from quarkcrawl.analysis import StagePlan
    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.campaign import Campaign
    from quarkcrawl.frontier import Lease
    from quarkcrawl.page import Links, Page, PageItem


logger = logging.getLogger(__name__)

_MOST_DEATHS_HERE: Final = 2
"""Runs that may die over a page that is analyzed in their own process."""
_MOST_DEATHS: Final = 5
"""The same with workers: they die in its stead, so others than the page are likely to be guilty."""

_MOST_WAITING: Final = 2
"""Pages that wait for workers, for each request that may be out."""

_analyzers: WeakKeyDictionary[Crawler, Analyzer] = WeakKeyDictionary()


class Analyzer:
    """The analysis of one crawl: in workers, or here if the settings ask for that.

    Args:
        config: number and bounds of the workers.

    Raises:
        ConfigError: a library is missing for attachments or proxies that are wanted.

    Attributes:
        on_room: told when it was full and is not any more.
    """

    def __init__(self, config: CrawlConfig) -> None:
        Attachments(config)  # says now what it lacks
        check_proxies(config.proxy)
        self.on_room: Callable[[], None] = _nothing
        self._config = config
        self._n_waiting = 0
        self._stages: list[StagePlan] = []
        self._engine: AnalysisEngine | None = None
        self._plan: AnalysisPlan | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def of(cls, crawler: Crawler, config: CrawlConfig) -> Analyzer:
        """The analyser of a crawler; made when first asked for.

        Args:
            crawler: Scrapy's object for one run of a spider.
            config: its settings.
        """
        if crawler not in _analyzers:
            _analyzers[crawler] = cls(config)
        return _analyzers[crawler]

    def add(self, stage: StagePlan) -> None:
        """A stage has a part in the plan; stages come in their order.

        Args:
            stage: what it wants.
        """
        self._stages.append(stage)

    @property
    def plan(self) -> AnalysisPlan:
        """What is done with each page."""
        if self._plan is None:
            config = self._config
            bounds = config.max_url_chars, config.max_link_bytes, config.max_column_bytes
            feeds = config.feeds != "off"
            self._plan = AnalysisPlan(tuple(self._stages), *bounds, feeds=feeds)
        return self._plan

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for workers that no more should be fetched."""
        return self._n_waiting >= _MOST_WAITING * self._config.concurrency

    @property
    def is_busy(self) -> bool:
        """Whether anything is done behind a page that is gone."""
        return bool(self._tasks)

    def start(self) -> None:
        """Start the workers.

        Raises:
            QuarkError: they cannot be started.
        """
        config = self._config
        if config.in_process or self._engine is not None:
            return
        limits = config.page_cpu_s, config.page_timeout_s, config.page_memory_bytes
        self._engine = AnalysisEngine(self.plan, EngineOptions(config.workers, *limits))
        self._engine.start()

    async def close(self) -> None:
        """End what goes on behind, then the workers."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    async def apply(
        self, item: PageItem, campaign: Campaign, *, links_only: bool = False
    ) -> PageItem:
        """The item with its links, which are queued, and with what its stages will take.

        Args:
            item: a page that was not analyzed.
            campaign: the campaign it belongs to.
            links_only: True for a page that will not be stored.
        """
        source = PageInput(
            item.url,
            item.body,
            item.page.content_type,
            is_markup=item.mime != "text/plain",
            links_only=links_only,
            head=None if links_only else item.fetched.reply_head,
        )
        campaign.ledger.fetched(item.token, steady_time())
        analysis, page = await self._analyzed(item, source, campaign)
        analysis.links = followed(analysis.links, item)
        await campaign.push_links(analysis.links, host=item.host, level=item.level)
        if analysis.links.n_too_long:
            campaign.tally.reasons["url_too_long"] += analysis.links.n_too_long
        failures = [name for name in ("parse", "links") if name in analysis.failures]
        for name, words in analysis.failures.items():
            logger.error("%.200s: stage %s failed: %s", item.url, name, words)
        for flag in analysis.flags:
            logger.warning("%.200s: %s", item.url, flag)
        names = [stage.name for stage in self.plan.stages]
        return dataclasses.replace(
            item,
            page=page,
            links=analysis.links,
            packed=None if analysis.packed is None else PackedReply(*analysis.packed, item.body),
            flags=(*item.flags, *analysis.flags, *(f"failed:{name}" for name in failures)),
            results={
                name: analysis.columns.get(name)
                for name in names
                if name in analysis.columns or name in analysis.failures
            },
        )

    async def _analyzed(
        self, item: PageItem, source: PageInput, campaign: Campaign
    ) -> tuple[PageAnalysis, Page]:
        if item.page.layout is not None:  # as a browser shows it
            return analyze_page(item.page, self.plan), item.page
        analysis = await self._guarded(
            source, item.token, campaign, on_slow=partial(self._go_on, item, campaign)
        )
        return analysis, AnalyzedPage(source, analysis)

    async def read_list(
        self, lease: Lease, body: bytes, content_type: str | None, campaign: Campaign
    ) -> PageAnalysis:
        """What a sitemap or a feed says, read where pages are analyzed.

        Args:
            lease: under which it was fetched.
            body: what came, without content encodings.
            content_type: value of the header.
            campaign: the campaign it belongs to.
        """
        config = self._config
        bounds = ListBounds(config.max_sitemap_bytes, max_url_chars=config.max_url_chars)
        bounds = bounds._replace(max_entries=config.max_sitemap_urls)
        source = PageInput(lease.url, body, content_type, links_only=True, list_bounds=bounds)
        campaign.ledger.fetched(lease.token, steady_time())
        return await self._guarded(source, lease.token, campaign)

    async def _guarded(
        self,
        source: PageInput,
        token: int,
        campaign: Campaign,
        *,
        on_slow: Callable[[PageAnalysis | None], None] | None = None,
    ) -> PageAnalysis:
        guard = campaign.crash_guard
        deaths = max(guard.deaths[source.url], campaign.ledger.deaths(token))
        if deaths >= (_MOST_DEATHS_HERE if self._engine is None else _MOST_DEATHS):
            return PageAnalysis(flags=("failed:crash",))
        slot = guard.begin(source.url)
        self._n_waiting += 1
        try:
            if self._engine is not None:
                return await self._engine.analyze(source, is_suspect=deaths > 0, on_slow=on_slow)
            return analyze(source, self.plan)
        finally:
            guard.end(slot)
            was_full = self.is_full
            self._n_waiting -= 1
            if was_full and not self.is_full:
                self.on_room()

    def follow(self, item: PageItem, campaign: Campaign, end: Callable[[], None]) -> None:
        """Queue the links of a page that will not be stored; nobody waits for it.

        Args:
            item: the page.
            campaign: the campaign it belongs to.
            end: ends its lease when the links are queued.
        """
        self.behind(self._follow(item, campaign, end))

    async def _follow(self, item: PageItem, campaign: Campaign, end: Callable[[], None]) -> None:
        with campaign.storage_guard():
            await self.apply(item, campaign, links_only=True)
            end()

    def behind(self, work: Awaitable[None]) -> None:
        """Do something that the page it belongs to does not wait for.

        Args:
            work: what is to be done.
        """
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _go_on(self, item: PageItem, campaign: Campaign, analysis: PageAnalysis | None) -> None:
        """A page takes long: its host waits neither for it nor for more than its links."""
        if analysis is not None:
            self.behind(_push(followed(analysis.links, item), item, campaign))
            return
        with campaign.storage_guard():
            campaign.frontier.settle((item.token,))


async def _push(links: Links, item: PageItem, campaign: Campaign) -> None:
    with campaign.storage_guard():
        await campaign.push_links(links, host=item.host, level=item.level)


def _nothing() -> None:
    """Nobody wants to know."""
