"""Stage 2: hosts of the spam-domain list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl import CampaignStage, DropPage, spam_list

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class SpamPipeline(CampaignStage):
    """Drops pages of listed hosts and closes the hosts."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.spam = spam_list(crawler.settings)

    def process_item(self, item: PageItem) -> PageItem:
        """Pass on pages of hosts that are not listed."""
        pattern = self.spam.match(item.host)
        if pattern is not None:
            self.campaign.outcomes.close_host(item.host, "spam_host")
            raise DropPage("spam_host", pattern)
        return item
