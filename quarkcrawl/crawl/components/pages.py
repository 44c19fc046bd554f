"""From a response to the item of the pipelines, or to the ending of its lease."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from http import HTTPStatus
from itertools import compress
from typing import TYPE_CHECKING, Any

from itemadapter.adapter import DataclassAdapter, ItemAdapter

from quarkcrawl.crawl.campaign import http_reason
from quarkcrawl.crawl.components.page_middleware import page_of
from quarkcrawl.crawl.http import (
    REDIRECTS,
    RobotsTags,
    fetch_of,
    redirect_target,
    retry_after_s,
)
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import Fetched, Links, PageItem, host_key

if TYPE_CHECKING:
    from scrapy.http import Response

    from quarkcrawl.crawl.campaign import Campaign
    from quarkcrawl.frontier import Lease

ITEM_KEY = "quarkcrawl_item"
"""Key in ``response.meta`` of the item that was made of a response."""

NOFOLLOW = "nofollow"
"""Flag of a page whose links are not to be followed."""

_tags = lru_cache(2)(RobotsTags)
_WITHOUT_CONTENT = frozenset({204, 205})
_COLUMNS = tuple(field.name for field in fields(Links) if field.default_factory is list)
_BODY_FLAGS = {
    "truncated": "truncated",
    "bad_encoding": "bad_encoding",
    "download_stopped": "truncated",  # by another download handler
}


def followed(links: Links, item: PageItem) -> Links:
    """Links of a page, all marked nofollow and no feeds if the page, or its reply, says so.

    Args:
        links: as they were found.
        item: the page.
    """
    if NOFOLLOW not in item.flags:
        return links
    pages = [kind != "feed" for kind in links.kind]
    columns: dict[str, Any] = {
        name: list(compress(getattr(links, name), pages)) for name in _COLUMNS
    }
    columns["nofollow"] = [True] * sum(pages)
    return replace(links, **columns)


def with_nofollow(item: PageItem, campaign: Campaign) -> PageItem:
    """The item of a page, flagged if the page says that its links are not to be followed."""
    if _tags(campaign.config).forbids_links(item.header_lines, item.body):
        return replace(item, flags=(*item.flags, NOFOLLOW))
    return item


class PageItemAdapter(DataclassAdapter):
    """Shows Scrapy's feeds and pipelines the facts of the fetch as fields of the item."""

    def __init__(self, item: PageItem) -> None:
        super().__init__(item)
        named = (field for field in fields(Fetched) if hasattr(PageItem, field.name))
        self._fields_dict |= {field.name: field for field in named}

    @classmethod
    def is_item(cls, item: object) -> bool:
        """Whether this is the adapter of an item."""
        return isinstance(item, PageItem)


ItemAdapter.ADAPTER_CLASSES = (PageItemAdapter, *ItemAdapter.ADAPTER_CLASSES)


def page_item(response: Response, campaign: Campaign) -> PageItem | None:
    """Turn the response of a leased request into a page item; nothing of the page is parsed.

    A reply that is no page (redirect, error) ends or retries its lease and gives None. The links
    of a page are queued when it is analyzed, also if the callback does not yield the item.

    Args:
        response: what was downloaded.
        campaign: the campaign it belongs to.
    """
    lease: Lease = response.meta[LEASE_KEY]
    campaign.outcomes.pace(lease, fetch_of(response).sent_at)
    if response.status in REDIRECTS:
        _redirected(response, lease, campaign)
        return None
    stored = None if campaign.returning is None else campaign.returning.known(lease.url)
    if response.status == HTTPStatus.NOT_MODIFIED and stored is not None:
        campaign.outcomes.unchanged(lease)
        return None
    if not has_content(response):
        reason = http_reason(response.status)
        campaign.outcomes.fail(lease, reason, wait_s=wait_s_of(response, campaign))
        return None
    item = item_of(response, lease)
    if stored is not None:
        if stored.is_plain and item.md5 == stored.md5:
            response.meta.pop(ITEM_KEY, None)  # else it would be analyzed
            campaign.outcomes.unchanged(lease)
            return None
        item = replace(item, analysis={**item.analysis, "version": stored.version + 1})
    item = with_nofollow(item, campaign)
    response.meta[ITEM_KEY] = item
    return item


def has_content(response: Response) -> bool:
    """Whether a reply is that of a page, or of what is asked in its place."""
    return 200 <= response.status < 300 and response.status not in _WITHOUT_CONTENT


def wait_s_of(response: Response, campaign: Campaign) -> float | None:
    """Seconds for which the reply asks to be left alone, within the bound of the settings."""
    return retry_after_s(response, campaign.config.max_retry_after_s)


def item_of(response: Response, lease: Lease) -> PageItem:
    """The item of a reply; its lease says under which URL, level and origin it is stored."""
    flags = tuple(_BODY_FLAGS[flag] for flag in response.flags if flag in _BODY_FLAGS)
    # The body is that of the response: a middleware of the project may have changed it.
    fetched = fetch_of(response).with_body(
        response.body,
        url=lease.url,
        host=lease.host,
        level=lease.level,
        origin=lease.origin,
        hops=lease.hops,
    )
    return PageItem(fetched, response.body, lease.token, page_of(response), flags=flags)


def _redirected(response: Response, lease: Lease, campaign: Campaign) -> None:
    target = redirect_target(response)
    if target is None:
        location = (response.headers.get("Location") or b"").decode("latin-1")
        campaign.outcomes.drop(lease, "bad_redirect", location[:500])
    elif lease.hops >= campaign.config.max_redirects:
        campaign.outcomes.drop(lease, "redirect_limit", target)
    else:
        in_scope = host_key(target) == lease.host
        if in_scope:
            origin = lease.origin or lease.url
            campaign.push([Candidate(target, lease.host, lease.level, origin, lease.hops + 1)])
        campaign.outcomes.redirect(lease, target, response.status, in_scope=in_scope)
