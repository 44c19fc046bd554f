"""Stage 5a: the class of the page by the words of its content."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.crawl import AnalysisStage, config_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


class ClassPipeline(AnalysisStage):
    """Adds the columns ``page_class`` and ``class_probability``."""

    name = "class"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.class_file:
            raise NotConfigured
        from quarkcrawl.classify import Classifier  # noqa: PLC0415  (only where it is used)

        self._model = Classifier.load(Path(config.class_file))
        self._model.classify_text("预热")  # loads the dictionary before the crawl begins

    def analyse(self, item: PageItem) -> PageItem:
        """Classify the page; one without a word that the model knows stays without a class."""
        found = self._model.classify(item.page)
        if not found.name:
            return item
        columns = {"page_class": found.name, "class_probability": round(found.probability, 4)}
        return dataclasses.replace(item, analysis={**item.analysis, **columns})
