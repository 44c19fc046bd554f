"""A page row made from nothing but the stored record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.page import Page, PageItem
from quarkcrawl.store.tables import PageRow, page_row
from quarkcrawl.store.tianwang import read_at, split_reply

if TYPE_CHECKING:
    from quarkcrawl.store.repair.salvage.file import KeptRecord


def rebuilt_row(kept: KeptRecord, host: str) -> PageRow:
    """Read the record again and parse its page: charset, title and links as in the crawl.

    What only the crawl knew is unknown: the level is 0, redirects are not counted.

    Raises:
        DamagedRecordError: the record is not there any more.
    """
    record = read_at(kept.path, kept.offset, kept.length)
    reply = split_reply(record.data)
    page = Page.from_bytes(reply.body, kept.url, reply.get("content-type"))
    item = PageItem(
        url=kept.url,
        host=host,
        level=0,
        status=reply.status or 0,
        reason_phrase="",
        http_version="HTTP/1.1",
        header_lines=reply.header_lines,
        body=reply.body,
        ip=record.ip,
        fetched_at=float(record.date),
        origin=record.origin,
        hops=0,
        token=0,
        page=page,
        links=page.links,
        md5=kept.md5,
        marks=("salvaged",),
    )
    return page_row(item, offset=kept.offset, length=kept.length)
