"""Pages put into a corpus by hand."""

from __future__ import annotations

from quarkcrawl.page import Fetched, Page, PageItem, host_key
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
    version: int = 1,
) -> PageRow:
    body = f"<title>{url}</title><p>{url}".encode() if body is None else body
    fetched = Fetched(
        url=url,
        host=host_key(url),
        level=level,
        status=200,
        reason_phrase="OK",
        http_version="1.1",
        header_lines=((b"Content-Type", b"text/html"),),
        ip="127.0.0.1",
        fetched_at=fetched_at,
    ).with_body(body)
    analysis = {"version": version} if version > 1 else {}
    page = Page.from_bytes(body, url)
    item = PageItem(fetched, body, 1, page, links_to(links), analysis=analysis)
    return writer.append_page(item)
