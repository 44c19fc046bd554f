"""The copy of a page says what the page says, and holds nothing that could act."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings

from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment import QuarkRecognizer
from quarkcrawl.workbench.report import block_map
from quarkcrawl.workbench.report.pagecopy.copy import ElementAttributes, PageCopy
from quarkcrawl.workbench.report.pagecopy.sanitizer import clean, clean_sheet
from tests.cost import allowed_cpu_s
from tests.page.samples import markup, real_pages
from tests.profiles import examples
from tests.workbench.report.pages import HOSTILE, HOSTILE_LOOKS, TABLES, segmented, tree_of_copy

ACTIVE = frozenset(
    [
        "script",
        "iframe",
        "frame",
        "object",
        "embed",
        "applet",
        "meta",
        "base",
        "form-action",
        "audio",
        "video",
        "source",
        "animate",
        "set",
    ]
)
FALLBACK = "qk-td{"
"""Stands only in documents that were written with names of our own."""


def copied(html: str, *, offline: bool = True, **kwargs) -> str:
    return PageCopy(
        Page.from_html(html, "http://a.cn/b/"), ElementAttributes(**kwargs), offline=offline
    ).text


def view(html: str, *, offline: bool = True) -> str:
    return block_map(*segmented(html), offline=offline)


@pytest.mark.full
@settings(max_examples=examples(300))
@given(markup)
def test_text_of_the_view_is_the_text_of_the_page(html: str) -> None:
    assert tree_of_copy(view(html)).text() == Page.from_html(html).tree.text()


@settings(max_examples=examples(100))
@example("<svg>\n<b>")  # white space in a picture, which no element of ours may hold
@given(markup)
def test_text_survives_names_of_our_own(html: str) -> None:
    """The last resort must not depend on any rule of the parser."""
    page = Page.from_html(html)
    copy = PageCopy(page, ElementAttributes({0: " a"}, {}), is_plain=True).text
    assert PageTree.parse(f"<html><head></head><body>{copy}").text() == page.tree.text()


@settings(max_examples=examples(200))
@given(markup)
def test_soup_holds_nothing_active(html: str) -> None:
    check_harmless(view(html.replace("<b>", "<b onclick=x()><img src=x onerror=x()>")))


def check_harmless(document: str) -> None:
    """Read as a browser would: no active element, no handler, no odd address."""
    tree = tree_of_copy(document)
    own_meta = len(re.findall("<meta ", document[: document.index("<title>")]))
    for node, tag in enumerate(tree.tags):
        assert tag not in ACTIVE - {"meta"}
        own_meta -= tag == "meta"
        for name, value in tree.attrs(node).items():
            assert not name.startswith("on")
            assert name not in {"srcdoc", "action", "formaction", "ping", "srcset", "autofocus"}
            if name in {"href", "src", "background", "xlink:href", "data", "poster"}:
                assert re.match(r"#|https?://|data:image/|$", value), value
    assert own_meta == 0


@pytest.mark.parametrize("offline", [True, False])
def test_the_hostile_page_is_harmless(offline: bool) -> None:
    document = view(HOSTILE.replace("§", "http://evil.cn"), offline=offline)
    check_harmless(document)
    page = segmented(HOSTILE.replace("§", "http://evil.cn"))[0]
    assert tree_of_copy(document).text() == page.tree.text()


def test_offline_names_nothing_to_load() -> None:
    tree = tree_of_copy(view(HOSTILE.replace("§", "http://evil.cn")))
    for node in range(len(tree)):
        attrs = tree.attrs(node)
        assert not attrs.keys() & {"src", "background", "srcset"} or attrs["src"].startswith(
            "data:"
        )
        assert "evil.cn" not in attrs.get("style", "")
        assert tree.tags[node] != "link"


def test_online_addresses_are_absolute() -> None:
    page = (
        "<base href=/c/><link rel=stylesheet href=s.css media=screen>"
        "<style>p{background:url( 'i.png' )}@import 'j.css';</style>"
        "<body background=b.png><img src=../x.png><p style='background:url(i.png)'>x"
    )
    document = view(page, offline=False)
    for address in ("c/s.css", "c/i.png", "c/j.css", "c/b.png", "x.png"):
        assert f"http://www.a.cn/{address}" in document
    assert "base" not in tree_of_copy(document).tags
    assert 'media="screen"' in document


def test_golden_copy() -> None:
    html = (
        '<body class=c><p id=a onclick=x>甲<b>乙</b><br>&lt;丙&gt;<img src=i.png alt="图" width=9>'
    )
    assert copied(html, of_run={0: " data-qk-x"}) == (
        '<p id="a"><qk-run data-qk-x="">甲</qk-run><b>乙</b><br>&lt;丙&gt;'
        '<img loading="lazy" alt="图" width="9"></p>'
    )


def test_lazy_pictures_are_shown() -> None:
    html = "<img src='data:image/gif;base64,R0' data-src=/real.png>"
    assert 'src="http://a.cn/real.png"' in copied(html, offline=False)
    assert "real.png" not in copied(html).replace('data-src="/real.png"', "")


def test_drawings_are_kept_without_what_acts() -> None:
    html = "<svg viewBox='0 0 9 9' onload=x><path d='M0 0' onclick=x /><a href=y><rect/></a><use href=#i /></svg>"
    copy = copied(html)
    assert 'd="M0 0"' in copy
    assert 'href="#i"' in copy
    assert "onclick" not in copy
    assert "rect" not in copy
    assert PageTree.parse(copy).tags.count("path") == 1


def test_what_stays_in_place_goes_back_into_the_flow() -> None:
    copy = copied("<div style='position: FIXED !important; top:0'>x</div>")
    assert "position: static" in copy
    assert "important" not in copy


def test_places_and_sizes_are_left_out_where_the_sheets_are_missing() -> None:
    style = "color:red; POSITION : absolute;margin-left:-9px;font-size:9px;/*;*/l\\65 ft:0;max-width:1px"
    page = f'<div style="{style}">x</div>'
    assert copied(page).count(":") == copied("<link rel=icon href=x>" + page).count(":") == 6
    lacking = copied("<link rel=stylesheet href=s.css>" + page)
    assert re.findall(r"([a-z-]+):", lacking) == ["color", "font-size"]
    assert "absolute" in copied("<link rel=stylesheet href=s.css>" + page, offline=False)


def test_no_style_sheet_ends_early() -> None:
    """The parser never gives such text for a style sheet; what stands in a template it may."""
    assert "</" not in clean_sheet("a{}</style><script>x</script>", lambda _: None)
    inert = "<head><template><svg><style>&lt;/style&gt;&lt;b&gt;x</style></svg><style>y</style></template>"
    assert PageCopy(Page.from_html(inert), ElementAttributes()).sheets == ""
    applies = PageCopy(Page.from_html(inert + "<style media=print>x</style>"), ElementAttributes())
    assert applies.sheets == '<style media="print">x</style>'


def test_first_newline_of_pre_is_kept() -> None:
    for html in ("<pre>\n\n甲</pre>", "<textarea>\n\n甲</textarea>", "<pre>&#10;</pre>x"):
        tree = Page.from_html(html).tree
        assert PageTree.parse(copied(html)).text() == tree.text()
        labeled = copied(html, of_run=dict.fromkeys(range(len(tree.runs)), " x"))
        assert tree_of_copy(labeled).text() == tree.text()


@pytest.mark.parametrize(
    "html",
    ["", " ", "<script>x</script>", "<frameset><frame src=x></frameset>", "<?xml version='1.0'?><rss><channel><title>天</title><item>网</item></channel></rss>",
     "plain & text < 3", "\0", "\ud800", "<plaintext>x<b>", "<div>" * 3000 + "x", "<a href=x>1<table><tr><td><a href=y>2" * 5, TABLES],
)  # fmt: skip
def test_odd_pages(html: str) -> None:
    page, segmentation = segmented(html)
    document = block_map(page, segmentation)
    assert tree_of_copy(document).text() == page.tree.text()


def test_where_the_parser_would_move_text_our_own_names_are_used() -> None:
    """Deep nesting, made flat in the tree: table parts stand where no source can put them."""
    html = "<div><div>" + "".join(f"<table><tr><td>甲{i}<div>乙{i}" for i in range(300))
    page, segmentation = segmented(html)
    document = block_map(page, segmentation)
    assert FALLBACK in document
    assert tree_of_copy(document).text() == page.tree.text()


def test_document_type_decides_the_layout_and_is_kept() -> None:
    assert view(TABLES).startswith(
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'
    )
    assert view("<!-- x --><!doctype html>x").startswith("<!doctype html>")
    assert view("<p>x").startswith("<html")


@pytest.mark.full
@pytest.mark.shared
def test_real_pages_are_copied_with_their_own_names() -> None:
    bodies = [body for _, body, _ in real_pages("cwced", "magic_forum_zh", "wcxb_en", limit=12)]
    plain = 0
    for body in bodies:
        page = Page.from_bytes(body)
        document = block_map(page, QuarkRecognizer().recognize(page))
        assert tree_of_copy(document).text() == page.tree.text()
        plain += FALLBACK in document
    assert plain <= len(bodies) / 50


def test_no_page_makes_an_expression_run_for_ever() -> None:
    """Comments that no document type follows; an address that does not end."""
    started = time.process_time()
    page = Page.from_html("<!--a-->" * 26 + "<p>x")
    assert PageCopy(page, ElementAttributes()).doctype == ""
    assert "url" in clean_sheet("a{b:url(" + " " * 3000, lambda _: None)
    assert time.process_time() - started < allowed_cpu_s(0.5)


def test_what_may_stand_before_a_document_type() -> None:
    html = "\n<?xml version='1.0'?><!-- over\ntwo lines --> <!doctype html><p>x"
    assert PageCopy(Page.from_html(html), ElementAttributes()).doctype == "<!doctype html>"


def test_addresses_in_style_sheets() -> None:
    for written in ("url( a.png )", "url('a.png')", 'url("a.png" )', "URL(\n' a.png')"):
        cleaned = clean_sheet(f"b{{c:{written}}}", lambda address: f"http://a.cn/{address}")
        assert cleaned == 'b{c:url("http://a.cn/a.png")}'


def test_copying_takes_time_in_proportion_to_the_page() -> None:
    def seconds(n_elements: int) -> float:
        copy = PageCopy(Page.from_html("<b>x</b>" * n_elements), ElementAttributes())
        started = time.process_time()
        assert copy.text
        return time.process_time() - started

    assert seconds(40_000) < 30 * max(seconds(4_000), 0.01)


@pytest.mark.parametrize("html", [HOSTILE, HOSTILE_LOOKS])
def test_what_is_let_through_names_nothing_to_load(html: str) -> None:
    """The lists alone, without the writer that puts the tree in front of them."""
    cleaned = clean(html.replace("§", "http://evil.cn"), frozenset(), lambda _: None)
    check_harmless(f"<title>{cleaned}")
    tree = PageTree.parse(f"<body>{cleaned}")
    for node in range(len(tree)):
        for name, value in tree.attrs(node).items():
            # There is no function "none"; a text that is not ended is only a text.
            left = re.sub(r"none\([^)]*\)|'[^']*$", "", value)
            assert "evil.cn" not in left or name in {"href", "class", "alt"}, (name, value)


@pytest.mark.parametrize("css", [
    "@import 'http://evil.cn/a.css';", '@import"http://evil.cn/a.css"', "@import/**/url(http://evil.cn/a)",
    "@IMPORT 'http://evil.cn/a.css", "@\\69mport 'http://evil.cn/a.css'", "b{c:u\\72 l(http://evil.cn/a)}",
    "b{c:\\url(http://evil.cn/a)}", "b{c:url(http://evil.cn/a", "b{c:url('http://evil.cn/a", "b{c:ur/**/l('//evil.cn')}",
    'b{c:url("http://evil.cn/a\\"x")}', "b{c:image-set('http://evil.cn/a' 1x)}",
    "b{c:src('http://evil.cn/a')}", "b{c:url(  http://evil.cn/a\\) )}",
    "b{c:URL(http\\:\\/\\/evil.cn)}", "@import url('http://evil.cn/a') screen;",
])  # fmt: skip
def test_no_style_sheet_loads_anything(css: str) -> None:
    """Read as CSS, each address that is left stands in no place from which browsers load."""
    cleaned = clean_sheet(css, lambda _: None)
    assert re.findall(r"(?i)url\(", cleaned) == re.findall(r'url\((?="data:,"\))', cleaned)
    assert not re.search(
        r"(?i)@import\s*[^u\s]|(?:image-set|src|image)\(|\\\\[a-z0-9]*[a-z]\(", cleaned
    )


def test_letters_of_other_escapes_stay_what_they_are() -> None:
    for css in (
        'b::before{content:"\\201C \\"x"}',
        "b{color:red\\9}",
        ".a\\:b{}",
        "b{c:'\\\\75 x'}",
    ):
        assert clean_sheet(css, lambda _: None) == css
