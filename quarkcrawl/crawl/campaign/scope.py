"""Which links of a page are crawled (spec cwt200g, "Crawl").

Per host breadth-first, three levels with the home page as level 1, links within the host only;
dynamic pages are kept. What is out of scope is no loss and leaves no row: it stays in the links
column of its page.
"""

from __future__ import annotations

from itertools import compress
from operator import not_
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.frontier import Candidate
from quarkcrawl.page import host_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.config import CrawlConfig
    from quarkcrawl.page import FetchFacts, Links


_SUFFIXES = """
7z aac apk avi bmp bz2 css dll dmg doc docx eot epub exe flv gif gz ico iso jar jpeg jpg js m4a m4v
mid mkv mov mp3 mp4 mpeg mpg msi ogg ogv otf pdf png ppt pptx ps psd rar rm rmvb rpm svg swf tar
tgz tif tiff ttf wav webm webp wma wmv woff woff2 xls xlsx xz zip
"""
SKIPPED_SUFFIXES = frozenset(_SUFFIXES.split())
"""Endings of paths that are never text/html or text/plain in practice; attachments that are wanted
are taken out (``attachments``: each kind is named as its ending)."""


class Scope:
    """The link rules of a campaign.

    Args:
        config: how many levels, whether nofollow is obeyed, which feeds are asked and which
            attachments are wanted.
    """

    def __init__(self, config: CrawlConfig) -> None:
        self._levels = config.levels
        self._obey_nofollow = config.obeys_nofollow
        self._feeds = config.feeds
        self._skipped = SKIPPED_SUFFIXES.difference(config.attachments)

    def follows(self, level: int) -> bool:
        """True if links of a page at this level are crawled."""
        return level < self._levels

    def urls_of(self, links: Links, *, level: int) -> Iterable[str]:
        """Links of a page that its level and nofollow allow, each URL once, in document order."""
        if not self.follows(level):
            return ()
        urls: Iterable[str] = links.url
        if self._obey_nofollow:  # which feeds have, too
            urls = compress(urls, map(not_, links.nofollow))
        elif "feed" in links.kind:
            urls = compress(urls, map("feed".__ne__, links.kind))
        return dict.fromkeys(urls)

    def feeds_of(self, links: Links, *, host: str, level: int) -> list[Candidate]:
        """Feeds that a page names within its host, if the crawl asks for those of its level."""
        if self._feeds == "off" or (self._feeds == "seeds" and level != 1):
            return []
        mark = str(ListMark("feed", 0, host))
        feeds = compress(links.url, map("feed".__eq__, links.kind))
        return [
            Candidate(url, host, 1, mark) for url in dict.fromkeys(feeds) if host_key(url) == host
        ]

    def candidates(self, links: Links, *, host: str, level: int) -> list[Candidate]:
        """Those within the host, as candidates of the next level."""
        return self.of_urls(self.urls_of(links, level=level), host=host, level=level + 1)

    def of_urls(self, urls: Iterable[str], *, host: str, level: int) -> list[Candidate]:
        """Canonical URLs within the host as candidates of ``level``."""
        marks = ("//" + host + "/", "//" + host + "?")
        return [
            Candidate(url, host, level)
            for url in urls
            if any(m in url[: 9 + len(host)] for m in marks)
            and host_key(url) == host
            and not self._is_skipped(url)
        ]

    def _is_skipped(self, url: str) -> bool:
        path = url.partition("?")[0]
        dot = path.rfind(".", len(path) - 6)
        return dot > 0 and path[dot + 1 :].lower() in self._skipped and "?" not in url


def is_home(url: str, level: int, origin: str | None = None) -> bool:
    """True for a host's home page: level 1 and the root path, or redirected from there."""
    return level == 1 and urlsplit(origin or url).path == "/"


def claims_of(page: FetchFacts) -> list[tuple[str, bytes, str]]:
    """What a stored page claims: its body for its URL and, a home page, for its host."""
    claims = [("md5", page.md5, page.url)]
    if page.body_bytes and is_home(page.url, page.level, page.origin):
        claims.append(("home", page.md5, page.host))
    return claims
