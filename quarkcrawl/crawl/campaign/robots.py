"""robots.txt, as RFC 9309 reads it, with the rules kept by the frontier.

The frontier hands robots.txt out as a lease of its own before a host's first page: so it obeys
the host's delay, is asked once for all workers, and survives a restart. (Scrapy's middleware
fetches it beside the first page, keeps it without end or age, and takes an error for a yes.)
"""

from __future__ import annotations

import codecs
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from protego import Protego

from quarkcrawl.page import canonicalize

if TYPE_CHECKING:
    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.frontier import Frontier


MAX_ROBOTS_BYTES = 512 * 1024
"""RFC 9309 asks for at least 500 KiB; the rest is not read."""

_SITEMAPS = 10_000
"""Most that are looked at of those that one robots.txt names."""

_HOSTS = 2000
_CHARS = 8 << 20
"""Of text whose rules are kept parsed, at 17 bytes a character: 2000 hosts of one farm with all
the text that is read would take 18 GB."""


def robots_text(status: int, body: bytes) -> str | None:
    """The rules in a reply to robots.txt.

    Returns:
        The text; "" where nothing is forbidden (any 4xx but 429); None for a status that must be
        tried again (5xx and the rest).
    """
    if 200 <= status < 300:
        # Many were made with Windows Notepad: Protego stumbles over the mark it leaves, and what
        # was saved as "Unicode" is UTF-16.
        is_wide = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return body[:MAX_ROBOTS_BYTES].decode("utf-16" if is_wide else "utf-8-sig", "replace")
    return "" if 400 <= status < 500 and status != 429 else None


class _Rules(NamedTuple):
    parsed: Protego | None
    n_chars: int


class RobotsRules:
    """Parsed rules of the hosts used last.

    Args:
        frontier: keeps the texts.
        config: the user agent whose rules hold, and the longest crawl-delay that is honored.
    """

    def __init__(self, frontier: Frontier, config: CrawlConfig) -> None:
        self._frontier = frontier
        self._agent = config.user_agent
        self._max_delay_s = config.max_crawl_delay_s
        self._enabled = config.robots
        self._parsed: OrderedDict[str, _Rules] = OrderedDict()
        self._n_chars = 0

    def allows(self, url: str, host: str) -> bool:
        """True if the URL may be fetched, as far as the host's rules are known."""
        rules = self._rules(host) if self._enabled else None
        return rules is None or rules.can_fetch(url, self._agent)

    def sitemaps(self, host: str, url: str) -> list[str]:
        """Sitemaps that a host's robots.txt names; relative ones are relative to a URL of it."""
        rules = self._rules(host) if self._enabled else None
        named = () if rules is None else islice(rules.sitemaps, _SITEMAPS)
        return [sitemap for one in named if (sitemap := canonicalize(one, url)) is not None]

    def _rules(self, host: str) -> Protego | None:
        if host not in self._parsed:
            state = self._frontier.host(host)
            if state is None or state.robots is None:
                return None
            self._remember(host, state.robots)
        return self._parsed[host].parsed

    def learn(self, host: str, text: str) -> float | None:
        """Take new rules; returns the crawl-delay in seconds, bounded, if one is asked for."""
        rules = self._remember(host, text)
        delay = rules.crawl_delay(self._agent) if rules is not None else None
        if delay is None or not delay >= 0:  # not a number, or less than nothing
            return None
        return min(float(delay), self._max_delay_s)

    def _remember(self, host: str, text: str) -> Protego | None:
        self._forget(host)
        rules = Protego.parse(text) if text.strip() else None
        self._parsed[host] = _Rules(rules, len(text))
        self._n_chars += len(text)
        while len(self._parsed) > 1 and (len(self._parsed) > _HOSTS or self._n_chars > _CHARS):
            self._forget(next(iter(self._parsed)))
        return rules

    def _forget(self, host: str) -> None:
        if (parsed := self._parsed.pop(host, None)) is not None:
            self._n_chars -= parsed.n_chars
