"""Stage 4: the content of the page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.content import BlockTable, content_columns, extract, plain_content, warm_up
from quarkcrawl.crawl import AnalysisStage, config_of
from quarkcrawl.errors import QuarkError
from quarkcrawl.page import UnparsedPage

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.content import Content
    from quarkcrawl.page import PageItem


class ContentPipeline(AnalysisStage):
    """Adds the content columns, and their kinds to the blocks that the stage before has cut."""

    name = "content"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.content:
            raise NotConfigured
        warm_up(config.content_method)  # also: an unknown method ends the run before it began
        self._method = config.content_method
        self._spans = config.analysis_spans
        self._wanted = {
            "spans": config.analysis_spans,
            "items": config.analysis_items,
            "metadata": config.analysis_metadata,
        }

    def analyse(self, item: PageItem) -> PageItem:
        """Find the content."""
        content = self._content(item)
        if content.failure is not None:
            raise QuarkError(content.failure, where=item.url)
        # A rendered page is not what lies in page.dat: nothing of it has a place there.
        has_places = item.page.layout is None
        wanted = self._wanted | {"spans": self._spans and has_places}
        columns = content_columns(content, **wanted)
        if "blocks" in item.analysis:
            columns["blocks"] = BlockTable(content.segmentation, spans=self._spans and has_places)
        return dataclasses.replace(item, analysis={**item.analysis, **columns})

    def _content(self, item: PageItem) -> Content:
        if isinstance(item.page, UnparsedPage) and "failed:parse" not in item.flags:
            return plain_content(item.page)
        return extract(item.page, method=self._method)
