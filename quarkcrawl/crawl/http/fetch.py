"""What the download handler knows of a reply beyond Scrapy's Response.

Tianwang records keep the header lines as they came and the reason phrase; Scrapy's Response
keeps neither. They travel in ``request.meta`` under one key; `fetch_of` also answers for
responses of other download handlers, from what those keep.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.http import Response


FETCH_KEY = "quarkcrawl_fetch"


@dataclass(frozen=True, slots=True)
class Fetch:
    """Wire facts of one reply.

    Args:
        header_lines: names and values as received, in order.
        http_version: "1.0" or "1.1".
        ip: address of the peer, "" if unknown.
        fetched_at: epoch seconds when the last byte had come.
        sent_at: epoch seconds when the request was written to the connection.
        marks: what was done to the body ("truncated", "bad_encoding"; see docs/reasons.md).
    """

    header_lines: tuple[tuple[bytes, bytes], ...]
    reason_phrase: str
    http_version: str
    ip: str
    fetched_at: float
    sent_at: float = 0.0
    marks: tuple[str, ...] = ()


def fetch_of(response: Response) -> Fetch:
    """The wire facts of a response, whichever handler downloaded it."""
    known = response.meta.get(FETCH_KEY) if response.request is not None else None
    if isinstance(known, Fetch):
        return known
    lines = tuple((n, v) for n, values in response.headers.items() for v in values)
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = ""
    marks = ("truncated",) if "download_stopped" in response.flags else ()
    version = (response.protocol or "HTTP/1.1").rpartition("/")[2]
    return Fetch(lines, phrase, version, str(response.ip_address or ""), time.time(), marks=marks)
