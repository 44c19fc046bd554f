"""Stage 3: the page is cut into blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.analysis import StagePlan
from quarkcrawl.crawl import AnalysisStage, config_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class SegmentationPipeline(AnalysisStage):
    """Adds the columns ``blocks`` and ``link_blocks``, and ``block_boxes`` of a rendered page."""

    name = "segmentation"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.segmentation:
            raise NotConfigured
        self._spans = config.analysis_spans

    def plan(self) -> StagePlan:
        """Cut the page; the content stage finds it cut."""
        options = (("spans", self._spans),)
        return StagePlan(self.name, "quarkcrawl.analysis.stages:segmentation", options)
