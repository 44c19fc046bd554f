"""Exact duplicates and host aliases while crawling (spec cwt200g, "Seed sites" 4, "Afterwards")."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from quarkcrawl.crawl.campaign import Campaign
    from quarkcrawl.page import PageItem

__all__ = ["duplicate_owner", "is_home"]


def is_home(url: str, level: int, origin: str | None = None) -> bool:
    """True for a host's home page: level 1 and the root path, or redirected from there."""
    return level == 1 and urlsplit(origin or url).path == "/"


def duplicate_owner(item: PageItem, campaign: Campaign) -> str | None:
    """URL of the page that has this body already, or None: then the body is claimed.

    A home page equal to that of another host makes this host an alias: it is closed, and what
    waits of it ends with ``host_alias``.
    """
    digest = bytes.fromhex(item.md5)
    if item.body and is_home(item.url, item.level, item.origin):
        kept = campaign.frontier.claim("home", digest, item.host)
        if kept != item.host:
            campaign.close_host(item.host, "host_alias")
    owner = campaign.frontier.claim("md5", digest, item.url)
    return None if owner == item.url else owner
