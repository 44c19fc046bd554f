"""Stage 5: the template of the page, and the fields that it gives."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.analysis import StagePlan
from quarkcrawl.crawl import AnalysisStage, config_of
from quarkcrawl.template import BufferOptions, TemplateMatcher

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class TemplatePipeline(AnalysisStage):
    """Adds the columns ``template``, ``template_similarity`` and ``template_fields``."""

    name = "template"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.template_file:
            raise NotConfigured
        self._file, self._unknown = config.template_file, config.template_unknown
        buffer = BufferOptions(config.template_buffer_pages)
        self._matcher = TemplateMatcher(self._file, self._unknown or None, options=buffer)

    def plan(self) -> StagePlan | None:
        """Match the page; pages without a template are kept together, which one process can do."""
        if self._unknown:
            return None
        options = (("file", self._file),)
        return StagePlan(self.name, "quarkcrawl.analysis.stages:template", options)

    def analyze(self, item: PageItem) -> PageItem:
        """Match the page here if need be; plain text and pages given up have no template."""
        if not self._unknown or item.mime == "text/plain" or not item.page.encoding:
            return super().analyze(item)
        columns = self._matcher.match(item.page).columns()
        return dataclasses.replace(item, analysis={**item.analysis, **columns})
