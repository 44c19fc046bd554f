"""Page.selector: what parsel finds in the decoded text, whatever was declared."""

from __future__ import annotations

import pickle

import parsel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page import Page, PdfPage, UnparsedPage
from tests.page.samples import SIMPLIFIED, TRADITIONAL, chinese_page, encode, hz_encode, markup

CSS = (
    "*",
    "title::text",
    "a::attr(href)",
    "p",
    "div > p",
    "[class]::attr(class)",
    "body *:first-child",
)
XPATH = ("//text()", "//@*", "//p//text()", "string()", "count(//*)", "//comment()")
SENT = [
    (SIMPLIFIED, "gb18030", "utf-8", "big5"),
    (SIMPLIFIED, "gb18030", "iso-8859-1", "iso-8859-1"),
    (TRADITIONAL, "big5", "gb2312", "utf-8"),
    (SIMPLIFIED, "utf-8", "gbk", "gb2312"),
    (SIMPLIFIED, "utf-16", "gbk", "utf-8"),
    (SIMPLIFIED, "hz", "utf-8", "gbk"),
]  # fmt: skip


def of_parsel(text: str, kind: str = "html") -> list[list[str]]:
    selector = parsel.Selector(text=text, type=kind)
    found = [selector.css(query).getall() for query in CSS]
    return found + [selector.xpath(query).getall() for query in XPATH]


def of_page(page: Page) -> list[list[str]]:
    found = [page.css(query).getall() for query in CSS]
    return found + [page.xpath(query).getall() for query in XPATH]


@pytest.mark.parametrize(("text", "encoding", "served", "declared"), SENT)
def test_wrong_declarations_do_not_matter(
    text: str, encoding: str, served: str, declared: str
) -> None:
    source = chinese_page(text, declared)
    body = hz_encode(source) if encoding == "hz" else encode(source, encoding)
    page = Page.from_bytes(body, "http://a.cn/", f"text/html; charset={served}")
    assert page.css("title::text").get() == page.title
    assert page.title in text
    assert of_page(page) == of_parsel(source)


@given(
    markup,
    st.sampled_from(["utf-8", "gb18030", "big5"]),
    st.none() | st.sampled_from(["utf-8", "big5"]),
)
def test_it_is_parsel_on_the_decoded_text(soup: str, encoding: str, served: str | None) -> None:
    body = (SIMPLIFIED + soup).encode(encoding, "replace")
    page = Page.from_bytes(body, "", f"text/html; charset={served}" if served else None)
    assert of_page(page) == of_parsel(page.html)


@given(
    st.binary(max_size=200), st.sampled_from(["text/html", "text/xml", "application/json", "", "/"])
)
def test_no_bytes_raise(body: bytes, content_type: str) -> None:
    page = Page.from_bytes(b"<p>" + body, "", content_type)
    kind = "xml" if content_type == "text/xml" else "html"
    assert of_page(page) == of_parsel(page.html, kind)


@given(st.text(max_size=200))
def test_no_text_raises(source: str) -> None:
    page = Page.from_html(source)
    assert of_page(page) == of_parsel(page.html)


def test_it_is_made_once_and_only_when_asked_for() -> None:
    page = Page.from_html("<p class=a>天网</p><p>北大</p>")
    assert page._selector is None
    assert page.selector is page.selector
    first = page.css("p")[0].root
    assert page.xpath("//p[@class=$name]", name="a")[0].root is first
    assert page._tree is None, "the document was parsed twice"


def test_what_was_sent_as_xml_is_xml() -> None:
    feed = "<?xml version='1.0' encoding='big5'?><rss><link>http://a.cn/天网</link></rss>"
    for kind, found in (
        ("text/xml; charset=utf-8", "http://a.cn/天网"),
        ("application/rss+xml", "http://a.cn/天网"),
        ("application/xhtml+xml", None),  # as HTML, where a link is empty
        ("text/html", None),
        (None, None),
    ):
        page = Page.from_bytes(feed.encode("gb18030"), "", kind)
        assert page.css("link::text").get() == found, kind
    page = Page.from_bytes(feed.encode("gb18030"), "", "application/atom+xml")
    assert page.xpath("//n:link", namespaces={"n": "http://none.example/"}).getall() == []


def test_pages_that_must_not_be_parsed_are_not() -> None:
    for page in (UnparsedPage(b"<title>x</title>"), PdfPage(b"%PDF-1.4\n")):
        assert page.css("title") == []
        assert page.xpath("//text()") == []


def test_a_page_that_was_selected_from_still_goes_to_other_processes() -> None:
    page = Page.from_bytes(SIMPLIFIED.encode("gb18030"), "http://a.cn/", "text/html")
    page.css("p")
    page.tree.text()
    copy = pickle.loads(pickle.dumps(page))
    assert (copy.body, copy.url, copy.encoding, copy.title) == (
        *(page.body, page.url, page.encoding, page.title),
    )
    assert copy.css("*").getall() == page.css("*").getall()


def test_hostile_nesting_ends() -> None:
    page = Page.from_html("<div>" * 20_000 + "天网")
    assert page.xpath("//text()").getall() == of_parsel(page.html)[len(CSS)]
