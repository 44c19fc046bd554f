"""Stage 5: the template of the page, and the fields that it gives."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured

from quarkcrawl.crawl import AnalysisStage, config_of
from quarkcrawl.page import UnparsedPage

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
        from quarkcrawl.template import TemplateMatcher  # noqa: PLC0415  (loads pyarrow)

        self._matcher = TemplateMatcher(config.template_file, config.template_unknown or None)

    def analyse(self, item: PageItem) -> PageItem:
        """Match the page; plain text has no template."""
        if isinstance(item.page, UnparsedPage):
            return item
        found = self._matcher.match(item.page)
        columns: dict[str, Any] = {}
        if found.template:
            columns["template"] = found.template
            columns["template_similarity"] = round(found.similarity, 4)
            columns["template_fields"] = [
                {"name": name, "value": value}
                for name, values in found.fields.items()
                for value in values
            ]
        return dataclasses.replace(item, analysis={**item.analysis, **columns})
