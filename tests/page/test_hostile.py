"""Markup made to hurt: the cost must grow with the size of the page, not with its square."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import tokenize

from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.tree.parse import (
    ATTRIBUTE_BYTES,
    ELEMENT_BYTES,
    MAX_DOUBTFUL,
    MAX_ROOTS,
    bound_formatting,
    bound_links,
    bound_roots,
    count_tags,
    tag_size,
    without_foreign_templates,
)
from tests.cost import allowed_cpu_s
from tests.page.samples import SIMPLIFIED
from tests.page.tree.test_tree import check_structure
from tests.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable

CASES: dict[str, Callable[[int], str]] = {
    "nested div": lambda n: "<div>" * n,
    "nested text": lambda n: "<div>x" * n,
    "nested lists": lambda n: "<ul><li>" * (n // 2),
    "nested definition lists": lambda n: "<dl><dd>" * (n // 2),
    "nested forms": lambda n: "<form><div>" * (n // 2),
    "nested tables": lambda n: "<table><tr><td>" * (n // 3),
    "unknown names": lambda n: "".join(f"<x{i}>" for i in range(n)),
    "attributes": lambda n: "<div " + " ".join(f"a{i}=1" for i in range(n)) + ">",
    "unclosed b": lambda n: "<b>x<p>" * (n // 2),
    "unclosed font": lambda n: "".join(f"<font size={i}>x<p>" for i in range(n // 2)),
    "unclosed a": lambda n: "<a href=x>x<p>" * (n // 2),
    "i around div": lambda n: "".join(f"<i a={i}><div>" for i in range(n // 4)) + "</i>" * (n // 4),
    "foster parents": lambda n: "<table>" + "<div>x" * n,
    "end tags": lambda n: "<div>" * (n // 2) + "</span>" * (n // 2),
    "NUL": lambda n: "\0<div>\0" * n,
    "surrogates": lambda n: "\ud800<p a=\udc00>" * n,
    "less-than": lambda n: "<" * n + "x",
    "ampersands and less-thans": lambda n: "<p>" + "&amp; < " * n,
    "comments": lambda n: "<!--" * n,
    "svg": lambda n: "<svg><foreignObject>" * (n // 2),
    "templates": lambda n: "<template>" * n,
    "text": lambda n: "中文的 text " * n,
    "many titles": lambda n: "<svg><title>x</title></svg>" * (n // 4),
    "quotes": lambda n: "<a href='" * n,
    "marks": lambda n: "<p>>" * n,
    "formatting with many attributes": lambda n: f"<p><font{attributes(n)}>" + "<p>x" * (n // 4),
    "link with many attributes": lambda n: f"<p><a{attributes(n)}>" + "<p>x" * (n // 4),
    "nobr with many attributes": lambda n: f"<p><nobr{attributes(n)}>" + "<p>x" * (n // 4),
    "nobr out of scope": lambda n: (
        "<table>"
        + "".join(f"<nobr b={i}{attributes(100)}><math><mi>" for i in range(n // 800))
        + "<tr></table>"
        + "<p>x" * (n // 5)
    ),
    "nobr in tables": lambda n: (
        "<div>"
        + "".join(f"<nobr a={i}><table><nobr></table>" for i in range(n // 40))
        + "</div>"
        + "<p>x" * (n // 5)
    ),
    "links that never end": lambda n: "<a x y>" * n,
    "formatting that holds formatting": lambda n: (
        "".join(f"<b a={i}>" for i in range(n // 2)) + "</b>" * (n // 2)
    ),
    "long value": lambda n: f"<p><a title='{'x' * 2 * n}'>" + "<p>x" * (n // 4),
    "ends in cells": lambda n: (
        "".join(f"<b a={i}><table><td></b></table>" for i in range(n // 16)) + "<p>x" * (n // 4)
    ),
    "ends in comments": lambda n: (
        "".join(f"<b a={i}><!--</b>-->" for i in range(n // 8)) + "<p>x" * (n // 4)
    ),
    "formatting that a raw text hides": lambda n: (
        "<iframe/>" + "".join(f"<b a={i}>" for i in range(n // 8)) + "<p>x" * (n // 4)
    ),
    "tags in values": lambda n: "<p>" + "<i/x=" * n + "><p>x" * (n // 4),
    "body again": lambda n: "".join(f"<body a{i}>" for i in range(n)),
    "html again": lambda n: "".join(f"<html a{i}>" for i in range(n)),
    "refresh": lambda n: f"<meta http-equiv=refresh content='5{' ' * n}'>",
}


def attributes(n: int) -> str:
    """So many attributes of a start tag."""
    return "".join(f" a{i}" for i in range(n))


def work(html: str) -> float:
    """CPU seconds for everything the crawl and the analysis ask of a page."""
    started = time.process_time()
    page = Page.from_html(html, "http://a.cn/")
    tree = page.tree
    assert len(tree.run_node) == len(tree.runs)
    assert tree.text_chars[0] == tree.own_chars.sum()
    assert tree.depth.max() <= 512
    _ = tree.title, page.links, tree.link_count, page.spans
    tree.path(len(tree) - 1)
    return time.process_time() - started


@pytest.mark.full
@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("name", CASES)
def test_cost_grows_linearly(name: str) -> None:
    """Eight times the size may cost at most 24 times (a square would be 64), plus noise."""
    work(CASES[name](1_000))
    small = min(work(CASES[name](5_000)) for _ in range(2))
    large = min(work(CASES[name](40_000)) for _ in range(2))
    assert large <= 24 * small + 0.25


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_two_hundred_thousand(name: str) -> None:
    assert work(CASES[name](200_000)) < 10


@pytest.mark.usefixtures("without_gc")
def test_two_hundred_thousand_nested_tags_within_a_second() -> None:
    html = "<div>" * 200_000
    started = time.process_time()
    tree = PageTree.parse(html)
    assert (len(tree), int(tree.depth.max())) == (200_003, 512)
    assert time.process_time() - started < allowed_cpu_s(0.3)


@pytest.mark.slow
def test_twenty_megabytes_of_text() -> None:
    page = Page.from_bytes("中文的文字 ".encode() * 1_250_000, "http://a.cn/")
    assert page.tree.text_chars[0] == 5 * 1_250_000
    assert page.spans.byte_end[0] == len(page.body)


@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("codec", ["utf-8", "gb18030"])
def test_offsets_of_a_body_that_is_mostly_damage(codec: str) -> None:
    def cost(n: int) -> float:
        page = Page.from_bytes((SIMPLIFIED.encode(codec) + b"\xff\xff\xffab") * n)
        started = time.process_time()
        assert page.spans.byte_end.max() == len(page.body)
        return time.process_time() - started

    assert cost(2_000) <= 24 * cost(250) + 0.25


@pytest.mark.full
def test_more_tags_than_anyone_needs_are_cut() -> None:
    tree = PageTree.parse("<br>" * 1_200_000)
    assert len(tree) == 1_000_003


def test_reopened_elements_stay_bounded() -> None:
    tree = PageTree.parse("".join(f"<font size={i}>x<p>" for i in range(20_000)))
    assert len(tree) < 1_000_000
    assert tree.text_chars[0] == 20_000


def test_ordinary_pages_keep_their_formatting_elements() -> None:
    html = "".join(
        f"<font size={i}>x</font><b class={i}>y</b><strong id={i}><a href='/x>'>t</a><br></strong><p>"
        for i in range(5_000)
    )
    assert bound_formatting(html, 4 * ELEMENT_BYTES) == html
    assert PageTree.parse(html).nodes("font")[4_999:] != []


def test_bound_counts_like_the_list_of_active_elements() -> None:
    one = tag_size("<b 1>", 0)[1]
    same = f"<b>{'<b>' * 9}"
    assert bound_formatting(same, 3 * one) == same
    assert bound_formatting("<b 1><b 2><i 3><b 4>x", 3 * one) == "<b 1><b 2><i 3><span 4>x"
    assert bound_formatting("<b 1></b><B 3></b>", one) == "<b 1></b><B 3></b>"


def test_formatting_elements_that_end_are_bounded_too() -> None:
    """Their end tags may be ignored where they stand."""
    one = tag_size("<b 1>", 0)[1]
    first = "".join(f"<b {i}><td></b>" for i in range(MAX_DOUBTFUL))
    assert bound_formatting(f"{first}<b 9></b>", one) == f"{first}<span 9></b>"
    for harmless in ("".join(f"<b {i}>x</b>" for i in range(10)), "<b 1><td></b>" * 20):
        assert bound_formatting(harmless, 3 * one) == harmless


def test_links_are_bounded_one_by_one() -> None:
    small, large = "<a href=x>", f"<A\n{'b ' * 50}>"
    size = tag_size(large, 0)[1]
    assert bound_links(small * 50 + large, size) == small * 50 + large
    assert bound_links(small + large + "<b></a>", size) == small + large + "<b></a>"
    assert bound_links(small + large + "<p></a>", size - 1) == f"{small}<span\n{'b ' * 50}><p></a>"
    assert bound_links(small + large + "x<i>y</i></a>", size - 1) == f"{small}{large}x<i>y</i></a>"
    assert bound_links("<abbr x><a>", 1) == "<abbr x><a>"


def test_letters_that_only_look_like_ascii_are_no_formatting() -> None:
    for letters in ("<ı>", "<ſ>", "<ſmall a=1></ſmall>", "<ı x></ı>"):
        assert bound_formatting(letters, 1) == letters
        assert PageTree.parse("<p>x" * 20_000 + letters).text_chars[0] >= 20_000


def test_what_tags_cost_does_not_overflow() -> None:
    n_tags, n_bytes, *_ = count_tags("<i/" * 100_000)
    assert n_tags == 100_000
    assert 100_000 << 8 < n_bytes < 1 << 52


def test_ordinary_long_links_stay() -> None:
    html = f"<p><a href=x title='{'x' * 3_000}'>y" + "<p>z" * 2_000
    assert len(PageTree.parse(html).nodes("a")) == 2_001


def test_later_roots_are_ignored() -> None:
    first = "<body a=1>" * MAX_ROOTS
    assert bound_roots(first + "<BODY b=2>x<html>") == first + "<head b=2>x<html>"
    tree = PageTree.parse(first + "<body b=2><p>x</p><html c=3>y")
    assert (tree.text(), tree.tags.count("head")) == ("xy", 1)
    assert dict(tree.all_attrs[tree.tags.index("body")]) == {"a": "1"}
    assert bound_roots("<body a>") == "<body a>"


PIECES = st.sampled_from(
    [" ", "\n", "\x0b", "/", "=", "a", "b", "中", "'", '"', ">", "<", "\u3000"]
)


@settings(max_examples=examples(400))
@given(st.lists(PIECES, max_size=16).map("".join))
def test_size_of_a_tag_is_that_of_the_parser(inside: str) -> None:
    """turbohtml's tokenizer tells where the tag ends; it drops attributes named twice."""
    html = f"<a {inside}>'>\">"
    token = next(tokenize(html, capture_source=True))
    chars, size = tag_size(html, 0)
    n_attrs, rest = divmod(size - ELEMENT_BYTES - chars, ATTRIBUTE_BYTES)
    assert rest == 0
    if token.tag:
        assert html[:chars] == token.source
        assert n_attrs >= len(token.attrs or ())


CRASHES = [
    "<svg><template><desc><x></template><i><p></i>",
    "<math><template><mi><p></template><i><p></i>",
    "<SVG/><TEMPLATE><foreignObject><annotation-xml></Template><i><h1></i>",
    "<svg><!--</svg>--><template><desc><x></template><i><p></i>",
    "<math><template shadowrootmode=open><mi><form><svg></template><b><b></b><div></b>",
]


@pytest.mark.full
@pytest.mark.parametrize("html", CRASHES)
def test_templates_in_pictures_do_not_crash_the_process(html: str) -> None:
    """In a process of its own: on turbohtml 1.15.4 these are segmentation faults."""
    script = f"from quarkcrawl.page import PageTree\nfor _ in range(50): PageTree.parse({html!r})"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_only_templates_behind_pictures_are_renamed() -> None:
    html = "<template><svg></svg></template><template>x</template></template>"
    assert without_foreign_templates(html) == (
        "<template><svg></svg></template><datalist>x</datalist></template>"
    )
    assert without_foreign_templates("</svg><template>") == "</svg><template>"
    tree = PageTree.parse("<svg></svg><template><p>x</p></template><p>y")
    assert tree.text() == "y"


FORMATTING = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
NAMES = [
    *FORMATTING.split("|"),
    "a",
    "Nobr",
    "body",
    "HTML",
    "abbr",
    "svg",
    "Math",
    "template",
    "span",
    "TT",
    "Small",
]
TAGS = st.tuples(
    st.sampled_from(["<", "</", "<<", "< ", ""]),
    st.sampled_from(NAMES),
    st.sampled_from([" ", "/", ">", "\n", "\v", "\u3000", "<", ""]),
)


@settings(max_examples=examples(200))
@given(st.lists(TAGS.map("".join), max_size=9).map("".join))
def test_no_tag_that_matters_is_missed_by_its_first_letters(html: str) -> None:
    n_tags, n_bytes, link_bytes, *at_most = count_tags(html)
    patterns = (r"<(?:html|body)[\s/]", "<(?:svg|math)", "<template")
    found = [len(re.findall(pattern, html, re.IGNORECASE)) for pattern in patterns]
    assert n_tags == html.count("<")
    assert all(most >= n for most, n in zip(at_most, found, strict=True))
    starts = re.finditer(rf"<(?:{FORMATTING})[ \n/]", html, re.IGNORECASE | re.ASCII)
    assert n_bytes == sum(tag_size(html, match.start())[1] for match in starts)
    links = re.finditer(r"<a[ \n/]", html, re.IGNORECASE)
    assert link_bytes == max((tag_size(html, match.start())[1] for match in links), default=0)
    assert bound_links(bound_formatting(html, 1), 1).count("<") == n_tags


@given(st.lists(st.sampled_from(["<div>", "</div>", "x", "<b>", "</b>", "<p>"]), max_size=40))
@settings(max_examples=examples(30))
def test_structure_at_the_depth_limit(pieces: list[str]) -> None:
    check_structure(PageTree.parse("<div>" * 508 + "".join(pieces)))
