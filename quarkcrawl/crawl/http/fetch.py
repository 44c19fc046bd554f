"""What the download handler knows of a reply beyond Scrapy's Response.

Tianwang records keep the header lines as they came and the reason phrase; Scrapy's Response
keeps neither. They travel in ``request.meta`` under one key; `fetch_of` also answers for
responses of other download handlers, from what those keep.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from quarkcrawl.page import Fetched
from quarkcrawl.store.tianwang import status_phrase

if TYPE_CHECKING:
    from scrapy.http import Response


LIST_BYTES_KEY = "quarkcrawl_list_bytes"
"""Key in ``request.meta`` of a sitemap or feed, of any media type: how much of it is read."""

FETCH_KEY = "quarkcrawl_fetch"


def fetch_of(response: Response) -> Fetched:
    """The wire facts of a response, whichever handler downloaded it."""
    fetched = response.meta.get(FETCH_KEY) if response.request is not None else None
    if isinstance(fetched, Fetched):
        return fetched
    return Fetched(
        url=response.url,
        status=response.status,
        reason_phrase=status_phrase(response.status),
        http_version=(response.protocol or "HTTP/1.1").rpartition("/")[2],
        header_lines=tuple((n, v) for n, values in response.headers.items() for v in values),
        ip=str(response.ip_address or ""),
        fetched_at=time.time(),
    )
