"""A page row made from nothing but the stored record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quarkcrawl.page import Page
from quarkcrawl.store.tables import PageRow, page_row, record_facts
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
    row = page_row(record_facts(record, reply, host=host), page, flags=("salvaged",))
    return replace(row, offset=kept.offset, length=kept.length)
