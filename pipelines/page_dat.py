"""Last stage: page.dat and the analysis row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl import CampaignStage

if TYPE_CHECKING:
    from quarkcrawl.page import PageItem


class PageDatPipeline(CampaignStage):
    """Appends the page to its host's page.dat; its lease is acknowledged once it is on disk."""

    ends_leases = True
    """Whoever passes has no lease left that `LeaseMiddleware` would have to end."""

    def process_item(self, item: PageItem) -> PageItem:
        """Store the page."""
        self.campaign.outcomes.store(item)
        return item
