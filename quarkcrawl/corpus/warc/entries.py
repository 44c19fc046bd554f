"""What WARC records say of stored pages, redirects and duplicates.

A page's reply becomes the block of a response record byte for byte. What WARC has no field for
(level, marks, document number, further properties of the Tianwang header) goes into one JSON field
that other readers skip, so that an import gives equal records and rows again. Of a redirect only
status and target were kept: its reply is made from these, and the record says so. A duplicate is a
revisit record without a block: its headers were not kept. Requests were not kept either: a request
record has the line and the host that follow from the URL.
"""

from __future__ import annotations

import base64
import ipaddress
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from quarkcrawl.store.tianwang import status_phrase, url_text
from quarkcrawl.store.warc import (
    FACTS_FIELD,
    HTTP_REQUEST,
    HTTP_RESPONSE,
    REVISIT_PROFILE,
    WarcEntry,
    payload_digest,
    record_id,
    warc_date,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.store import DuplicateRow, RedirectRow, TianwangRecord, VisitRow


_ENCODED: Final = str.maketrans({" ": "%20", "\t": "%09", "<": "%3C", ">": "%3E"})


@dataclass(frozen=True, slots=True)
class Original:
    """The page that a revisit record points at; ``digest`` is that of its payload, labeled."""

    url: str
    record_id: str = ""
    date: int | None = None
    digest: str | None = None


def facts_field(facts: Mapping[str, object]) -> tuple[str, str]:
    """The JSON field, without what is empty; in ASCII, so that any reader gives it back."""
    filled = {name: value for name, value in facts.items() if value not in (None, (), [], "")}
    return FACTS_FIELD, json.dumps(filled, separators=(",", ":"))


def page_entries(record: TianwangRecord, row: Mapping[str, Any]) -> list[WarcEntry]:
    """The response record of a page; a metadata record with ``via`` follows a redirected one.

    Args:
        record: the stored record. A reply without an HTTP head becomes a resource record.
        row: ``level``, ``hops``, ``fetched_at``, ``marks`` and ``version`` of its row, as far as
            known.
    """
    url = _uri(record.url)
    urn = record_id("page", record.docno or "", url, record.date)
    is_http = record.data.startswith(b"HTTP/")
    fields = [("WARC-IP-Address", record.ip)] if _is_address(record.ip) else []
    if is_http and (digest := payload_digest(record.data)):
        fields.append(("WARC-Payload-Digest", digest))
    fields.append(facts_field(_page_facts(record, row, url)))
    kind, content_type = (
        ("response", HTTP_RESPONSE) if is_http else ("resource", "application/octet-stream")
    )
    page = WarcEntry(kind, urn, record.date, record.data, content_type, url, fields)
    return [page] if record.origin is None else [page, _via(page, record.origin)]


def _page_facts(record: TianwangRecord, row: Mapping[str, Any], url: str) -> dict[str, object]:
    return {
        "row": "page",
        "level": row.get("level"),
        "hops": row.get("hops"),
        "fetched_at": row.get("fetched_at"),
        "marks": list(row.get("marks") or ()),
        "version": row.get("version"),
        "url": record.url if record.url != url else None,
        "ip": None if _is_address(record.ip) else record.ip,
        "origin": record.origin,
        "id": record.docno,
        "extra": list(record.extra),
    }


def _via(page: WarcEntry, origin: str) -> WarcEntry:
    """Where a redirect came from, in the form that Heritrix writes."""
    return WarcEntry(
        "metadata",
        record_id("metadata", page.record_id),
        page.date,
        f"via: {_uri(origin)}\r\n".encode(),
        "application/warc-fields",
        page.url,
        [("WARC-Concurrent-To", f"<{page.record_id}>")],
    )


def redirect_entry(row: RedirectRow) -> WarcEntry:
    """A response record made of what is known of a redirect; it says that it is cut short."""
    target = _uri(row.target)
    phrase = status_phrase(row.status)
    lines = (f"HTTP/1.1 {row.status} {phrase}".rstrip(), f"Location: {target}", "Content-Length: 0")
    block = "\r\n".join((*lines, "", "")).encode("utf-8")
    facts = {
        "row": "redirect",
        "level": row.level,
        "fetched_at": row.fetched_at,
        "in_scope": row.in_scope,
        "url": row.url if row.url != _uri(row.url) else None,
        "target": row.target if row.target != target else None,
    }
    fields = [("WARC-Truncated", "unspecified"), facts_field(facts)]
    if digest := payload_digest(block):
        fields.insert(0, ("WARC-Payload-Digest", digest))
    date, url = _date(row.fetched_at), _uri(row.url)
    urn = record_id("redirect", url, row.fetched_at)
    return WarcEntry("response", urn, date, block, HTTP_RESPONSE, url, fields)


def request_entry(reply: WarcEntry) -> WarcEntry | None:
    """The request that a reply answers, as far as its URL tells; it says that it is cut short.

    What else a crawl had sent (user agent, cookies, conditions) is not kept. None: no http URL.
    """
    parts = urlsplit(reply.url)
    if parts.scheme not in {"http", "https"} or reply.kind == "resource":
        return None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = parts.netloc.rpartition("@")[2]
    lines = (f"GET {target} HTTP/1.1", f"Host: {host}", "", "")
    facts = facts_field({"row": "request", "made_of": "url"})
    return WarcEntry(
        "request",
        record_id("request", reply.record_id),
        reply.date,
        "\r\n".join(lines).encode(),
        HTTP_REQUEST,
        reply.url,
        [("WARC-Concurrent-To", f"<{reply.record_id}>"), ("WARC-Truncated", "unspecified"), facts],
    )


def original_of(page: WarcEntry) -> Original:
    """What revisit records need to know of a page that was written."""
    digest = next((value for name, value in page.fields if name == "WARC-Payload-Digest"), None)
    return Original(page.url, page.record_id, page.date, digest)


def revisit_entry(row: DuplicateRow, original: Original) -> WarcEntry:
    """A revisit record for a page whose body another page has."""
    md5 = "md5:" + base64.b32encode(row.md5).decode()
    facts = {
        "row": "duplicate",
        "duplicate_of": row.duplicate_of,
        "md5": row.md5.hex(),
        "level": row.level,
        "fetched_at": row.fetched_at,
        "url": row.url if row.url != _uri(row.url) else None,
    }
    return _revisit(
        row.url, row.fetched_at, replace(original, digest=original.digest or md5), facts
    )


def visit_entry(row: VisitRow, original: Original) -> WarcEntry:
    """A revisit record for a page that was as before when it was asked for again."""
    facts = {
        "row": "visit",
        "reason": row.reason,
        "level": row.level,
        "fetched_at": row.at,
        "url": row.url if row.url != _uri(row.url) else None,
    }
    return _revisit(row.url, row.at, original, facts)


def _revisit(url: str, at: float, original: Original, facts: dict[str, object]) -> WarcEntry:
    fields = [("WARC-Profile", REVISIT_PROFILE)]
    if original.digest is not None:
        fields.append(("WARC-Payload-Digest", original.digest))
    if original.record_id:
        fields.append(("WARC-Refers-To", f"<{original.record_id}>"))
    fields.append(("WARC-Refers-To-Target-URI", _uri(original.url)))
    if original.date is not None:
        fields.append(("WARC-Refers-To-Date", warc_date(original.date)))
    fields.append(facts_field(facts))
    urn = record_id("revisit", url, at)
    return WarcEntry("revisit", urn, _date(at), b"", HTTP_RESPONSE, _uri(url), fields)


def _uri(url: str) -> str:
    """A URL fit for a WARC field: undecodable bytes, spaces and brackets percent-encoded.

    Readers take angle brackets around a URL away, as writers of WARC 1.0 put them.
    """
    return url_text(url).translate(_ENCODED)


def _date(seconds: float) -> int:
    return min(max(int(seconds), 0), 253402300799)


@lru_cache(maxsize=65536)
def _is_address(text: str) -> bool:
    """Whether a text is the address of a server; collections have 0.0.0.0 and host names too."""
    try:
        return not ipaddress.ip_address(text).is_unspecified
    except ValueError:
        return False
