"""Stage 1: host aliases and pages whose body is stored already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl import CampaignStage, spam_list
from quarkcrawl.crawl.aliases import duplicate_owner

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class DedupPipeline(CampaignStage):
    """Drops exact duplicates (MD5) with a URL == URL row; closes hosts that are aliases."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.spam = spam_list(crawler.settings)

    def process_item(self, item: PageItem) -> PageItem:
        """Pass on the first page with its body."""
        if self.spam.match(item.host) is not None:
            return item  # the next stage drops it: no page is a duplicate of it
        owner = duplicate_owner(item, self.campaign)
        if owner is not None:
            raise self.duplicate(item, owner)
        return item
