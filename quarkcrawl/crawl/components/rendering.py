"""Rendering in a crawl: which pages, within what bounds, and what becomes of the result."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from quarkcrawl.crawl.components.pages import followed
from quarkcrawl.crawl.http import GuardedFetcher
from quarkcrawl.page import UnparsedPage, host_key
from quarkcrawl.render import Renderer, RenderLimits, is_shell, visible_chars

if TYPE_CHECKING:
    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.crawl.campaign import Campaign
    from quarkcrawl.page import PageItem
    from quarkcrawl.render import Rendered


_PATIENCE_SHARE: Final = 0.5
"""Share of a lease that a page may wait for its turn in the browser."""


def render_limits(config: CrawlConfig) -> RenderLimits:
    """The bounds of a rendering that a configuration asks for.

    Args:
        config: the settings.
    """
    return RenderLimits(
        wall_s=config.render_timeout_s,
        max_requests=config.render_max_requests,
        max_scrolls=config.render_max_scrolls,
        max_memory_bytes=config.render_memory_bytes,
        max_resource_bytes=config.max_body_bytes,
        max_html_chars=2 * config.max_body_bytes + config.render_style_bytes,
        max_style_bytes=config.render_style_bytes,
    )


class RenderChoice:
    """Tells which pages to render.

    Args:
        config: the settings ``render``, ``render_hosts`` and ``render_pattern``.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._mode = config.render
        self._hosts = frozenset(host.lower() for host in config.render_hosts)
        self._pattern = re.compile(config.render_pattern) if config.render_pattern else None

    def wants(self, item: PageItem) -> bool:
        """Whether a page is to be rendered.

        Args:
            item: the page as it was received.
        """
        if isinstance(item.page, UnparsedPage):
            return False
        return (
            self._mode == "all"
            or item.host in self._hosts
            or (urlsplit(item.url).hostname or "") in self._hosts
            or (self._pattern is not None and self._pattern.search(item.url) is not None)
            or (self._mode == "auto" and is_shell(item.page))
        )


class PageRendering:
    """Renders the pages of a campaign.

    Args:
        campaign: the campaign; its guards and the rules of its hosts hold for what pages ask for.

    Raises:
        ConfigError: Playwright is not installed, or there is no browser.
    """

    def __init__(self, campaign: Campaign) -> None:
        config = campaign.config
        self._campaign = campaign
        self._patience_s = _PATIENCE_SHARE * config.lease_s
        self._fetcher = GuardedFetcher(config, self._refusal)
        self._renderer = Renderer(
            render_limits(config), self._fetcher, config.render_browser, config.agent
        )

    def _refusal(self, url: str) -> str | None:
        host = host_key(url)
        if self._campaign.opt_out.covers(host):
            return "opted_out"
        return None if self._campaign.robots.allows(url, host) else "robots"

    async def apply(self, item: PageItem) -> PageItem:
        """Render a page: the columns, and the links and text of what scripts have built.

        The record in page.dat stays what the server sent. Where the browser shows less text
        than that, later stages keep to it.

        Args:
            item: the page as it was received.
        """
        result = await self._renderer.render(item.page, self._patience_s)
        self._campaign.tally.rendered[result.reason] += 1
        item = dataclasses.replace(item, analysis={**item.analysis, **_columns(result)})
        page = result.page
        if page is None or visible_chars(page) < visible_chars(item.page):
            return item
        # Those of the page that the browser shows are queued when that one is analyzed.
        links = followed(item.page.links, item)
        await self._campaign.push_links(links, host=item.host, level=item.level)
        return dataclasses.replace(item, page=page)

    async def close(self) -> None:
        """End the browser."""
        await self._renderer.close()
        await self._fetcher.close()


def _columns(result: Rendered) -> dict[str, Any]:
    columns = {
        "render_reason": result.reason,
        "render_detail": result.detail or None,
        "rendered_html": result.html,
    }
    return {name: value for name, value in columns.items() if value is not None}
