"""Pages for the store's tests: made up, of ordinary size, the same in every run."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable
from typing import Any

from quarkcrawl.page import Fetched, Links, Page, PageItem
from quarkcrawl.store.tables.rows import DuplicateRow, PageRow, page_row

WORDS = [a + b for a in "天北大网新搜引中收论图" for b in "网京学络闻索擎文藏坛片"]


def make_body(number: int, *, n_words: int = 300, encoding: str = "gb18030") -> bytes:
    """A small Chinese page; another one for each number."""
    rng = random.Random(number)
    words = [rng.choice(WORDS) for _ in range(n_words)]
    text = "，".join(words)
    links = "".join(
        f'<a href="/p{rng.randrange(1000)}.html">{rng.choice(WORDS)}</a>' for _ in range(5)
    )
    html = f"<html><head><title>第{number}页</title></head><body><p>{text}</p>{links}</body></html>"
    return html.encode(encoding)


def make_item(
    number: int,
    *,
    host: str = "www.example.cn",
    body: bytes | None = None,
    url: str | None = None,
    **changes: Any,
) -> PageItem:
    """A fetched page as the crawl hands it to the store."""
    body = make_body(number) if body is None else body
    url = f"http://{host}/p{number}.html" if url is None else url
    page = Page.from_bytes(body, url, "text/html; charset=gb2312")
    facts: dict[str, Any] = {
        "host": host,
        "level": 2,
        "status": 200,
        "reason_phrase": "OK",
        "http_version": "HTTP/1.1",
        "header_lines": (
            (b"Content-Type", b"text/html; charset=gb2312"),
            (b"Content-Encoding", b"gzip"),
            (b"Server", b"nginx"),
        ),
        "ip": "127.0.0.1",
        "fetched_at": 1_100_000_000.25 + number,
    }
    for field in dataclasses.fields(Fetched):
        if field.name in changes:
            facts[field.name] = changes.pop(field.name)
    digest = {"md5": facts.pop("md5")} if "md5" in facts else {}
    fetched = dataclasses.replace(Fetched(url=url, **facts).with_body(body), **digest)
    fields: dict[str, Any] = {"token": number, "page": page, "links": page.links}
    return PageItem(fetched, body, **(fields | changes))


def row_of(item: PageItem, *, offset: int = 0, length: int = 0) -> PageRow:
    """The row of an item whose record lies there."""
    row = page_row(
        item.fetched, item.page, links=item.links, flags=item.flags, analysis=item.analysis
    )
    return dataclasses.replace(row, offset=offset, length=length)


def duplicate_row(
    url: str, kept: str, md5: bytes, level: int, fetched_at: float, links: Links | None = None
) -> DuplicateRow:
    """The row of a page left out because its body is that of another one."""
    fetched = Fetched(url=url, level=level, fetched_at=fetched_at, md5=md5)
    return DuplicateRow(fetched, kept, links or Links())


def links_to(urls: Iterable[str], *, text: str = "text") -> Links:
    """Links as of ``a`` elements with the same text."""
    found = list(urls)
    n = len(found)
    return Links(found, [text] * n, [False] * n, ["a"] * n)
