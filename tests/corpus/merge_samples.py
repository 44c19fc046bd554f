"""Pages put into a corpus by hand."""

from __future__ import annotations

import hashlib

from quarkcrawl.page import Page, PageItem, host_key
from quarkcrawl.store import CorpusWriter, PageRow
from tests.store.samples import links_to

__all__ = ["write_page"]


def write_page(
    writer: CorpusWriter,
    url: str,
    *,
    level: int = 1,
    links=(),
    body: bytes | None = None,
    fetched_at: float = 1_000_000.0,
) -> PageRow:
    body = f"<title>{url}</title><p>{url}".encode() if body is None else body
    item = PageItem(
        url=url,
        host=host_key(url),
        level=level,
        status=200,
        reason_phrase="OK",
        http_version="1.1",
        header_lines=((b"Content-Type", b"text/html"),),
        body=body,
        ip="127.0.0.1",
        fetched_at=fetched_at,
        origin=None,
        hops=0,
        token=1,
        page=Page.from_bytes(body, url),
        links=links_to(links),
        md5=hashlib.md5(body, usedforsecurity=False).hexdigest(),
    )
    return writer.append_page(item)
