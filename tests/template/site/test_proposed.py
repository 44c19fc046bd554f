"""Whether a rule is proposed for the whole site, or for the page on which a block was seen."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.content import Content, Extraction
from quarkcrawl.page import Page
from quarkcrawl.segment import lines_of, segmentation_of
from quarkcrawl.template.site import SiteRule, proposed_rule
from tests.corpus.sitepages import NOTICE, paragraphs

HOST = "a.cn"
SAME = [f"<p>{NOTICE}</p>"] * 4
OWN = [f"<p>第{n}张照片由本报记者在第{n}号大楼前拍摄，照片里是{n}位居民。</p>" for n in range(4)]
LINKS = [f"<a href=/{n}>第{n}篇文章的后续报道和评论之一</a>" for n in range(4)]
CHOICES = [f"<select><option>第{n}版的所有文章<option>第{n}版的图片</select>" for n in range(4)]
ALL, FIRST = [True] * 4, [True, False, False, False]


def read(number: int, note: str, *, is_content: bool, url: str = "") -> Content:
    """As if a method had taken the article, and the note below it or not."""
    text = "".join(f"<p>{one}</p>" for one in paragraphs(number))
    html = f"<title>题</title><body><div class=text>{text}</div><div class=note>{note}</div>"
    page = Page.from_html(html, url or f"http://{HOST}/{number}.html")
    tree = page.tree
    note_node = next(n for n in range(len(tree)) if ("class", "note") in tree.raw_attrs(n))
    runs = ~tree.run_raw & (tree.run_chars > 0)
    if not is_content:
        runs[tree.run_start[note_node] : tree.run_end[note_node]] = False
    return Content(Extraction(page, "made", text=lines_of(tree, runs), runs=runs))


def proposed(kind: str, notes: list[str], is_content: list[bool]) -> SiteRule:
    first, *others = (
        read(number, note, is_content=is_taken)
        for number, (note, is_taken) in enumerate(zip(notes, is_content, strict=True))
    )
    return proposed_rule(first, note_block(first), kind, others, host=HOST)


def note_block(content: Content) -> int:
    cut, tree = segmentation_of(content.page), content.page.tree
    return int(cut.run_block[np.flatnonzero(tree.run_chars)[-1]])


@pytest.mark.parametrize(
    ("kind", "notes", "is_content", "is_page_only"),
    [
        ("noise", SAME, ALL, False),
        ("noise", CHOICES, ALL, False),
        ("noise", OWN, ALL, True),  # may be the text on other pages
        ("noise", LINKS, ALL, True),  # may be a list that is content
        ("noise", SAME, FIRST, True),  # the method tells pages apart
        ("noise", SAME, [True, True, True, False], False),
        ("content", OWN, [False] * 4, False),
        ("content", OWN, [False, True, True, True], False),
        ("content", SAME, [False] * 4, True),
        ("content", LINKS, [False] * 4, True),
        ("content", CHOICES, [False] * 4, True),
    ],
)
def test_what_speaks_against_a_rule_for_the_site_leaves_it_to_the_page(
    kind, notes, is_content, is_page_only
):
    rule = proposed(kind, notes, is_content)
    assert rule.page_only == is_page_only
    assert (rule.select, rule.page) == ("div.note", f"http://{HOST}/0.html")


def test_without_other_pages_only_controls_are_noise_of_the_site():
    for notes, is_page_only in ((SAME, True), (OWN, True), (CHOICES, False)):
        assert proposed("noise", notes[:1], [True]).page_only == is_page_only
    assert not proposed("content", OWN[:1], [False]).page_only


def test_half_of_the_text_is_enough():
    mixed = [f"<p>{NOTICE}</p><p>{'别' * (len(NOTICE) - 20)}{n}</p>" for n in range(4)]
    assert not proposed("noise", mixed, ALL).page_only
    mixed = [f"<p>{NOTICE}</p><p>{'别' * (len(NOTICE) + 20)}{n}</p>" for n in range(4)]
    assert proposed("noise", mixed, ALL).page_only


def test_a_page_without_address_cannot_be_named():
    page = read(0, OWN[0], is_content=True).page
    unnamed = Page.from_html(page.html)
    runs = ~unnamed.tree.run_raw
    content = Content(Extraction(unnamed, "made", text="", runs=runs))
    rule = proposed_rule(content, note_block(content), "noise", host=HOST)
    assert (rule.page, rule.page_only) == ("", False)
