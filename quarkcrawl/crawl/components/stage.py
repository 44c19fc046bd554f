"""Base classes of pipeline stages."""

from __future__ import annotations

import dataclasses
import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from quarkcrawl.crawl.campaign import Campaign

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from quarkcrawl.page import PageItem


logger = logging.getLogger(__name__)


class DropPage(DropItem):
    """Raised by a pipeline to drop a page for a reason.

    Args:
        reason: reason code.
        detail: what was found, for the drops table.
        recorded: True if the lease was ended and its row written already.
    """

    def __init__(self, reason: str, detail: str = "", *, recorded: bool = False) -> None:
        super().__init__(f"{reason} {detail}".strip(), log_level="DEBUG")
        self.reason = reason
        self.detail = detail
        self.recorded = recorded


class CampaignPart:
    """A part of the crawl that knows its campaign."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build for a crawler.

        Args:
            crawler: given by Scrapy; its campaign is opened when first asked for.
        """
        return cls(crawler)

    @property
    def campaign(self) -> Campaign:
        """The campaign; opened by the scheduler before the first item."""
        return Campaign.of(self._crawler)


class CampaignStage(CampaignPart):
    """A stage that writes rows itself."""

    def duplicate(self, item: PageItem, owner: str) -> DropPage:
        """Write the URL == URL row and return the exception that drops the item.

        Args:
            item: the page.
            owner: URL of the page it is a copy of.
        """
        self.campaign.outcomes.duplicate(item, owner)
        return DropPage("duplicate", owner, recorded=True)


class AnalysisStage(CampaignStage, ABC):
    """A stage that adds columns; its failure is marked on the page and the page goes on."""

    name: str = "analysis"

    def process_item(self, item: PageItem) -> PageItem:
        """Analyse; on any exception but `DropPage` flag the page ``failed:<name>`` and pass it on.

        Args:
            item: the page.
        """
        try:
            return self.analyse(item)
        except DropPage:
            raise
        except Exception:
            logger.exception("%s: stage %s failed", item.url, self.name)
            return dataclasses.replace(item, flags=(*item.flags, f"failed:{self.name}"))

    @abstractmethod
    def analyse(self, item: PageItem) -> PageItem:
        """Return the item with ``analysis`` columns added (dataclasses.replace).

        Args:
            item: the page; it is frozen.
        """
