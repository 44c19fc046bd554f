"""Exact duplicates and host aliases while crawling (spec cwt200g, "Seed sites" 4, "Afterwards")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quarkcrawl.crawl.campaign.scope import claims_of
from quarkcrawl.frontier import FENCED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.crawl.campaign.campaign import Campaign
    from quarkcrawl.page import PageItem


class LeaseLostError(Exception):
    """The page must not be stored: its lease is no longer ours."""


class Owners(NamedTuple):
    """Who has what a page is.

    Args:
        body: URL of the page that has its body already, None if the body is claimed now.
        is_alias: whether another host has the same home page.
    """

    body: str | None
    is_alias: bool


async def shared_owners(item: PageItem, campaign: Campaign) -> Owners:
    """`page_owners` for one worker of many: asked under the page's lease.

    Raises:
        LeaseLostError: the lease ended meanwhile; another worker has the URL now.
    """
    owners = await campaign.frontier.claim_page(item.token, claims_of(item))
    if owners is FENCED:
        raise LeaseLostError
    return _owners(item, owners)


def page_owners(item: PageItem, campaign: Campaign) -> Owners:
    """Claim the body of a page for its URL and, of a home page, for its host."""
    return _owners(item, [campaign.frontier.claim(*claim) for claim in claims_of(item)])


def _owners(item: PageItem, owners: Sequence[str]) -> Owners:
    is_alias = len(owners) > 1 and owners[1] != item.host
    return Owners(None if owners[0] == item.url else owners[0], is_alias)
