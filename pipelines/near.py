"""Stage 6: pages with nearly the same content are marked; none is dropped."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.analysis import StagePlan
from quarkcrawl.crawl import AnalysisStage, config_of
from quarkcrawl.dedup import NearMarker
from quarkcrawl.store import Corpus

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class NearPipeline(AnalysisStage):
    """Adds ``simhash`` and ``feature_codes``, and ``near_of`` with its reason if there is one."""

    name = "near"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.near_method:
            raise NotConfigured
        self._marker = NearMarker(
            config.near_method,
            config.near_k,
            length_ratio=config.near_length_ratio,
            slack=config.near_slack,
        )
        self._is_filled = False

    def plan(self) -> StagePlan:
        """Sketch the content."""
        return StagePlan(self.name, "quarkcrawl.analysis.stages:near")

    def analyze(self, item: PageItem) -> PageItem:
        """Compare with the pages before; without content there is nothing to compare."""
        self._fill()
        item = super().analyze(item)
        text = item.analysis.get("content_text")
        if not isinstance(text, str) or not text:
            return item
        mark = self._marker.mark(item.url, text)
        if mark is None:
            return item
        columns = {"near_of": mark.url, "near_reason": mark.reason}
        return dataclasses.replace(item, analysis={**item.analysis, **columns})

    def _fill(self) -> None:
        """Remember the pages of the runs before this one, once."""
        if self._is_filled:
            return
        self._is_filled = True
        for row in Corpus.open(self.campaign.root).pages():
            text = row.analysis.get("content_text")
            if text and not row.analysis.get("near_of"):
                self._marker.mark(row.url, str(text))
