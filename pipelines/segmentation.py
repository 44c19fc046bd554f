"""Stage 3: the page is cut into blocks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.content import block_columns, box_columns
from quarkcrawl.crawl import AnalysisStage, config_of
from quarkcrawl.segment import segment, segmentation_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class SegmentationPipeline(AnalysisStage):
    """Adds the columns ``blocks`` and ``link_blocks``, and ``block_boxes`` of a rendered page."""

    name = "segmentation"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.segmentation:
            raise NotConfigured
        segment("<h1>天网</h1><p>北京大学")  # loads the compiled loops before a page waits for them
        self._spans = config.analysis_spans

    def analyse(self, item: PageItem) -> PageItem:
        """Cut the page; the content stage finds it cut."""
        cut = segmentation_of(item.page)
        # A rendered page is not what lies in page.dat: nothing of it has a place there.
        is_rendered = item.page.layout is not None
        columns = block_columns(cut, spans=self._spans and not is_rendered)
        if is_rendered:
            columns |= box_columns(cut)
        return dataclasses.replace(item, analysis={**item.analysis, **columns})
