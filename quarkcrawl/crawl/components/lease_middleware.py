"""LeaseMiddleware: leases end where Scrapy would forget them.

A callback that yields nothing, an item that a pipeline drops or chokes on: Scrapy reports these
by signals or not at all. Here each becomes an ending of its lease. A page that a stage choked on
is stored all the same, without what the stage would have added: a failing stage loses no page.
"""

from __future__ import annotations

import dataclasses
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import signals

from quarkcrawl.analysis import AnalyzedPage
from quarkcrawl.crawl.campaign import STORAGE_FAULTS, page_owners
from quarkcrawl.crawl.components.pages import ITEM_KEY
from quarkcrawl.crawl.components.stage import CampaignPart, DropPage
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.page import PageItem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from quarkcrawl.frontier import Lease


logger = logging.getLogger(__name__)


class LeaseMiddleware(CampaignPart):
    """Spider middleware and signal receiver; see the module text."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        connect = crawler.signals.connect
        connect(self._item_dropped, signals.item_dropped)
        connect(self._item_error, signals.item_error)
        connect(self._look_at_stages, signals.spider_opened)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass the output on; end the lease if no page came of it."""
        lease = _page_lease(response)
        is_kept = False
        for thing in result:
            is_kept = is_kept or isinstance(thing, PageItem) or _keeps(thing, lease)
            yield thing
        self._finish(response, lease, is_kept=is_kept)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """The same for asynchronous callbacks."""
        lease = _page_lease(response)
        is_kept = False
        async for thing in result:
            is_kept = is_kept or isinstance(thing, PageItem) or _keeps(thing, lease)
            yield thing
        self._finish(response, lease, is_kept=is_kept)

    def _finish(self, response: Response, lease: Lease | None, *, is_kept: bool) -> None:
        if lease is None or is_kept or self.campaign.outcomes.has_doubts(lease.token):
            return
        item = response.meta.get(ITEM_KEY)
        end = partial(self.campaign.outcomes.drop, lease, "no_item")
        if item is None:
            end()
        else:
            self.analyzer.follow(item, self.campaign, end)

    def _item_dropped(self, item: Any, exception: Exception, response: Response | None) -> None:
        lease = _page_lease(response)
        if lease is None or not isinstance(item, PageItem):
            return
        reason, detail = "dropped", str(exception)
        if isinstance(exception, DropPage):
            if exception.recorded:
                return
            reason, detail = exception.reason, exception.detail
        end = partial(self._drop, lease, reason, detail)
        if reason == "spam_host" or self.campaign.ledger.is_fetched(lease.token):
            end()
        else:  # dropped before it was analysed: what it leads to is crawled all the same
            self.analyzer.follow(item, self.campaign, end)

    def _look_at_stages(self) -> None:
        """Hear of what has passed all stages, unless one of them ends every lease.

        A receiver of that signal is a task for each page. What a class says holds for itself only:
        one derived from it may let pages pass.
        """
        engine = self._crawler.engine
        assert engine is not None
        stages = engine.scraper.itemproc.middlewares
        if not any("ends_leases" in vars(type(stage)) for stage in stages):
            self._crawler.signals.connect(self._item_scraped, signals.item_scraped)

    def _item_scraped(self, item: Any, response: Response | None) -> None:
        """After the last stage a lease that is still open has no one left to end it."""
        lease = _page_lease(response)
        if lease is not None and isinstance(item, PageItem):
            self._drop(lease, "not_stored")

    def _drop(self, lease: Lease, reason: str, detail: str = "") -> None:
        """Drop from within a signal, where Scrapy would only log what is raised."""
        with self.campaign.storage_guard():
            self.campaign.outcomes.drop(lease, reason, detail)

    def _item_error(self, item: Any, response: Response | None, failure: Failure) -> None:
        lease = _page_lease(response)
        if lease is None or not isinstance(item, PageItem):
            return
        error = failure.value
        if isinstance(error, STORAGE_FAULTS):
            self.campaign.storage_failed(error)
        else:
            self.analyzer.behind(self._keep(item, lease, repr(error), stage=_stage_of(failure)))

    async def _keep(self, item: PageItem, lease: Lease, detail: str, *, stage: str) -> None:
        """Store a page that a stage choked on, or note that its body is stored already."""
        campaign = self.campaign
        try:
            if not item.links and not isinstance(item.page, AnalyzedPage):
                item = await self.analyzer.apply(item, campaign)
            item = dataclasses.replace(item, flags=(*item.flags, f"failed:{stage}"))
            owner = None if stage == "dedup" else page_owners(item, campaign).body
            if owner is None:
                campaign.outcomes.store(item)
            else:
                campaign.outcomes.duplicate(item, owner)
        except STORAGE_FAULTS as error:
            campaign.storage_failed(error)
        except Exception:
            logger.exception("%s: page could not be kept", item.url)
            self._drop(lease, "pipeline_error", detail)


def _page_lease(response: Response | None) -> Lease | None:
    if response is None or response.request is None:
        return None
    lease: Lease | None = response.meta.get(LEASE_KEY)
    return lease if lease is not None and lease.kind == "page" else None


def _keeps(thing: Any, lease: Lease | None) -> bool:
    """A request that carries the lease on is as good as a page: its ending will come."""
    meta = getattr(thing, "meta", None)
    return lease is not None and isinstance(meta, dict) and meta.get(LEASE_KEY) is lease


def _stage_of(failure: Failure) -> str:
    """Name of the pipeline module that raised, read off the traceback."""
    tb = failure.value.__traceback__ if failure.value is not None else None
    name = "pipeline"
    while tb is not None:
        module = str(tb.tb_frame.f_globals.get("__name__", ""))
        if tb.tb_frame.f_code.co_name == "process_item":
            name = module.rpartition(".")[2]
        tb = tb.tb_next
    return name
