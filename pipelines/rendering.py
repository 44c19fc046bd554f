"""Between stages 2 and 3, if it is switched on: pages that scripts build, after their scripts."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.crawl import CampaignStage, config_of
from quarkcrawl.crawl.components import PageRendering, RenderChoice
from quarkcrawl.render import find_browser, import_playwright

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem

logger = logging.getLogger(__name__)


class RenderingPipeline(CampaignStage):
    """Adds ``rendered_html`` and ``render_reason``; the stages behind it see the rendered page."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.renders:
            raise NotConfigured
        import_playwright()  # what is missing ends the run before it began
        find_browser(config.render_browser)
        self._choice = RenderChoice(config)
        self._rendering: PageRendering | None = None

    async def process_item(self, item: PageItem) -> PageItem:
        """Render the pages that are worth it; on any failure the page goes on as it was sent."""
        try:
            if not self._choice.wants(item):
                return item
            if self._rendering is None:
                self._rendering = PageRendering(self.campaign)
            return await self._rendering.apply(item)
        except Exception:
            logger.exception("%s: stage render failed", item.url)
            return dataclasses.replace(item, flags=(*item.flags, "failed:render"))

    async def close_spider(self) -> None:
        """End the browser."""
        if self._rendering is not None:
            await self._rendering.close()
