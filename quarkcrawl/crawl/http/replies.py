"""Reading of reply headers that steer the crawl: redirects, Retry-After."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from quarkcrawl.page import canonicalize
from quarkcrawl.page.text import content_type_of, essence_of

if TYPE_CHECKING:
    import aiohttp
    from scrapy.http import Response


REDIRECTS = frozenset({301, 302, 303, 307, 308})


def redirect_target(response: Response) -> str | None:
    """Canonical URL that a redirect leads to, or None if there is none over http(s).

    Servers send the Location of Chinese paths as raw UTF-8 or GBK bytes; both are kept.
    """
    raw = response.headers.get("Location") or b""
    try:
        location = raw.decode("utf-8")
    except UnicodeDecodeError:
        location = raw.decode("gb18030", "replace")
    return canonicalize(location, response.url) if location.strip() else None


def media_type(response: Response) -> str:
    """The media type that the server names, without parameters; "" if it names none.

    Args:
        response: any reply.
    """
    return essence_of(content_type(response))


def content_type(response: Response) -> str:
    """The Content-Type of a reply, of several the one that browsers choose; "" if there is none.

    Args:
        response: any reply.
    """
    return content_type_of(v.decode("latin-1") for v in response.headers.getlist("Content-Type"))


def content_type_among(reply: aiohttp.ClientResponse) -> str:
    """The Content-Type of a reply as it is being read."""
    values = reply.headers.getall("Content-Type", ())
    return content_type_of(v.encode("utf-8", "surrogateescape").decode("latin-1") for v in values)


def retry_after_s(response: Response, most_s: float) -> float | None:
    """Seconds to wait by the Retry-After header (number or date), at most ``most_s``."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal():
        return min(float(value[:12]), most_s)
    try:
        at = parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return min(max(at - time.time(), 0.0), most_s)
