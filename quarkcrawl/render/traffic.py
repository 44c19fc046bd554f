"""What a page asks for: each request is fetched by us or refused, and counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urldefrag, urlsplit

from quarkcrawl.errors import FetchError
from quarkcrawl.page import canonicalize
from quarkcrawl.render.stylesheets import StyleSheets

if TYPE_CHECKING:
    from tldextract import TLDExtract

    from quarkcrawl.render.limits import RenderLimits


_WANTED: Final = frozenset(("document", "script", "stylesheet", "xhr", "fetch", "other"))
"""Kinds of requests that can change the text; pictures, fonts, media and pings are not fetched."""

REFUSALS: Final[dict[str, str]] = {
    "limit": "max_requests or max_total_bytes was reached",
    "method": "anything but GET",
    "other_site": "of another registered domain than the page",
    "offline": "nothing is fetched at all",
    "too_large": "the reply is longer than max_resource_bytes",
    "bad_encoding": "the content encoding is damaged or unknown",
}
"""Why a request of a page is refused, beside its kind and the reason codes of the crawl."""

_MAX_LOADS: Final = 3
_MAX_REDIRECTS: Final = 5


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a URL, content encodings removed.

    Args:
        url: where it came from.
        status: HTTP status code.
        content_type: value of the Content-Type header.
        body: the bytes.
        led_to: where a redirect leads to; "" for a reply that is none.
    """

    url: str
    status: int
    content_type: str
    body: bytes
    led_to: str = ""


class Fetcher(Protocol):
    """Whoever fetches for the browser; `quarkcrawl.crawl.http.renderfetch` has the guarded one."""

    async def fetch(self, url: str, max_bytes: int) -> Reply:
        """Fetch a URL with GET, without following redirects.

        Args:
            url: the address.
            max_bytes: a longer reply is refused.

        Raises:
            FetchError: it may not or could not be fetched; the reason code is counted.
        """
        ...


async def follow(fetcher: Fetcher, url: str, max_bytes: int, within: str = "") -> Reply:
    """Fetch a URL and what it redirects to.

    Args:
        fetcher: who fetches.
        url: the address.
        max_bytes: a longer reply is refused.
        within: a URL whose site no redirect may leave; empty: it may lead anywhere.

    Raises:
        FetchError: it may not or could not be fetched.
    """
    for _ in range(_MAX_REDIRECTS + 1):
        reply = await fetcher.fetch(url, max_bytes)
        if not reply.led_to:
            return reply
        url = reply.led_to
        if within and not same_site(within, url):
            raise FetchError("redirected to another site", reason="other_site", where=url)
    raise FetchError("too many redirects", reason="redirect_limit", where=url)


@lru_cache(1)
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - slow to load

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def same_site(url: str, other: str) -> bool:
    """Whether two URLs are of one registered domain (or of one address).

    Args:
        url: an absolute URL; without a host it is only like others without one.
        other: an absolute URL to compare it with.

    >>> same_site("http://news.example.com.cn/a", "https://static.example.com.cn/b.js")
    True
    >>> same_site("http://example.com.cn/", "http://example.net.cn/")
    False
    """
    first, second = urlsplit(url).hostname, urlsplit(other).hostname
    return first == second or (bool(first and second) and _site(first) == _site(second))


@lru_cache(4096)
def _site(host: str | None) -> str:
    parts = _suffixes()(host or "")
    return parts.top_domain_under_public_suffix or host or ""


@dataclass(slots=True)
class PageRequests:
    """The requests of one page.

    Args:
        url: address of the page.
        body: the page itself; a reload gets it again.
        limits: how many requests, and how large.
        fetcher: who fetches; None: nothing but the page itself is there.
        n_requests: requests so far, the page itself not counted.
        n_bytes: bytes of their replies.
        refused: how many were refused, by reason.
        led_to: where a script tried to lead first, "" if none did.
        sheets: the style sheets that came, if they are to be kept.
    """

    url: str
    body: bytes
    limits: RenderLimits
    fetcher: Fetcher | None
    n_requests: int = 0
    n_bytes: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    led_to: str = ""
    sheets: StyleSheets = field(init=False)
    _n_loads: int = 0

    def __post_init__(self) -> None:
        self.sheets = StyleSheets(self.limits.max_style_bytes)

    def navigate(self, url: str) -> Reply | None:
        """The page itself, and again when it reloads; None: scripts may not lead elsewhere."""
        self._n_loads += 1
        if urldefrag(url)[0] == urldefrag(self.url)[0] and self._n_loads <= _MAX_LOADS:
            return Reply(url, 200, "text/html; charset=utf-8", self.body)
        self.led_to = self.led_to or url
        return None

    async def answer(self, url: str, method: str, kind: str) -> Reply | None:
        """The reply to a request, None if it is refused.

        Args:
            url: its address.
            method: such as ``"GET"``.
            kind: what the browser wants it for, such as ``"script"``.
        """
        if urlsplit(url).path == "/favicon.ico":  # asked for by the browser, not by the page
            return None
        self.n_requests += 1
        reason = self._refusal(url, method, kind)
        if reason is None:
            try:
                reply = await self._fetch(canonicalize(url) or url)
                if kind == "stylesheet" and reply.status == HTTPStatus.OK:
                    self.sheets.keep(canonicalize(url) or url, reply.body, reply.content_type)
                return reply
            except FetchError as error:
                reason = error.reason
        self.refused[reason] += 1
        return None

    def _refusal(self, url: str, method: str, kind: str) -> str | None:
        is_full = self.n_bytes >= self.limits.max_total_bytes
        if is_full or self.n_requests > self.limits.max_requests:
            return "limit"
        if kind not in _WANTED:
            return kind
        if method != "GET":
            return "method"
        if not same_site(self.url, url):
            return "other_site"
        return "offline" if self.fetcher is None else None

    @property
    def is_over(self) -> bool:
        """Whether a limit was reached."""
        return self.refused["limit"] > 0

    async def _fetch(self, url: str) -> Reply:
        assert self.fetcher is not None
        rest = self.limits.max_total_bytes - self.n_bytes
        most = min(self.limits.max_resource_bytes, rest)
        reply = await follow(self.fetcher, url, most, within=self.url)
        self.n_bytes += len(reply.body)
        return reply
