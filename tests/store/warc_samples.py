"""A corpus with everything that a WARC export has to carry."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING

from quarkcrawl.page import Page
from quarkcrawl.store import (
    CorpusWriter,
    PageRow,
    RedirectRow,
    TianwangRecord,
    encode_record,
    split_reply,
)
from quarkcrawl.store.tables import page_row, record_facts
from tests.store.samples import duplicate_row, make_body, make_item

if TYPE_CHECKING:
    from pathlib import Path

ODD_RECORDS = (
    TianwangRecord("http://odd.cn/lf", 7, "0.0.0.0", b"HTTP/1.0 200 OK\nA: b\n\n<p>LF only"),
    TianwangRecord("http://odd.cn/nohead", 8, "odd.cn", b"<p>no head at all"),
    TianwangRecord("http://odd.cn/docno", 9, "::1", b"HTTP/1.1 200 OK\r\n\r\n", docno="CWT0001",
                   extra=(("offset", "12"), ("testNumber", "中"))),
    TianwangRecord("http://odd.cn/404", 10, "", b"HTTP/1.1 404 No\r\nA: \xff\r\n\r\ngone"),
    TianwangRecord("http://odd.cn/b\udcd6\udcd0", 11, "1.2.3.4", b"HTTP/1.1 200 OK\r\n\r\nGBK URL"),
)  # fmt: skip


def build_corpus(root: Path, *, n_pages: int = 24, n_hosts: int = 5) -> None:
    """Ordinary pages, redirected and marked ones, odd records, duplicates, redirects."""
    with CorpusWriter(root) as writer:
        for number in range(n_pages):
            host = f"h{number % n_hosts}.cn"
            changes = {"origin": f"http://x.cn/{number} 甲", "hops": 2} if number % 5 == 3 else {}
            marks = ("truncated", "bad_encoding") if number % 7 == 2 else ()
            writer.append_page(make_item(number, host=host, flags=marks, **changes))
        for record in ODD_RECORDS:
            data = encode_record(record)
            writer.append_stored(data, _row(record, len(data)))
        for number in (0, 1):
            url, original = f"http://h0.cn/copy{number}", f"http://h{number}.cn/p{number}.html"
            page = Page.from_bytes(make_body(number), url, "text/html; charset=gb2312")
            md5 = hashlib.md5(make_body(number)).digest()
            writer.append_row(duplicate_row(url, original, md5, 3, 1e9 + 0.125, page.links))
        writer.append_row(
            RedirectRow("http://x.cn/3 甲", "http://h3.cn/p3.html", 302, 2, 1e9, True)
        )
        writer.append_row(RedirectRow("http://x.cn/out", "http://far.cn/?a b", 308, 1, 5.5, False))


def _row(record: TianwangRecord, length: int) -> PageRow:
    reply = split_reply(record.data)
    fetched = record_facts(record, reply, host="odd.cn")
    page = Page.from_bytes(reply.body, fetched.url, reply.get("content-type"))
    return dataclasses.replace(page_row(fetched, page), length=length)
