"""Stage 1: host aliases and pages whose body is stored already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl import CampaignStage
from quarkcrawl.crawl.aliases import duplicate_owner

if TYPE_CHECKING:
    from quarkcrawl.page import PageItem


class DedupPipeline(CampaignStage):
    """Drops exact duplicates (MD5) with a URL == URL row; closes hosts that are aliases."""

    def process_item(self, item: PageItem) -> PageItem:
        """Pass on the first page with its body."""
        owner = duplicate_owner(item, self.campaign)
        if owner is not None:
            raise self.duplicate(item, owner)
        return item
