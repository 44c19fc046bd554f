"""Fetches for the browser that renders, under the guards of the crawl.

The browser has no network (`quarkcrawl.render`); what its pages ask for comes through here: by
GET, without cookies, from public addresses or the host map, bounded in time and size.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from http.cookies import CookieError
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from yarl import URL

from quarkcrawl.crawl.http.download import any_certificate, failure_reason, read_body
from quarkcrawl.crawl.http.framing import MAX_HEAD_BYTES, MAX_HEADER_LINES
from quarkcrawl.crawl.http.guards import HostMap, is_address, url_refusal
from quarkcrawl.crawl.http.inflate import ACCEPT_ENCODING, inflate
from quarkcrawl.crawl.http.proxies import ProxySessions
from quarkcrawl.crawl.http.replies import REDIRECTS, content_type_among
from quarkcrawl.crawl.http.resolver import GuardedResolver
from quarkcrawl.errors import FetchError
from quarkcrawl.page import canonicalize
from quarkcrawl.render import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.config import CrawlConfig


_SHARED_KINDS: Final = ("javascript", "/css")
_MAX_KEPT_BYTES: Final = 32 << 20


class GuardedFetcher(AbstractAsyncContextManager["GuardedFetcher"]):
    """A `quarkcrawl.render.Fetcher`; use it as an asynchronous context manager.

    Scripts and style sheets are asked for once: the pages of a site share them.

    Args:
        config: time limit, user agent, host map, and whether private addresses are allowed.
        refusal: reason code for which a URL may not be fetched by the rules of its host, or None;
            without it all may.
    """

    def __init__(
        self, config: CrawlConfig, refusal: Callable[[str], str | None] | None = None
    ) -> None:
        self._config = config
        self._refusal = refusal
        self._kept: OrderedDict[str, Reply] = OrderedDict()
        self._kept_bytes = 0
        self._map = HostMap.parse(config.host_map)
        self._sessions: ProxySessions | None = None

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        if self._sessions is not None:
            await self._sessions.close()
            self._sessions = None

    def _open(self) -> ProxySessions:
        """The sessions, which need the running event loop."""
        if self._sessions is None:
            config = self._config
            resolver = GuardedResolver(self._map, allow_private=config.allow_private)
            connections = {"resolver": resolver, "limit": 8, "ssl": any_certificate()}
            session = {
                "cookie_jar": aiohttp.DummyCookieJar(),
                "auto_decompress": False,
                "timeout": aiohttp.ClientTimeout(total=config.timeout_s),
                "max_field_size": MAX_HEAD_BYTES,
                "max_line_size": MAX_HEAD_BYTES,
                "max_headers": MAX_HEADER_LINES,
                "headers": {"User-Agent": config.agent, "Accept-Encoding": ACCEPT_ENCODING},
            }
            self._sessions = ProxySessions(config.proxy, connections, session)
        return self._sessions

    async def fetch(self, url: str, max_bytes: int) -> Reply:
        """Fetch a URL.

        Raises:
            FetchError: with a reason code (`quarkcrawl.crawl.campaign.reasons`) or one of
            `REFUSALS`.
        """
        reason = url_refusal(url, allow_private=self._config.allow_private)
        if reason is None and self._refusal is not None:
            reason = self._refusal(url)
        if reason is not None:
            raise FetchError("may not be requested", reason=reason, where=url)
        if (rendered := self._kept.get(url)) is not None:
            return rendered
        try:
            reply = await self._request(url, max_bytes)
            self._keep(reply)
            return reply
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, CookieError) as error:
            reason = failure_reason(error)
            raise FetchError(str(error), reason=reason, where=url) from error

    def _keep(self, reply: Reply) -> None:
        kind = reply.content_type.partition(";")[0].strip().lower()
        if reply.status != HTTPStatus.OK or not kind.endswith(_SHARED_KINDS):
            return
        if (before := self._kept.pop(reply.url, None)) is not None:  # two pages asked at once
            self._kept_bytes -= len(before.body)
        self._kept[reply.url] = reply
        self._kept_bytes += len(reply.body)
        while self._kept_bytes > _MAX_KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest.body)

    async def _request(self, url: str, max_bytes: int) -> Reply:
        target = URL(url, encoded=True)
        headers: list[tuple[str, str]] = []
        if self._map is not None and is_address(target.host or ""):
            headers.append(("Host", urlsplit(url).netloc))
            target = target.with_host(self._map.address).with_port(self._map.port(target.port))
        proxy, session = self._open().next()
        route = {} if proxy is None else proxy.route(url, headers)
        async with session.get(target, headers=headers, allow_redirects=False, **route) as reply:
            if proxy is not None:
                proxy.check(reply.status, url)
            if reply.status in REDIRECTS:
                led_to = canonicalize(urljoin(url, reply.headers.get("Location", "")))
                if led_to is None:
                    raise FetchError("leads nowhere", reason="bad_redirect", where=url)
                return Reply(url, reply.status, "", b"", led_to)
            body = await _body(reply, url, max_bytes)
            return Reply(url, reply.status, content_type_among(reply), body)


async def _body(reply: aiohttp.ClientResponse, url: str, max_bytes: int) -> bytes:
    """The body, decoded.

    Raises:
        FetchError: it is too long, or damaged.
    """
    parts: list[bytes] = []
    cut = await read_body(reply, max_bytes, parts)
    body = b"".join(parts)
    if cut:
        raise FetchError(f"more than {max_bytes} bytes", reason="too_large", where=url)
    encodings = reply.headers.get("Content-Encoding", "")
    if not encodings or not body:
        return body
    result = inflate(body, encodings, max_bytes=max_bytes)
    if result is None or not result.complete:
        raise FetchError("damaged content encoding", reason="bad_encoding", where=url)
    if result.truncated:
        raise FetchError(f"more than {max_bytes} bytes", reason="too_large", where=url)
    return result.data
