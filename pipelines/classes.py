"""Stage 5a: the class of the page by the words of its content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from quarkcrawl.analysis import StagePlan
from quarkcrawl.classify import Classifier
from quarkcrawl.crawl import AnalysisStage, config_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class ClassPipeline(AnalysisStage):
    """Adds the columns ``page_class`` and ``class_probability``."""

    name = "class"

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = config_of(crawler.settings)
        if not config.class_file:
            raise NotConfigured
        self._file = config.class_file
        Classifier.load(Path(self._file))  # a file that cannot be read ends the run before it began

    def plan(self) -> StagePlan:
        """Classify the page; one without a word that the model knows stays without a class."""
        options = (("file", self._file),)
        return StagePlan(self.name, "quarkcrawl.analysis.stages:page_class", options)
