"""From the reply to a request for a sitemap or a feed to the URLs that it names.

A list is fetched as a page is: under a lease, when its host's time has come, by what robots.txt
allows, tried again where a failure may pass. It is read where pages are analyzed, and its URLs are
offered to the frontier; then its lease ends with a reason of its own, and nothing is stored. After
a kill in between its URL still waits, and it is read once more.
"""

from __future__ import annotations

import dataclasses
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quarkcrawl.crawl.campaign import UNCHANGED, http_reason
from quarkcrawl.crawl.components.pages import has_content, item_of, wait_s_of, with_nofollow
from quarkcrawl.crawl.http import REDIRECTS, fetch_of, media_type, redirect_target
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response

    from quarkcrawl.crawl.campaign import Campaign
    from quarkcrawl.crawl.components.analysis import Analyzer
    from quarkcrawl.frontier import Lease
    from quarkcrawl.page import PageItem
    from quarkcrawl.page.lists import PublishedList


_FEEDS: Final = frozenset({"rss", "atom", "json"})
_SUFFIXES: Final = (".xml", ".gz", ".txt", ".rss", ".atom", ".json", ".rdf")


class ListReader:
    """Ends the leases of sitemaps and feeds.

    Args:
        campaign: the crawl.
        analyzer: has lists read.
    """

    def __init__(self, campaign: Campaign, analyzer: Analyzer) -> None:
        self._campaign, self._analyzer = campaign, analyzer

    async def read(self, response: Response) -> AsyncIterator[PageItem]:
        """Offer what a list names and end its lease; a page in the place of a list is an item.

        Args:
            response: the reply.
        """
        campaign, lease = self._campaign, response.meta[LEASE_KEY]
        mark = ListMark.parse(lease.origin)
        assert mark is not None
        campaign.outcomes.pace(lease, fetch_of(response).sent_at)
        if response.status in REDIRECTS:
            self._moved(response, lease, mark)
            return
        if response.status == HTTPStatus.NOT_MODIFIED and campaign.returning is not None:
            campaign.outcomes.drop(lease, UNCHANGED)
            return
        if not has_content(response):
            self._failed(response, lease, mark)
            return
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        with campaign.storage_guard():
            analysis = await self._analyzer.read_list(lease, response.body, content_type, campaign)
            if analysis.url_list is None:
                campaign.outcomes.drop(lease, "bad_list", ", ".join(analysis.flags))
            elif analysis.url_list.kind:
                await self._offer(analysis.url_list, lease, mark, response)
            elif not analysis.url_list.is_whole:
                campaign.outcomes.drop(lease, "bad_list", "the compressed stream is damaged")
            elif mark.is_guess or self._comes_back(lease) or not self._is_page(response):
                campaign.outcomes.drop(lease, "no_list", media_type(response))
            else:
                level = campaign.lists.level
                item = item_of(response, dataclasses.replace(lease, level=level, origin=None))
                yield with_nofollow(item, campaign)

    async def _offer(
        self, url_list: PublishedList, lease: Lease, mark: ListMark, response: Response
    ) -> None:
        campaign = self._campaign
        is_whole = url_list.is_whole and not response.flags
        if not (url_list.url or is_whole):
            campaign.outcomes.drop(
                lease, "bad_list", f"{url_list.kind}: damaged before its first URL"
            )
            return
        taken = campaign.lists.taken_from(url_list, lease, mark)
        n_new = await campaign.push_listed(taken.candidates)
        words = [f"{url_list.kind}: {len(url_list)} URLs, {n_new} new"]
        words += [f"{taken.n_outside} out of scope"] if taken.n_outside else []
        words += [f"{url_list.n_refused} not usable"] if url_list.n_refused else []
        words += [f"{taken.n_cut} beyond the bounds"] if taken.n_cut else []
        words += ["more behind the bounds"] if url_list.is_cut else []
        words += ["not whole"] if not (is_whole or url_list.is_cut) else []
        reason = "feed" if url_list.kind in _FEEDS else "sitemap"
        campaign.outcomes.drop(lease, reason, ", ".join(words))
        if campaign.returning is not None:
            campaign.returning.list_read(
                lease,
                reason,
                fetch_of(response),
                url_list,
                is_whole=is_whole and not url_list.is_cut,
            )

    def _failed(self, response: Response, lease: Lease, mark: ListMark) -> None:
        reason = http_reason(response.status)
        wait_s = wait_s_of(response, self._campaign)
        outcomes = self._campaign.outcomes
        if not (mark.is_guess and 400 <= response.status < 500):
            outcomes.fail(lease, reason, detail=reason, wait_s=wait_s)
        elif outcomes.retry(lease, reason, wait_s=wait_s) == "exhausted":
            outcomes.drop(lease, "no_sitemap", reason)

    def _moved(self, response: Response, lease: Lease, mark: ListMark) -> None:
        """Ask the target of a redirect; of a guess only what may be a list, for pages are pages."""
        campaign, target = self._campaign, redirect_target(response)
        if target is None:
            campaign.outcomes.drop(lease, "bad_redirect")
        elif lease.hops >= campaign.config.max_redirects:
            campaign.outcomes.drop(lease, "redirect_limit", target)
        elif host_key(target) not in {lease.host, mark.host}:
            campaign.outcomes.drop(lease, "no_list", target)
        elif mark.is_guess and not _may_be_list(target):
            campaign.outcomes.drop(lease, "no_sitemap", target)
        else:
            moved = Candidate(target, host_key(target), 1, lease.origin, lease.hops + 1)
            campaign.push([moved])
            campaign.outcomes.drop(lease, "list_moved", target)

    def _comes_back(self, lease: Lease) -> bool:
        """Whether it was a list, or a page, before: a notice of works may stand in its place."""
        returning = self._campaign.returning
        return returning is not None and returning.knows(lease.url)

    def _is_page(self, response: Response) -> bool:
        """Whether what came is a page after all: someone named it that took it for a list."""
        config = self._campaign.config
        kind = media_type(response)
        is_small = len(response.body) <= config.max_body_bytes
        return is_small and (not kind or kind in config.mime_types)


def _may_be_list(url: str) -> bool:
    return urlsplit(url).path.lower().endswith(_SUFFIXES)
