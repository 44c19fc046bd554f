"""Stage 1: host aliases and pages whose body is stored already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl import CampaignStage, DropPage, config_of, spam_list
from quarkcrawl.crawl.campaign import LeaseLostError, page_owners, shared_owners

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class DedupPipeline(CampaignStage):
    """Drops exact duplicates (MD5) with a URL == URL row; closes hosts that are aliases."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.spam = spam_list(crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CampaignStage:  # type: ignore[override]
        """Build for a crawler; workers that share a frontier ask it and wait."""
        return (SharedDedupPipeline if config_of(crawler.settings).redis else cls)(crawler)

    async def process_item(self, item: PageItem) -> PageItem:
        """Pass on the first page with its body."""
        if self.spam.match(item.host) is not None:
            return item  # the next stage drops it: no page is a duplicate of it
        return await self.first_of(item, page_owners(item, self.campaign))


class SharedDedupPipeline(CampaignStage):
    """The same for all workers of a campaign together."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.spam = spam_list(crawler.settings)

    async def process_item(self, item: PageItem) -> PageItem:
        """Pass on the first page with its body, if its lease still holds."""
        if self.spam.match(item.host) is not None:
            return item
        try:
            owners = await shared_owners(item, self.campaign)
        except LeaseLostError:
            self.campaign.outcomes.lose(item)
            raise DropPage("lease_lost", recorded=True) from None
        return await self.first_of(item, owners)
