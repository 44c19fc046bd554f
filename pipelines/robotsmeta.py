"""Before stage 1, if it is switched on: pages that do not want to be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.crawl import CampaignStage, DropPage, config_of
from quarkcrawl.crawl.http import RobotsTags

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class RobotsMetaPipeline(CampaignStage):
    """Drops what says noindex, or noarchive; its links are followed unless it says nofollow."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if config.robots_meta not in {"noindex", "obey"}:
            raise NotConfigured
        self._tags = RobotsTags(config)

    def process_item(self, item: PageItem) -> PageItem:
        """Pass on pages that may be stored."""
        reason = self._tags.refusal(item.header_lines, item.body)
        if reason is not None:
            raise DropPage(reason)
        return item
