"""Base classes of pipeline stages."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem, ScrapyDeprecationWarning

from quarkcrawl.crawl.campaign import Campaign
from quarkcrawl.crawl.components.analysis import Analyzer
from quarkcrawl.crawl.options import config_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from quarkcrawl.analysis import StagePlan
    from quarkcrawl.crawl.campaign import Owners
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
    """A part of the crawl that knows its campaign and who analyses its pages."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build for a crawler.

        Args:
            crawler: given by Scrapy; its campaign is opened when first asked for.
        """
        return cls(crawler)

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign; opened by the scheduler before the first item."""
        return Campaign.of(self._crawler)

    @cached_property
    def analyzer(self) -> Analyzer:
        """Who analyses pages; there before the campaign is opened."""
        return Analyzer.of(self._crawler, config_of(self._crawler.settings))


class AnalysisStep(CampaignPart):
    """The stage before all that look into pages: gets links and columns, and queues the links."""

    async def process_item(self, item: PageItem) -> PageItem:
        """Have the page analyzed.

        Args:
            item: a page that no stage has dropped.
        """
        return await self.analyzer.apply(item, self.campaign)


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

    async def first_of(self, item: PageItem, owners: Owners) -> PageItem:
        """The item, if it is the first with its body; the host is closed if it is an alias.

        Not so if its home page was stored before: two sites may say the same on a bad day.

        Args:
            item: the page.
            owners: who has its body and its host's home page.

        Raises:
            DropPage: the body is stored already; the links of the page are queued and listed.
        """
        if owners.body is not None:
            item = await self.analyzer.apply(item, self.campaign, links_only=True)
        if owners.is_alias and "version" not in item.analysis:
            self.campaign.outcomes.close_host(item.host, "host_alias")
        if owners.body is not None:
            raise self.duplicate(item, owners.body)
        return item


class AnalysisStage(CampaignStage):
    """A stage that adds columns; its failure is marked on the page and the page goes on.

    A stage with a `plan` has its work done by the workers and takes the columns that they found;
    one without does it in `analyze`, in the crawl's own process.
    """

    name: str = "analysis"

    def __init_subclass__(cls, **words: Any) -> None:
        super().__init_subclass__(**words)
        if "analyse" in vars(cls):  # the name of before; nobody would call it
            cls.analyze = vars(cls)["analyse"]  # type: ignore[method-assign]
            message = f"{cls.__qualname__}.analyse is called analyze now"
            warnings.warn(message, ScrapyDeprecationWarning, stacklevel=2)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build for a crawler and put the stage's part into the plan.

        Args:
            crawler: given by Scrapy.
        """
        stage = cls(crawler)
        part = stage.plan()
        if part is not None:
            stage.analyzer.add(part)
        return stage

    def plan(self) -> StagePlan | None:
        """What a worker does for this stage; None for a stage that works here."""
        return None

    def process_item(self, item: PageItem) -> PageItem:
        """Analyze; on any exception but `DropPage` flag the page ``failed:<name>`` and pass it on.

        Args:
            item: the page.
        """
        if item.results.get(self.name, ...) is not None:
            try:
                return self.analyze(item)
            except DropPage:
                raise
            except Exception:
                logger.exception("%s: stage %s failed", item.url, self.name)
        return dataclasses.replace(item, flags=(*item.flags, f"failed:{self.name}"))

    def analyze(self, item: PageItem) -> PageItem:
        """Return the item with ``analysis`` columns added (dataclasses.replace).

        Here: with the columns that a worker has found for this stage.

        Args:
            item: the page; it is frozen. A page that a worker gave up has no tree.
        """
        columns = item.results.get(self.name)
        if not columns:
            return item
        return dataclasses.replace(item, analysis={**item.analysis, **columns})
