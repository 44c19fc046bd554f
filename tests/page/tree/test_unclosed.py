"""Elements of raw text and comments that are never closed and would take a whole page."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.tree import unclosed
from tests.page.samples import markup
from tests.profiles import examples

NAMES = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
LEAD = "<p>天网收集网页。</p>\n"
REST = "\n<div class=post><p>周六下午在湖边读书，请自带书。</p><a href=/2>下一页</a></div>" * 8
SHOWN = "周六下午在湖边读书，请自带书。"


def shown(html: str) -> str:
    return PageTree.parse(html).text()


@pytest.mark.parametrize("name", [*NAMES, "noscript"])
@pytest.mark.parametrize("start", ["<{}/>", "<{} src='a' />", "<{}>", "<{} id=x>"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_rest_of_the_page_is_shown(name, start, newline):
    html = f"<body>{LEAD}{start.format(name)}{REST}</body></html>".replace("\n", newline)
    tree = PageTree.parse(html)
    assert tree.text().count(SHOWN) == 8
    assert tree.text().count("天网收集网页。") == 1
    assert tree.unclosed == ("" if name == "noscript" else name)
    assert len(tree.link_nodes) == 8


@pytest.mark.parametrize("name", NAMES)
def test_a_page_cut_within_an_element_keeps_what_stands_before_it(name):
    for inner in ("var a = 1; " * 40, "周六下午 " * 40, "p{color:red}\n" * 40):
        tree = PageTree.parse(f"<body>{LEAD}<{name}>{inner}")
        assert "天网收集网页。" in tree.text()
        assert tree.unclosed == ""


@pytest.mark.parametrize("name", NAMES)
def test_whole_elements_stay_as_they_are(name):
    inner = "<b>周六下午</b> " * 40
    tree = PageTree.parse(f"<body>{LEAD}<{name}>{inner}</{name}><p>在湖边")
    assert tree.unclosed == ""
    assert "b" not in tree.tags
    assert tree.text().endswith("在湖边")


def test_an_element_that_another_one_of_its_name_ends():
    html = f"{LEAD}<iframe src=a>{REST}<iframe src=b></iframe><p>在湖边"
    tree = PageTree.parse(html)
    assert tree.unclosed == "iframe"
    assert tree.text().count(SHOWN) == 8
    assert tree.text().endswith("在湖边")


def test_a_frame_written_as_xhtml_inside_noscript():
    frame = "<noscript><iframe src='https://tags.example/ns.html' height='0'/></noscript>"
    assert shown(f"<body>{frame}{REST}{frame}{REST}").count(SHOWN) == 16


CUT = {
    "in its text": "<{}>some text that is cu",
    "in its start tag": "<{} src='https://tags.exam",
    "in its name": "<{:.4}",
    "in its end tag": "<{}>text</{:.3}",
    "before markup": "<{}>some text that is cu",
    "by a longer end tag": "<{0}>some text</{0}x>",
}


@pytest.mark.parametrize("name", [*NAMES, "noscript"])
@pytest.mark.parametrize("cut", CUT)
def test_an_element_cut_in_the_middle_keeps_the_rest(name, cut):
    """What Chromium shows is all kept (184 such pages were compared with what it dumps)."""
    piece = CUT[cut].format(name, name)
    ends_page = cut.startswith("in ")
    html = f"<body>{LEAD}{REST}{piece}" if ends_page else f"<body>{LEAD}{piece}{REST}"
    text = shown(html)
    assert text.count("天网收集网页。") == 1
    is_program = name in ("script", "style")
    assert text.count(SHOWN) >= 8 - (is_program and not ends_page)


@pytest.mark.parametrize("name", [*NAMES, "noscript"])
@pytest.mark.parametrize("start", ["<{}/>", "<{} src=x />", "<{} src=x>"])
@pytest.mark.parametrize("place", ["<head>{}</head><body>", "<body>{}"])
def test_an_element_within_noscript_of_a_page_without_line_ends(name, start, place):
    """A browser that runs scripts reads the noscript as text and shows all that follows it."""
    frame = place.format(f"<noscript>{start.format(name)}</noscript>")
    text = shown(f"<html>{frame}{LEAD}{REST}".replace("\n", ""))
    assert text.count("天网收集网页。") == 1
    assert text.count(SHOWN) == 8


@pytest.mark.parametrize("start", ["<!--", "<!-- Anfang ", "<!-- a -- b >"])
def test_a_comment_without_end(start):
    tree = PageTree.parse(f"<body>{LEAD}{start}{REST}")
    assert (tree.unclosed, tree.text().count(SHOWN)) == ("comment", 8)


@pytest.mark.parametrize("end", ["-->", "--!>"])
def test_a_comment_with_end(end):
    tree = PageTree.parse(f"<body>{LEAD}<!--{REST}{end}<p>在湖边")
    assert (tree.unclosed, SHOWN in tree.text()) == ("", False)
    assert PageTree.parse(f"<body>{LEAD}<!-->{REST}").unclosed == ""


def test_programs_that_hold_markup_are_no_pages():
    templates = "var t = '<div><p>a</p></div>' + \"<b></b>\";\n" * 30
    for end in ("", "</script>"):
        tree = PageTree.parse(f"<body>{LEAD}<script>{templates}{end}")
        assert (tree.unclosed, tree.text().split()) == ("", ["天网收集网页。"])
    written = "document.write(`\n<script src=a><\\/script>\n<p>b</p>\n`);\n" * 30
    tree = PageTree.parse(f"<body>{LEAD}<script>{written}</script>")
    assert (tree.unclosed, tree.text().split()) == ("", ["天网收集网页。"])


def test_a_small_part_of_a_page_is_left_to_what_took_it():
    tree = PageTree.parse(f"<body>{REST * 5}<textarea>{REST}")
    assert tree.unclosed == ""


def test_text_of_a_page_read_anew_is_located():
    page = Page.from_html(f"<body>{LEAD}<iframe/>{REST}")
    spans = page.spans
    for number, run in enumerate(page.tree.runs):
        if run.strip():
            assert page.html[spans.start[number] : spans.end[number]] == run


@given(st.lists(st.sampled_from([f"<{name}" for name in NAMES] + ["<!--", "-->", *LEAD, REST])))
@settings(max_examples=examples(200))
def test_closing_never_raises_and_only_adds(pieces):
    html = "".join(pieces)
    repaired, name = unclosed.closed(html)
    assert (repaired == html) == (not name)
    kept = iter(repaired)
    assert all(char in kept for char in html)


@given(markup)
@settings(max_examples=examples(200))
def test_any_page(html):
    PageTree.parse(html + LEAD + "<title/>" + REST)


@pytest.mark.full
def test_many_unclosed_elements_cost_little():
    for name in NAMES:
        for piece in (f"<{name}/><p>", f"<{name}><p>", f"<{name} ", "<!--<p>"):
            html = piece * 60_000 + REST
            start = time.process_time()
            unclosed.closed(html)
            assert time.process_time() - start < 2
