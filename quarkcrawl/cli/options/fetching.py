"""Single pages from their addresses, by one polite request each."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quarkcrawl.cli.options.sources import NamedPage
from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import FetchError
from quarkcrawl.page import Page, canonicalize

if TYPE_CHECKING:
    from email.message import Message


_CHUNK_BYTES = 64 * 1024


def fetch(
    word: str,
    config: CrawlConfig | None = None,
    opener: urllib.request.OpenerDirector | None = None,
) -> NamedPage:
    """Fetch a page with one GET: no robots.txt, no retries, redirects followed.

    Args:
        word: the URL.
        config: time, size and user agent; None: the crawler's defaults.
        opener: what opens addresses; None: whatever this machine can reach.

    Raises:
        FetchError: with a reason code of ``docs/reasons.md``.
    """
    config = config or CrawlConfig()
    url = canonicalize(word)
    if url is None or not urlsplit(url).hostname:
        raise FetchError("this URL cannot be requested", reason="bad_url", where=word)
    headers = {
        "User-Agent": config.user_agent,
        "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5",
        "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
        "Accept-Encoding": "identity",
    }
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - http or https, see above
    try:
        with (opener or opener_of(*_PLAIN)).open(request, timeout=config.timeout_s) as reply:
            body = _read(reply, config)
            return _source(word, reply.url, reply.headers, _decoded(body, reply.headers, config))
    except urllib.error.HTTPError as error:
        error.close()
        reason = f"http_{error.code}"
        raise FetchError(
            f"the server says {error.code} {error.reason}", reason=reason, where=word
        ) from error
    except (OSError, http.client.HTTPException) as error:
        cause = getattr(error, "reason", error)
        reason = _reason(cause if isinstance(cause, Exception) else error)
        raise FetchError(f"cannot be fetched ({cause})", reason=reason, where=word) from error


def opener_of(*handlers: type[urllib.request.BaseHandler]) -> urllib.request.OpenerDirector:
    """What opens addresses in these ways only: a redirect leads to no file and no FTP server."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        *handlers,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


_PLAIN = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
)


def _read(reply: http.client.HTTPResponse, config: CrawlConfig) -> bytes:
    """The body, cut at a size, within a time for the whole (the socket's is for each piece)."""
    deadline = time.monotonic() + config.timeout_s
    body = bytearray()
    while len(body) < config.max_body_bytes:
        piece = reply.read1(min(_CHUNK_BYTES, config.max_body_bytes - len(body)))
        if not piece:
            break
        body += piece
        if time.monotonic() > deadline:
            raise TimeoutError(f"no whole reply within {config.timeout_s:g} s")
    return bytes(body)


def _decoded(body: bytes, headers: Message, config: CrawlConfig) -> bytes:
    """Some servers compress what was asked for as it is."""
    encodings = ",".join(headers.get_all("Content-Encoding") or [])
    if not encodings or encodings.lower() == "identity":
        return body
    from quarkcrawl.crawl.http import inflate  # noqa: PLC0415 - Scrapy is slow to import

    inflated = inflate(body, encodings, max_bytes=config.max_body_bytes)
    return body if inflated is None else inflated.data


def _source(word: str, url: str, headers: Message, body: bytes) -> NamedPage:
    kind = headers.get("Content-Type")
    page = Page.from_bytes(body, canonicalize(url) or url, kind)
    return NamedPage(word, page, (kind or "").partition(";")[0].strip().lower() == "text/plain")


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ssl.SSLError):
        return "tls"
    if isinstance(error, socket.gaierror):
        return "dns"
    if isinstance(error, ConnectionRefusedError):
        return "connection_refused"
    return "bad_http" if isinstance(error, http.client.HTTPException) else "download_error"
