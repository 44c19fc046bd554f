"""The download handler of campaigns: asyncio HTTP/1.1 with guards, raw headers and bounds.

Why not Scrapy's default handler: it needs 1.7 times the CPU of this one per page, forgets the
order and spelling of header lines, and throws an oversize page away where a corpus wants its
first bytes (docs/decisions.md). Differences that users can see: bodies are cut at
``max_body_bytes`` and marked, content encodings are removed here (so Scrapy's compression
middleware is off), a reply of a media type that is not stored is not read, and names are
resolved by `GuardedResolver`.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from http.cookies import CookieError
from typing import TYPE_CHECKING, Any

import aiohttp
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes
from yarl import URL

from quarkcrawl.crawl.http.addresses import GATE_KEY, AddressGate
from quarkcrawl.crawl.http.attachments import Attachments
from quarkcrawl.crawl.http.fetch import FETCH_KEY, LIST_BYTES_KEY
from quarkcrawl.crawl.http.framing import MAX_HEAD_BYTES, MAX_HEADER_LINES
from quarkcrawl.crawl.http.guards import HostMap, is_address, url_refusal
from quarkcrawl.crawl.http.idle import KEEP_S, IdleBudget
from quarkcrawl.crawl.http.inflate import ACCEPT_ENCODING, inflate
from quarkcrawl.crawl.http.proxies import ProxySessions, proxy_reason
from quarkcrawl.crawl.http.replies import content_type_among
from quarkcrawl.crawl.http.resolver import GuardedResolver, PinnedResolver, PrivateAddressError
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.crawl.options import config_of
from quarkcrawl.errors import FetchError
from quarkcrawl.frontier import steady_time
from quarkcrawl.page import Fetched
from quarkcrawl.page.pdf import is_pdf
from quarkcrawl.page.text import essence_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from quarkcrawl.config import CrawlConfig


_NO_TIMEOUT = aiohttp.ClientTimeout(total=None)

_SKIP_BODY_BYTES = 1 << 16
"""Bodies of errors and redirects up to this size are read, so that the connection lives on."""


class _Reply(aiohttp.ClientResponse):
    """Remembers the peer: aiohttp lets go of the connection when the body is short."""

    peer = ""
    sent_at = 0.0

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        self.sent_at = steady_time()  # the request has just been written
        name = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(name[0]) if name else ""
        if self.request_info.headers.get("Connection") == "close":  # not all servers obey
            connection.protocol.force_close()
        return await super().start(connection)


class DownloadHandler(BaseDownloadHandler):
    """Downloads http and https URLs for a campaign; see the module text."""

    lazy = True  # the session needs the running event loop

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._config = config = config_of(crawler.settings)
        self._map = HostMap.parse(config.host_map)
        # Names are looked up in the loop's threads. By default these are six on two cores, and a
        # name without an answer holds one for many seconds.
        threads = ThreadPoolExecutor(config.concurrency, "quarkcrawl-dns")
        asyncio.get_running_loop().set_default_executor(threads)
        # Where requests are counted by address, a name leads to the one that was counted.
        kind = PinnedResolver if config.ip_concurrency else GuardedResolver
        self._resolver = resolver = kind(self._map, allow_private=config.allow_private)
        connections = {
            "resolver": resolver,
            "limit": 0,
            "ssl": any_certificate(),
            "ttl_dns_cache": 300,
            "use_dns_cache": not config.ip_concurrency,
            "keepalive_timeout": KEEP_S,
        }
        session = {
            "cookie_jar": aiohttp.DummyCookieJar(),
            "auto_decompress": False,
            "response_class": _Reply,
            "skip_auto_headers": ("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            "max_field_size": MAX_HEAD_BYTES,
            "max_line_size": MAX_HEAD_BYTES,
            "max_headers": MAX_HEADER_LINES,
            "read_bufsize": 1 << 18,
        }
        self._sessions = ProxySessions(config.proxy, connections, session)
        self._idle = IdleBudget(config.host_concurrency)
        self._attachments = Attachments(config)

    async def download_request(self, request: Request) -> Response:
        """Fetch one URL.

        Raises:
            FetchError: with the reason code of the failure.
        """
        if refusal := url_refusal(request.url, allow_private=self._config.allow_private):
            raise FetchError("may not be requested", reason=refusal, where=request.url)
        try:
            gate: AddressGate | None = request.meta.get(GATE_KEY)
            if gate is None:
                return await self._fetch(request)
            return await self._fetch_through(gate, request)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, CookieError) as error:
            reason = failure_reason(error)
            text = str(error) or type(error).__name__
            raise FetchError(text, reason=reason, where=request.url) from error

    async def _fetch_through(self, gate: AddressGate, request: Request) -> Response:
        """Fetch a URL if its address has room; the connection is made to that address."""
        url = URL(request.url, encoded=True)
        name, port = url.raw_host or "", url.port or 0
        if is_address(name):
            address = name if self._map is None else self._map.address
        else:
            address = await self._address_of(name, port, request.url)
        try:
            async with gate.slot(request.meta[LEASE_KEY].token, address, request.url):
                return await self._fetch(request)
        except (aiohttp.ClientConnectorError, TimeoutError):
            if isinstance(self._resolver, PinnedResolver):
                self._resolver.unpin(name, port)
            raise

    async def _address_of(self, name: str, port: int, url: str) -> str:
        try:
            async with asyncio.timeout(self._config.timeout_s):
                (address,) = await self._resolver.resolve(name, port, socket.AF_UNSPEC)
        except (PrivateAddressError, TimeoutError):
            raise
        except OSError as error:
            raise FetchError(str(error), reason="dns", where=url) from error
        return address["host"]

    async def _fetch(self, request: Request) -> Response:
        headers = [
            (n.decode("latin-1"), v.decode("latin-1"))
            for n, values in request.headers.items()
            for v in values
        ]
        headers.append(("Accept-Encoding", ACCEPT_ENCODING))
        url = URL(request.url, encoded=True)
        if not self._idle.keeps(url.raw_authority, time.monotonic()):
            headers.append(("Connection", "close"))
        if self._map is not None and is_address(url.raw_host or ""):
            # aiohttp asks no resolver about addresses, and their owners are not ours to ask.
            headers.append(("Host", url.raw_authority))
            url = url.with_host(self._map.address).with_port(self._map.port(url.port))
        parts: list[bytes] = []
        takes_body = cut = False
        bound = 0
        is_ours = LEASE_KEY in request.meta and not request.meta.get("any_type")
        patience = _Patience(self._config, self._config.fetch_s if is_ours else 0.0)
        reply: aiohttp.ClientResponse | None = None
        proxy, session = self._sessions.next()
        route = {} if proxy is None else proxy.route(request.url, headers)
        try:
            async with (
                patience.clock,
                session.request(
                    request.method,
                    url,
                    headers=headers,
                    data=request.body or None,
                    allow_redirects=False,
                    timeout=_NO_TIMEOUT,
                    **route,
                ) as reply,
            ):
                if proxy is not None:
                    proxy.check(reply.status, request.url)
                takes_body = self._wants_body(request, reply)
                bound = self._most_bytes(request, reply) if takes_body else _SKIP_BODY_BYTES
                patience.heard(0)
                cut = await read_body(reply, bound, parts, patience.heard)
        except TimeoutError:
            # Of an error or a redirect the head is enough; of a page, what came in all its time.
            if reply is None or (takes_body and not (is_ours and parts and patience.is_used_up)):
                raise
            cut = True
        assert isinstance(reply, _Reply)
        response = self._response(request, reply, b"".join(parts), bound, cut=cut and takes_body)
        is_page = takes_body and is_ours and LIST_BYTES_KEY not in request.meta
        if is_page and self._attachments.is_other_file(reply, response.body):
            raise FetchError(content_type_among(reply), reason="mime", where=request.url)
        return response

    def _most_bytes(self, request: Request, reply: aiohttp.ClientResponse) -> int:
        most: int = request.meta.get(LIST_BYTES_KEY) or self._attachments.max_bytes(reply)
        return most

    def _wants_body(self, request: Request, reply: aiohttp.ClientResponse) -> bool:
        if LEASE_KEY not in request.meta or request.meta.get("any_type"):
            return True
        if not 200 <= reply.status < 300:
            return False
        if LIST_BYTES_KEY in request.meta:
            return True
        kind = essence_of(content_type_among(reply))
        if not kind or kind in self._config.mime_types or self._attachments.may_be(reply):
            return True
        reply.close()
        raise FetchError(kind, reason="mime", where=request.url)

    def _response(
        self, request: Request, reply: _Reply, body: bytes, max_bytes: int, *, cut: bool
    ) -> Response:
        flags = ["truncated"] if cut else []
        encodings = reply.headers.get("Content-Encoding", "")
        if encodings and body:
            result = inflate(body, encodings, max_bytes=max_bytes or self._config.max_body_bytes)
            if result is None:
                flags.append("bad_encoding")
            else:
                body = result.data
                if result.truncated and not cut:
                    flags.append("truncated")
                if not result.complete and not cut:
                    flags.append("bad_encoding")
        version = reply.version
        request.meta[FETCH_KEY] = Fetched(
            url=request.url,
            status=reply.status,
            header_lines=tuple(reply.raw_headers),
            reason_phrase=reply.reason or "",
            http_version=f"{version.major}.{version.minor}" if version else "1.1",
            ip="" if self._sessions.is_proxied else reply.peer,
            fetched_at=time.time(),
            sent_at=reply.sent_at,
        )
        skip = b"content-encoding" if "bad_encoding" not in flags else b""
        headers = [line for line in reply.raw_headers if line[0].lower() != skip]
        content_type = content_type_among(reply)
        cls = _RESPONSE_TYPES.get(essence_of(content_type) or "text/html")
        if is_pdf(body, content_type):
            cls = Response
        if cls is None:
            cls = responsetypes.from_args(Headers(headers), request.url, body=body)
        return cls(request.url, status=reply.status, headers=headers, body=body, flags=flags)

    async def close(self) -> None:
        """Close all connections."""
        await self._sessions.close()


_RESPONSE_TYPES: dict[str, type[Response]] = {
    "text/html": HtmlResponse,
    "application/xhtml+xml": HtmlResponse,
    "text/plain": TextResponse,
}


class _Patience:
    """How long to wait for a reply: its head, then each part of a body that comes fast enough.

    Attributes:
        clock: context in which the request is made.
    """

    def __init__(self, config: CrawlConfig, longest_s: float) -> None:
        self._silence_s, self._least_bytes_per_s = config.timeout_s, config.least_bytes_per_s
        self._now = asyncio.get_running_loop().time
        begun_at = self._now()
        self._end = begun_at + max(longest_s, config.timeout_s)
        self._body_at: float | None = None
        self.clock = asyncio.timeout_at(min(begun_at + config.timeout_s, self._end))

    def heard(self, size: int) -> None:
        """So many bytes of the body have come in all."""
        now = self._now()
        if self._body_at is None:
            self._body_at = now
        slowest = self._body_at + self._silence_s + size / self._least_bytes_per_s
        self.clock.reschedule(min(now + self._silence_s, slowest, self._end))

    @property
    def is_used_up(self) -> bool:
        """Whether the request has had all the time that one may take."""
        return self._now() >= self._end


async def read_body(
    reply: aiohttp.ClientResponse,
    max_bytes: int,
    parts: list[bytes],
    heard: Callable[[int], None] = lambda _: None,
) -> bool:
    """Append what comes of a body to ``parts``, up to a limit; True if more was there."""
    size = 0
    async for chunk in reply.content.iter_any():
        size += len(chunk)
        if size > max_bytes:
            parts.append(chunk[: max_bytes - size])
            reply.close()
            return True
        parts.append(chunk)
        heard(size)
    return False


def any_certificate() -> ssl.SSLContext:
    """Old and self-signed certificates are the rule on the web that corpora are made of."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # without loading authorities: 30 ms
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    return context


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, "timeout"),
    (PrivateAddressError, "private_address"),
    (aiohttp.ClientConnectorDNSError, "dns"),
    (aiohttp.ClientSSLError, "tls"),
    (ssl.SSLError, "tls"),
    (aiohttp.InvalidURL, "bad_url"),
    (aiohttp.NonHttpUrlClientError, "bad_url"),
    (aiohttp.ClientPayloadError, "data_loss"),
    (aiohttp.ClientResponseError, "bad_http"),
    (aiohttp.ServerDisconnectedError, "connection_lost"),
    (ConnectionResetError, "connection_lost"),
    (aiohttp.ClientConnectorError, "connection_refused"),
    (ConnectionRefusedError, "connection_refused"),
    (aiohttp.ClientOSError, "connection_lost"),
    (OSError, "connection_lost"),
    (ValueError, "bad_url"),
)


_CONNECT_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (PrivateAddressError, "private_address"),
    (TimeoutError, "timeout"),  # of the operating system
    (ConnectionRefusedError, "connection_refused"),
    (ConnectionError, "tls"),  # there was a connection: it broke at the greeting
)
"""Why no connection could be made, where the system's error says more than the client's."""

_OUR_LIMITS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def failure_reason(error: BaseException) -> str:
    """Reason code of an exception of the HTTP client.

    Where no connection could be made, the error of the system decides.

    >>> failure_reason(TimeoutError())
    'timeout'
    """
    if (reason := proxy_reason(error)) is not None:
        return reason
    if isinstance(error, aiohttp.ClientConnectorError):
        inner = getattr(error, "os_error", None)
        if getattr(inner, "errno", None) in _OUR_LIMITS:  # no fault of the host
            return "download_error"
        for kind, reason in _CONNECT_REASONS:
            if isinstance(inner, kind):
                return reason
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    return "download_error"
