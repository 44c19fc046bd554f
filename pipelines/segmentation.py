"""Stage 3: the page is cut into blocks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.content.rows import block_columns
from quarkcrawl.crawl import AnalysisStage
from quarkcrawl.crawl.options import config_of
from quarkcrawl.segment import segmentation_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class SegmentationPipeline(AnalysisStage):
    """Adds the columns ``blocks`` and ``link_blocks``."""

    name = "segmentation"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.segmentation:
            raise NotConfigured
        self._spans = config.analysis_spans

    def analyse(self, item: PageItem) -> PageItem:
        """Cut the page; the content stage finds it cut."""
        columns = block_columns(segmentation_of(item.page), spans=self._spans)
        return dataclasses.replace(item, analysis={**item.analysis, **columns})
