"""Indexes of WARC files in the CDXJ form that players of web archives read (pywb, Wayback).

A line is the key of a URL, the time of the capture in 14 digits, and JSON: where the record is and
what it holds. The key begins with the host turned around, so that the pages of a domain stand
together; spellings of a URL that servers take for the same have the same key.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quarkcrawl.page import canonicalize
from quarkcrawl.page.urls import split_host
from quarkcrawl.store.tianwang import split_reply

if TYPE_CHECKING:
    from quarkcrawl.store.warc.record import WarcEntry


CDXJ_SUFFIX: Final = ".cdxj"
_INDEXED: Final = frozenset({"response", "resource", "revisit"})
_WWW: Final = re.compile(r"www\d*\.")
_SLASHES: Final = re.compile(r"/{2,}")
_SESSION: Final = re.compile(
    r"(?:jsessionid|phpsessid|sid|aspsessionid[a-z]{8})=[0-9a-z]{24,32}|cfid=\d+|cftoken=\d+"
)
_HEAD_BYTES: Final = 64 * 1024


def url_key(url: str) -> str:
    """The key of a URL, as the ``surt`` library makes it for ordinary addresses.

    Args:
        url: an http address; any other is its own key.

    >>> url_key("https://www2.PKU.edu.cn:443/A//b/?y=2&x=1#top")
    'cn,edu,pku)/a/b?x=1&y=2'
    """
    canonical = canonicalize(url)
    if canonical is None:
        return url.replace(" ", "%20")
    parts = urlsplit(canonical)
    host, port = split_host(parts.netloc.lower())
    named = ",".join(reversed(_WWW.sub("", host, count=1).rstrip(".").split(".")))
    path = _SLASHES.sub("/", parts.path.lower()).rstrip("/") or "/"
    words = [word for word in parts.query.lower().split("&") if not _SESSION.fullmatch(word)]
    query = "&".join(sorted(words))
    return f"{named}{f':{port}' if port else ''}){path}{f'?{query}' if query else ''}"


def cdxj_line(entry: WarcEntry, filename: str, offset: int, length: int) -> str | None:
    """The line of a record; None: such records are not looked up.

    Args:
        entry: the record.
        filename: name of the WARC file that holds it.
        offset: first byte of its gzip member.
        length: bytes of the member.
    """
    if entry.kind not in _INDEXED:
        return None
    status, mime = _status_and_mime(entry)
    digest = next((value for name, value in entry.fields if name == "WARC-Payload-Digest"), "")
    values = {
        "url": entry.url,
        "mime": mime,
        "status": status,
        "digest": digest.removeprefix("sha1:"),
        "length": str(length),
        "offset": str(offset),
        "filename": filename,
    }
    filled = {name: value for name, value in values.items() if value}
    moment = time.strftime("%Y%m%d%H%M%S", time.gmtime(entry.date))
    return f"{url_key(entry.url)} {moment} {json.dumps(filled)}"


def _status_and_mime(entry: WarcEntry) -> tuple[str, str]:
    """As indexes write them; "" for what is not known."""
    if entry.kind == "revisit":
        return "", "warc/revisit"
    if entry.kind == "resource":
        return "", entry.content_type
    reply = split_reply(entry.block[:_HEAD_BYTES])
    mime = (reply.content_type or "").partition(";")[0].strip().lower()
    return str(reply.status or ""), mime if mime.isascii() else ""
