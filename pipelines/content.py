"""Stage 4: the content of the page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.analysis import StagePlan
from quarkcrawl.content import extract
from quarkcrawl.crawl import AnalysisStage, config_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class ContentPipeline(AnalysisStage):
    """Adds the content columns, and their kinds to the blocks that the stage before has cut."""

    name = "content"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.content:
            raise NotConfigured
        extract("", method=config.content_method)  # an unknown method ends the run before it began
        self._options = (
            ("method", config.content_method),
            ("spans", config.analysis_spans),
            ("items", config.analysis_items),
            ("metadata", config.analysis_metadata),
        )

    def plan(self) -> StagePlan:
        """Find the content."""
        return StagePlan(self.name, "quarkcrawl.analysis.stages:content", self._options)

    def analyze(self, item: PageItem) -> PageItem:
        """Take the columns; kinds of blocks only if the stage before has taken its blocks."""
        cut = item.analysis.get("blocks")
        item = super().analyze(item)
        if cut is None and "blocks" in item.analysis:
            columns = {name: value for name, value in item.analysis.items() if name != "blocks"}
            return dataclasses.replace(item, analysis=columns)
        return item
