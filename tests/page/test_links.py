"""Links: kinds, base, nofollow, text, positions."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.page import LinkBounds, Links, Page, canonicalize, extract_links
from quarkcrawl.page.urls import TOO_LONG, LinkResolver
from tests.page.samples import markup, real_pages
from tests.profiles import examples

URL = "http://www.example.cn/a/b.html"


def targets(html: str, url: str = URL) -> list[str]:
    return [link.url for link in Page.from_html(html, url).links]


def test_kinds_in_document_order() -> None:
    page = Page.from_html(
        "<meta http-equiv=Refresh content=\"3; URL='/next'\">"
        "<a href=c.html> 去 \n <b>图书馆</b></a>"
        "<map><area href=d.html></map><iframe src=//x.cn/e>fallback</iframe><a name=x>no link</a>"
        "<a href=mailto:a@b.cn>m</a><a href='javascript:go()'>j</a><a href=''>self</a>",
        URL,
    )
    found = [(link.kind, link.url, link.text, link.position) for link in page.links]
    assert found == [
        ("refresh", "http://www.example.cn/next", "", 0),
        ("a", "http://www.example.cn/a/c.html", "去 图书馆", 1),
        ("area", "http://www.example.cn/a/d.html", "", 2),
        ("frame", "http://x.cn/e", "", 3),
        ("a", URL, "self", 4),
    ]
    assert [page.tree.tags[link.node] for link in page.links] == [
        *["meta", "a", "area", "iframe", "a"]
    ]


def test_frames() -> None:
    html = "<frameset><frame src=top.html><frame src='main.html'></frameset>"
    assert targets(html) == [
        "http://www.example.cn/a/top.html",
        "http://www.example.cn/a/main.html",
    ]


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("<base href=/x/>", "http://www.example.cn/x/1"),
        ("<base href='http://b.cn/y/z'>", "http://b.cn/y/1"),
        ("<base target=_top><base href=c/><base href=d/>", "http://www.example.cn/a/c/1"),
        ("<base href='javascript:x'>", "http://www.example.cn/a/1"),
        ("<base>", "http://www.example.cn/a/1"),
    ],
)
def test_base(base: str, expected: str) -> None:
    assert targets(f"<head>{base}<body><a href=1>") == [expected]


def test_without_url_only_absolute_links_remain() -> None:
    assert targets("<a href=1><a href=http://b.cn>", "") == ["http://b.cn/"]
    assert targets("<base href=http://c.cn/d/><a href=1>", "") == ["http://c.cn/d/1"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=1>", False),
        ("<a rel='noopener NoFollow' href=1>", True),
        ("<a rel=nofollowing href=1>", False),
        ("<meta name=ROBOTS content='index, NOFOLLOW'><a href=1>", True),
        ("<meta name=robots content=none><a href=1>", True),
        ("<meta name=robots content=noindex><a href=1>", False),
        ("<meta name=robots><a href=1>", False),
    ],
)
def test_nofollow(html: str, expected: bool) -> None:
    assert [link.nofollow for link in Page.from_html(html, URL).links] == [expected]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0;url=/x", ["http://www.example.cn/x"]),
        ("5 ; URL = '/x' ", ["http://www.example.cn/x"]),
        ('0,url="/x" junk', ["http://www.example.cn/x"]),
        ("1.5 /x", ["http://www.example.cn/x"]),
        ("0; /x", ["http://www.example.cn/x"]),
        ("300", []),
        ("300; ", []),
        ("0;url=", []),
        ("0; url = ", []),
        (" \t0 \n ;\f url \t= /x", ["http://www.example.cn/x"]),
        ("", []),
        ("x;url=/x", []),
    ],
)
def test_meta_refresh(content: str, expected: list[str]) -> None:
    escaped = content.replace('"', "&quot;")
    assert targets(f'<meta http-equiv=refresh content="{escaped}">') == expected


def test_anchor_text_leaves_out_what_is_not_shown() -> None:
    page = Page.from_html("<a href=1>甲<script>x</script><span>乙</span></a>", URL)
    assert page.links[0].text == "甲乙"


def test_query_in_the_encoding_of_the_page() -> None:
    body = "<a href='?q=图书'>图书馆的新书，请大家来看</a>".encode("gbk")
    assert Page.from_bytes(body, URL).links[0].url == f"{URL}?q=%CD%BC%CA%E9"


def test_duplicates_are_kept_and_links_frozen() -> None:
    links = Page.from_html("<a href=1>x</a><a href=1>y</a>", URL).links
    assert [link.text for link in links] == ["x", "y"]
    with pytest.raises(AttributeError):
        links[0].url = ""  # type: ignore[misc]
    assert not hasattr(links[0], "__dict__")


@given(markup)
@settings(max_examples=examples(200))
def test_any_markup(html: str) -> None:
    page = Page.from_html(html, URL)
    for position, link in enumerate(page.links):
        assert link.position == position
        assert canonicalize(link.url) == link.url
        assert link.text == " ".join(page.tree.text(link.node).split())


@pytest.mark.shared
def test_real_pages_one_by_one() -> None:
    """Every anchor and area with a usable target is there, looked up one at a time."""
    n_links = 0
    for _, body, _ in real_pages("daniel_zh", "twevents", limit=20):
        page = Page.from_bytes(body, URL)
        tree = page.tree
        bases = [tree.attr(node, "href") for node in tree.nodes("base")]
        base = next((href for href in bases if href is not None), "")
        base = canonicalize(base, URL) or URL
        expected = []
        for node in tree.nodes("a", "area"):
            href = tree.attr(node, "href")
            url = None if href is None else canonicalize(href, base, encoding=page.encoding)
            if url is not None:
                expected.append((node, url))
        assert [(k.node, k.url) for k in page.links if k.kind in {"a", "area"}] == expected
        n_links += len(expected)
    assert n_links > 1000


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<link rel=canonical href='/a?x=1#top'>", "http://a.cn/a?x=1"),
        ("<link rel='Shortlink CANONICAL' href=/a>", "http://a.cn/a"),
        ("<base href='http://b.cn/x/'><link rel=canonical href=y>", "http://b.cn/x/y"),
        ("<link rel=canonical href=/a><link rel=canonical href=/b>", "http://a.cn/a"),
        ("<link rel=canonical><link rel=alternate href=/a>", None),
        ("<link rel=canonical href='http://a.cn/p'>", None),
        ("<link rel=canonical href='javascript:0'>", None),
        ("<p>天网", None),
    ],
)
def test_canonical_is_another_url_that_the_page_declares_as_its_own(html, expected) -> None:
    assert Page.from_html(html, "http://a.cn/p").canonical == expected


def test_a_canonical_url_is_compared_with_the_canonical_form_of_the_own_one() -> None:
    html = "<link rel=canonical href='http://a.cn/'>"
    assert Page.from_html(html, "http://A.cn").canonical is None
    assert Page.from_html(html, "http://A.cn/b").canonical == "http://a.cn/"


def test_links_are_columns_and_a_sequence() -> None:
    links = Page.from_html("<p><a href=1>x</a><area href=2 rel=nofollow>", URL).links
    assert links.field_lists() == {
        "url": [f"{URL[: URL.rindex('/')]}/{n}" for n in (1, 2)], "text": ["x", ""],
        "nofollow": [False, True], "kind": ["a", "area"], "position": [0, 1],
    }  # fmt: skip
    assert (links[0], links[-1]) == tuple(links) == links[:]
    assert (links[1].position, links[1].node) == (1, links.node[1])
    with pytest.raises(IndexError):
        links[2]
    stored = Links(links.url, links.text, links.nofollow, links.kind)
    assert stored == links
    assert [link.node for link in stored] == [stored[0].node, -1] == [-1, -1]
    assert Links() != links
    assert not Links()


def test_a_long_base_is_not_copied_for_each_link():
    base = "http://a.cn/" + "x" * 200_000 + "/"
    html = f"<base href='{base}'>" + "".join(f"<a href='{n}.html'>l</a>" for n in range(5000))
    html += "<a href='/y'>y</a><a href='http://b.cn/z'>z</a><a href='?q'>q</a><a href='#f'>f</a>"
    tracemalloc.start()
    links = Page.from_html(html, "http://a.cn/").links
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert links.url == ["http://a.cn/y", "http://b.cn/z"]
    assert links.n_too_long == 5002
    assert links.n_cut == 0
    assert peak < 20 << 20


def test_links_within_links_use_up_the_bytes_of_the_page():
    """A table lets an anchor stand within an anchor: each has all the text that follows."""
    html = "<a href=/1><table><td>" * 200 + "text" * 50_000
    page = Page.from_html(html, "http://a.cn/")
    assert len(page.links) + page.links.n_cut == 200
    assert 80 <= len(page.links) < 90  # of 200,000 characters each in 16 MiB
    few = extract_links(page.tree, page.url, page.encoding, LinkBounds(max_bytes=1))
    assert (len(few), few.n_cut) == (1, 199)


@given(st.lists(st.sampled_from(["/", "a", "..", "?q", "#f", "//b.cn", "http://c.cn/d"])))
def test_bounds_leave_out_what_is_too_long_and_nothing_else(parts):
    base = "http://a.cn/" + "x" * 50 + "/"
    target = "".join(parts)
    url = LinkResolver(base).resolve(target)
    bounded = LinkResolver(base, max_chars=40).resolve(target)
    if url is None or bounded != TOO_LONG:
        assert bounded == url
    else:
        assert len(url) > 40 or ".." in parts  # what leads out of a long path is not looked for
