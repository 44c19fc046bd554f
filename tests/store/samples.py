"""Pages for the store's tests: made up, of ordinary size, the same in every run."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from typing import Any

from quarkcrawl.page import Links, Page, PageItem

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
    fields: dict[str, Any] = {
        "url": url,
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
        "body": body,
        "ip": "127.0.0.1",
        "fetched_at": 1_100_000_000.25 + number,
        "origin": None,
        "hops": 0,
        "token": number,
        "page": page,
        "links": page.links,
        "md5": hashlib.md5(body).hexdigest(),
    }
    return PageItem(**(fields | changes))


def links_to(urls: Iterable[str], *, text: str = "text") -> Links:
    """Links as of ``a`` elements with the same text."""
    found = list(urls)
    n = len(found)
    return Links(found, [text] * n, [False] * n, ["a"] * n)
