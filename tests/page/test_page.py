"""Page and PageItem: the public faces."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl
import quarkcrawl.page
from quarkcrawl.page import Fetched, Links, Page, PageItem
from quarkcrawl.page.page import UnparsedPage
from quarkcrawl.page.tree.parse import Events, parse_events
from tests.page.samples import SIMPLIFIED, chinese_page, encode


def test_golden_bytes() -> None:
    page = quarkcrawl.Page.from_bytes(
        encode(chinese_page(SIMPLIFIED, "utf-8"), "gbk"), "http://a.cn/", "text/html; charset=big5"
    )
    assert page.encoding == "gb18030"
    assert page.title == page.tree.title != ""
    assert page.links[0].url.startswith("http://a.cn/news/")
    assert page.html == page.charset.text
    assert page.tree is page.tree
    assert page.spans is page.spans


def test_text_and_bytes_give_the_same_page() -> None:
    html = chinese_page(SIMPLIFIED, None)
    one, two = Page.from_html(html, "http://a.cn/"), Page.from_bytes(html.encode(), "http://a.cn/")
    assert (one.body, one.html, one.links, one.encoding) == (
        *(two.body, two.html, two.links, two.encoding),
    )


def test_lone_surrogates_become_replacement_characters() -> None:
    page = Page.from_html("<p title=\ud800>a\udfff😀\ud83d\ude00")
    assert page.html == "<p title=\ufffd>a\ufffd😀😀"
    page.body.decode()


def test_body_of_a_buffer_is_copied() -> None:
    buffer = bytearray(b"<p>x")
    page = Page.from_bytes(buffer)
    buffer[3:] = b"y"
    assert page.body == b"<p>x"


@given(st.binary(max_size=200), st.text(max_size=20), st.none() | st.text(max_size=20))
def test_no_bytes_raise(body: bytes, url: str, content_type: str | None) -> None:
    page = Page.from_bytes(b"<a href=x>" + body, url, content_type)
    page.title, page.links, page.spans, page.tree.text()
    assert repr(page)


@given(st.text(max_size=200), st.text(max_size=20))
def test_no_text_raises(html: str, url: str) -> None:
    page = Page.from_html(html, url)
    page.title, page.links, page.spans, page.tree.text()
    assert Page.from_bytes(page.body).body == page.body


def test_a_page_that_the_parser_did_not_survive_is_never_parsed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def parse(html: str) -> Events:
        assert not html
        return parse_events(html)

    monkeypatch.setattr("quarkcrawl.page.tree.tree.parse_events", parse)
    monkeypatch.setattr("quarkcrawl.page.page.parse_events", parse)
    page = UnparsedPage.from_bytes(b"<title>x</title><link rel=canonical href=/y><a href=z>w")
    assert (page.title, page.links, page.canonical, len(page.spans.start)) == ("", Links(), None, 0)
    assert page.html.endswith("w")


def test_item_is_frozen_and_can_be_replaced() -> None:
    page = Page.from_bytes(b"<p>x", "http://a.cn/")
    lines = ((b"Server", b"x"), (b"Content-Type", b"Text/HTML; a=b"), (b"Server", b"y"))
    fetched = Fetched(
        url=page.url, host="a.cn", level=1, status=200, reason_phrase="OK", ip="127.0.0.1",
        http_version="HTTP/1.1", header_lines=lines, fetched_at=1.5,
    ).with_body(page.body, origin="http://b.cn/", hops=2)  # fmt: skip
    item = PageItem(fetched, page.body, 7, page, page.links)
    for field in dataclasses.fields(Fetched):
        if field.name not in {"reason_phrase", "http_version", "sent_at"}:
            assert getattr(item, field.name) == getattr(fetched, field.name), field.name
    assert (item.mime, item.md5.hex()) == ("text/html", hashlib.md5(b"<p>x").hexdigest())
    assert (item.body_bytes, item.origin, item.hops) == (4, "http://b.cn/", 2)
    assert item.flags == ()
    assert dict(item.analysis) == {}
    marked = dataclasses.replace(item, flags=("truncated",), analysis={"x": 1})
    assert (marked.flags, marked.analysis["x"], item.flags) == (("truncated",), 1, ())
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.token = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.fetched.level = 2  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):  # which of them depends on the Python
        item.level = 2  # type: ignore[misc]
    assert item.level == 1
    with pytest.raises(TypeError):
        item.analysis["x"] = 1  # type: ignore[index]
    assert not hasattr(item, "__dict__")
    assert not hasattr(page, "__dict__")
