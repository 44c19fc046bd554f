"""What a page asks for: each request is fetched by us or refused, and counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urldefrag, urlsplit

from quarkcrawl.errors import FetchError
from quarkcrawl.page import canonicalize

if TYPE_CHECKING:
    from tldextract import TLDExtract

    from quarkcrawl.render.limits import RenderLimits

__all__ = ["Fetcher", "Reply", "Traffic", "same_site"]

_WANTED: Final = frozenset(("document", "script", "stylesheet", "xhr", "fetch", "other"))
"""Kinds of requests that can change the text; pictures, fonts, media and pings are not fetched."""

_MAX_RELOADS: Final = 2


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a URL, content encodings removed.

    Args:
        url: where it came from at last, after redirects.
        status: HTTP status code.
        content_type: value of the Content-Type header.
        body: the bytes.
    """

    url: str
    status: int
    content_type: str
    body: bytes


class Fetcher(Protocol):
    """Whoever fetches for the browser; `quarkcrawl.crawl.renderfetch` has the guarded one."""

    async def fetch(
        self, url: str, *, method: str = "GET", data: bytes | None = None, max_bytes: int
    ) -> Reply:
        """Fetch a URL.

        Raises:
            FetchError: it may not or could not be fetched; the reason code is counted.
        """
        ...


@lru_cache(1)
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - slow to load

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def same_site(url: str, other: str) -> bool:
    """Whether two URLs are of one registered domain (or of one address).

    >>> same_site("http://news.example.com.cn/a", "https://static.example.com.cn/b.js")
    True
    >>> same_site("http://example.com.cn/", "http://example.net.cn/")
    False
    """
    first, second = urlsplit(url).hostname, urlsplit(other).hostname
    return first == second or (None not in (first, second) and _site(first) == _site(second))


@lru_cache(4096)
def _site(host: str) -> str:
    parts = _suffixes()(host)
    return parts.top_domain_under_public_suffix or host


@dataclass(slots=True)
class Traffic:
    """The requests of one page.

    Args:
        url: address of the page.
        body: the page itself; a reload gets it again.
        limits: how many requests, and how large.
        fetcher: who fetches; None: nothing but the page itself is there.
    """

    url: str
    body: bytes
    limits: RenderLimits
    fetcher: Fetcher | None
    n_requests: int = 0
    n_bytes: int = 0
    n_loads: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    led_to: str = ""

    async def answer(self, route: Any) -> None:
        """Answer one request of the browser."""
        request = route.request
        if request.is_navigation_request() and request.frame.parent_frame is None:
            await self._navigate(route, request)
            return
        self.n_requests += 1
        reason = self._refusal(request)
        if reason is None:
            try:
                await self._fulfil(route, request)
                return
            except FetchError as error:
                reason = error.reason
        self.refused[reason] += 1
        await route.abort("blockedbyclient")

    async def _navigate(self, route: Any, request: Any) -> None:
        """The page itself, and again when it reloads; scripts may not lead elsewhere."""
        self.n_loads += 1
        is_same = urldefrag(request.url)[0] == urldefrag(self.url)[0]
        if is_same and self.n_loads <= _MAX_RELOADS + 1:
            await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=self.body)
            return
        self.led_to = self.led_to or request.url
        await route.abort("aborted")

    def _refusal(self, request: Any) -> str | None:
        if self.n_requests > self.limits.max_requests or self._is_full():
            return "limit"
        kind = str(request.resource_type)
        if kind not in _WANTED:
            return kind
        if not same_site(self.url, request.url):
            return "other_site"
        return "offline" if self.fetcher is None else None

    def _is_full(self) -> bool:
        return self.n_bytes >= self.limits.max_total_bytes

    @property
    def is_over(self) -> bool:
        """Whether a limit was reached."""
        return self.refused["limit"] > 0

    async def _fulfil(self, route: Any, request: Any) -> None:
        assert self.fetcher is not None
        url = canonicalize(request.url) or request.url
        rest = self.limits.max_total_bytes - self.n_bytes
        reply = await self.fetcher.fetch(
            url,
            method=request.method,
            data=request.post_data_buffer,
            max_bytes=min(self.limits.max_resource_bytes, rest),
        )
        self.n_bytes += len(reply.body)
        if not same_site(self.url, reply.url):
            raise FetchError("redirected to another site", reason="other_site", where=url)
        headers = {"content-type": reply.content_type, "access-control-allow-origin": "*"}
        await route.fulfill(status=reply.status, headers=headers, body=reply.body)
