"""What a WARC record says: a page, a redirect, a repeated page, or nothing for a corpus.

A record with the field of our own exports gives back what was exported. Any other is read as a
capture of another crawler: 2xx replies of wanted media types are pages, redirects are rows, and
everything else ends with a reason code.
"""

from __future__ import annotations

import calendar
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus.warc.replies import entity_body, stored_reply
from quarkcrawl.errors import InputError
from quarkcrawl.page import Fetched, FetchFacts, Page, PdfPage, UnparsedPage, canonicalize, host_key
from quarkcrawl.store import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    TianwangRecord,
    VisitRow,
    encode_record,
    host_folder,
    split_reply,
)
from quarkcrawl.store.tables import page_row, record_facts
from quarkcrawl.store.tianwang import format_date, url_text
from quarkcrawl.store.warc import FACTS_FIELD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.store import StoredReply
    from quarkcrawl.store.warc import WarcFound


_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?Z")
_MD5: Final = re.compile(r"[0-9a-f]{32}")
_MOST_COUNT: Final = 2**31 - 1
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PAGE_KINDS: Final = frozenset({"response", "resource"})


@dataclass(frozen=True, slots=True)
class PageCapture(FetchFacts):
    """A page to be stored: its record, facts of its fetch, flags and version as in the row."""

    fetched: Fetched
    record: TianwangRecord
    flags: tuple[str, ...]
    version: int = 0


Capture = PageCapture | DuplicateRow | RedirectRow | DropRow | VisitRow
"""The duplicates row of a revisit has no links yet, and no MD5 when its record does not say it."""


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """A page as it will be stored.

    Args:
        record: its record, encoded; None if it cannot be, for the ``problem``.
        row: its row, but for offset and length.
    """

    record: bytes | None
    row: PageRow
    problem: str = ""

    @property
    def url(self) -> str:
        """URL of the page."""
        return self.row.url


def prepare(capture: PageCapture, *, parsed: bool = True) -> StoredCapture:
    """What costs time: parse the page and compress its record.

    Charset, title and links are found anew, as in a crawl. A page that the parser did not survive
    is not parsed again: it gets a flag instead.
    """
    reply, flags = split_reply(capture.record.data), capture.flags
    page = Page.from_bytes(reply.body, capture.url, reply.content_type)
    if not parsed:
        is_pdf = isinstance(page, PdfPage)  # of which nothing is decoded without reading it
        page = UnparsedPage(b"" if is_pdf else page.body, None, page.url)
        flags = (*flags, "failed:parse")
    version = {"version": capture.version} if capture.version else {}
    row = page_row(capture.fetched, page, flags=flags, analysis=version)
    try:
        return StoredCapture(encode_record(capture.record), row)
    except InputError as error:
        return StoredCapture(None, row, error.message)


def dropped(url: str, reason: str, detail: str, at: float) -> DropRow:
    """The row of a capture that is not stored."""
    return DropRow(url, host_key(url), reason, detail, 0, at)


def read_capture(
    warc_record: WarcFound, mime_types: Sequence[str], max_body_bytes: int
) -> Capture | None:
    """Read one record; None if it is no capture of a page (request, metadata, warcinfo, DNS).

    Args:
        warc_record: the record.
        mime_types: media types of foreign pages that are stored; empty for all.
        max_body_bytes: bodies of foreign pages are cut here.
    """
    facts = _facts(warc_record)
    if warc_record.kind == "revisit":
        return _revisit(warc_record, facts)
    if warc_record.kind not in _PAGE_KINDS or warc_record.get("warc-segment-number"):
        return None
    if facts is not None:
        return _own(warc_record, facts)
    return _foreign(warc_record, mime_types, max_body_bytes)


class _Facts:
    """The JSON field of an export, each value checked for its type."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def text(self, name: str, default: str = "") -> str:
        value = self._values.get(name)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: float) -> float:
        value = self._values.get(name)
        good = isinstance(value, int | float) and not isinstance(value, bool)
        return value if good and 0 <= value < 1e15 else default  # type: ignore[operator,return-value]

    def count(self, name: str) -> int:
        """A whole number that the columns of the tables can hold; 0 for anything else."""
        value = self._values.get(name)
        good = isinstance(value, int) and not isinstance(value, bool)
        return value if good and 0 <= value <= _MOST_COUNT else 0  # type: ignore[operator,return-value]

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._values.get(name)
        return tuple(x for x in value if isinstance(x, str)) if isinstance(value, list) else ()

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        value = self._values.get(name)
        pairs = value if isinstance(value, list) else []
        return tuple(
            (x[0], x[1])
            for x in pairs
            if isinstance(x, list) and len(x) == 2 and all(isinstance(y, str) for y in x)
        )


def _facts(warc_record: WarcFound) -> _Facts | None:
    text = warc_record.get(FACTS_FIELD.lower())
    if not text:
        return None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _Facts(values) if isinstance(values, dict) else None


def _seconds(text: str) -> float:
    """WARC-Date as seconds since the epoch; 0 if it cannot be read."""
    match = _DATE.match(text)
    if match is None:
        return 0.0
    year, month, day, hour, minute, second = (int(match[n]) for n in range(1, 7))
    if not (year >= 1970 and 1 <= month <= 12 and 1 <= day <= 31):
        return 0.0
    if hour > 23 or minute > 59 or second > 60:
        return 0.0
    whole = calendar.timegm((year, month, day, hour, minute, second))
    return whole + float(match[7] or 0)


def _own(warc_record: WarcFound, facts: _Facts) -> PageCapture | RedirectRow | DropRow:
    """What `export_warc` wrote."""
    at = facts.number("fetched_at", _seconds(warc_record.get("warc-date")))
    url = facts.text("url") or warc_record.url
    if facts.text("row") == "redirect":
        reply = split_reply(warc_record.block)
        target = facts.text("target") or reply.get("location") or ""
        level, in_scope = facts.count("level"), facts.flag("in_scope")
        return RedirectRow(url, target, reply.status or 0, level, at, in_scope)
    record = TianwangRecord(
        url=url,
        date=int(_seconds(warc_record.get("warc-date"))),
        ip=facts.text("ip") or warc_record.get("warc-ip-address"),
        data=warc_record.block,
        origin=facts.text("origin") or None,
        docno=facts.text("id") or None,
        extra=facts.pairs("extra"),
    )
    level, hops = facts.count("level"), facts.count("hops")
    page = _checked(record, facts.texts("marks"), fetched_at=at, level=level, hops=hops)
    version = facts.count("version")
    return replace(page, version=version) if isinstance(page, PageCapture) else page


def _checked(
    record: TianwangRecord, flags: tuple[str, ...], *, fetched_at: float, **facts: Any
) -> PageCapture | DropRow:
    """The page, unless it cannot have a place in a corpus; ``facts`` are those of its fetch."""
    url = url_text(record.url)
    host = host_key(url)
    try:
        host_folder(host)
        format_date(record.date)
    except InputError as error:
        return dropped(url, "bad_url", error.message, fetched_at)
    reply = split_reply(record.data)
    fetched = record_facts(record, reply, host=host, fetched_at=fetched_at, **facts)
    return PageCapture(fetched, record, flags)


def _foreign(
    warc_record: WarcFound, mime_types: Sequence[str], max_body_bytes: int
) -> Capture | None:
    """A capture of another crawler."""
    content_type = warc_record.get("content-type")
    is_http = content_type.lower().startswith("application/http")
    if not is_http and warc_record.kind == "response":
        return None  # DNS answers, FTP and the like
    at = _seconds(warc_record.get("warc-date"))
    url = canonicalize(warc_record.url)
    if url is None:
        return dropped(warc_record.url, "bad_url", "no http URL", at)
    if not is_http:
        head = f"HTTP/1.0 200 OK\r\nContent-Type: {content_type}\r\n\r\n"
        reply = split_reply(head.encode("latin-1", "replace") + warc_record.block)
    else:
        reply = split_reply(warc_record.block)
    ended = _ended(url, reply, at, mime_types)
    return ended or _foreign_page(warc_record, url, reply, at, max_body_bytes)


def _ended(
    url: str, reply: StoredReply, at: float, mime_types: Sequence[str]
) -> RedirectRow | DropRow | None:
    """How a crawl would have ended a reply that is not stored."""
    status = reply.status
    if status is None:
        return dropped(url, "bad_http", "no status line", at)
    if status in _REDIRECTS:
        target = canonicalize(reply.get("location") or "", url) if reply.get("location") else None
        if target is None:
            return dropped(url, "bad_redirect", reply.get("location") or "", at)
        return RedirectRow(url, target, status, 0, at, in_scope=False)
    if not 200 <= status < 300:
        return dropped(url, f"http_{status}", "", at)
    mime = (reply.content_type or "").partition(";")[0].strip().lower()
    if mime and mime_types and mime not in mime_types:
        return dropped(url, "mime", mime, at)
    return None


def _foreign_page(
    warc_record: WarcFound, url: str, reply: StoredReply, at: float, max_body_bytes: int
) -> PageCapture | DropRow:
    body = entity_body(reply, max_body_bytes)
    flags = body.flags
    if warc_record.get("warc-truncated") and "truncated" not in flags:
        flags = (*flags, "truncated")
    data = stored_reply(reply, body.data)
    record = TianwangRecord(url, int(at), warc_record.get("warc-ip-address"), data)
    return _checked(record, flags, fetched_at=at)


def _revisit(warc_record: WarcFound, facts: _Facts | None) -> DuplicateRow | DropRow | VisitRow:
    at = _seconds(warc_record.get("warc-date"))
    if facts is not None and facts.text("row") == "visit":
        reason, level = facts.text("reason", "unchanged"), facts.count("level")
        return VisitRow(
            facts.text("url") or warc_record.url, reason, level, facts.number("fetched_at", at)
        )
    if facts is not None:
        md5 = facts.text("md5")
        fetched = Fetched(
            url=facts.text("url") or warc_record.url,
            level=facts.count("level"),
            fetched_at=facts.number("fetched_at", at),
            md5=bytes.fromhex(md5) if _MD5.fullmatch(md5) else b"",
        )
        return DuplicateRow(fetched, facts.text("duplicate_of"))
    url = canonicalize(warc_record.url)
    if url is None:
        return dropped(warc_record.url, "bad_url", "no http URL", at)
    original = warc_record.get("warc-refers-to-target-uri").removeprefix("<").removesuffix(">")
    return DuplicateRow(Fetched(url=url, fetched_at=at), canonicalize(original) or "")
