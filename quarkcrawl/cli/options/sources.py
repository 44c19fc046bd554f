"""Where single pages come from: a file, standard input, or one polite request."""

from __future__ import annotations

import http.client
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import typer

from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import ConfigError, FetchError, InputError, QuarkError
from quarkcrawl.page import Page, canonicalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from email.message import Message


MAX_BYTES = 64 << 20
"""Larger files are refused; replies are cut at the crawler's ``max_body_bytes``."""

_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class NamedPage:
    """A page and the word on the command line that named it."""

    name: str
    page: Page
    is_plain: bool = False


def is_url(word: str) -> bool:
    """Whether a word on the command line is an address rather than a path."""
    return word.lower().startswith(("http://", "https://"))


def corpus_of(words: Sequence[str]) -> str | None:
    """The corpus that a command was given; None for pages.

    Args:
        words: one corpus, or pages.

    Raises:
        ConfigError: a corpus among other things.
    """
    roots = [word for word in words if word != "-" and Path(word).is_dir()]
    if roots and len(words) > 1:
        raise ConfigError("a corpus cannot be given together with anything else", where=roots[0])
    return roots[0] if roots else None


def print_each(words: Iterable[str], text_of: Callable[[str], str]) -> int:
    """Print a text for each page; one that fails is told, and the others are printed all the same.

    Args:
        words: what names the pages.
        text_of: what is printed of one of them.

    Returns:
        The exit code.
    """
    code = 0
    for word in words:
        try:
            typer.echo(text_of(word))
        except QuarkError as error:
            typer.echo(f"error: {error}", err=True)
            code = error.exit_code
    return code


def read_source(word: str, *, url: str = "") -> NamedPage:
    """Read a page.

    Args:
        word: a URL, the path of a file, or ``-`` for standard input.
        url: address of the page, where it is no URL itself.

    Raises:
        InputError: the file cannot be read or is too large.
        FetchError: the URL cannot be fetched.
    """
    if is_url(word):
        return fetch(word)
    if word == "-":
        return NamedPage(
            "-", Page.from_bytes(_bounded(sys.stdin.buffer.read(MAX_BYTES + 1), "-"), url)
        )
    path = Path(word)
    try:
        with path.open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=word) from error
    return NamedPage(
        word, Page.from_bytes(_bounded(body, word), url), path.suffix.lower() == ".txt"
    )


def _bounded(body: bytes, word: str) -> bytes:
    if len(body) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES >> 20} MiB, which no page is", where=word)
    return body


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
