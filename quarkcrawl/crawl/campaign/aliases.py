"""Exact duplicates and host aliases while crawling (spec cwt200g, "Seed sites" 4, "Afterwards")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.crawl.campaign.scope import claims_of
from quarkcrawl.frontier import FENCED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.crawl.campaign.campaign import Campaign
    from quarkcrawl.page import PageItem


class LeaseLostError(Exception):
    """The page must not be stored: its lease is no longer ours."""


async def shared_duplicate_owner(item: PageItem, campaign: Campaign) -> str | None:
    """`duplicate_owner` for one worker of many: asked under the page's lease.

    Raises:
        LeaseLostError: the lease ended meanwhile; another worker has the URL now.
    """
    owners = await campaign.frontier.claim_page(item.token, claims_of(item))
    if owners is FENCED:
        raise LeaseLostError
    return _owner_of_page(item, owners, campaign)


def duplicate_owner(item: PageItem, campaign: Campaign) -> str | None:
    """URL of the page that has this body already, or None: then the body is claimed.

    A home page equal to that of another host makes this host an alias: it is closed, and what
    waits of it ends with ``host_alias``.
    """
    owners = [campaign.frontier.claim(*claim) for claim in claims_of(item)]
    return _owner_of_page(item, owners, campaign)


def _owner_of_page(item: PageItem, owners: Sequence[str], campaign: Campaign) -> str | None:
    if len(owners) > 1 and owners[1] != item.host:
        campaign.outcomes.close_host(item.host, "host_alias")
    return None if owners[0] == item.url else owners[0]
