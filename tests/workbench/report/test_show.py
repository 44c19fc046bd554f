"""What notebooks show of blocks and content."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content import Content, Extraction, extract
from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment.show import escape, shortened
from tests.page.samples import markup
from tests.profiles import examples
from tests.workbench.report.pages import HOSTILE, TABLES, segmented

SAFE = {
    "html", "head", "body", "table", "thead", "tbody", "tr", "th", "td", "p", "article", "h3",
    "ul", "li", "div",
}  # fmt: skip


def check_safe(shown: str) -> PageTree:
    tree = PageTree.parse(shown)
    assert set(tree.tags) <= SAFE
    for node in range(len(tree)):
        assert tree.attrs(node).keys() <= {"style", "scope", "tabindex"}
        assert "url" not in tree.attrs(node).get("style", "")
    return tree


@given(st.text(st.characters(codec=None), max_size=30))
def test_escaped_text_reads_as_itself(text: str) -> None:
    expected = (
        text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
    tree = PageTree.parse(f'<p title="{escape(text)}">x{escape(text)}</p>')
    assert tree.text() == f"x{expected}"
    assert tree.attr(tree.nodes("p")[0], "title") == expected


def test_a_segmentation_shows_its_blocks() -> None:
    _, segmentation = segmented(TABLES)
    tree = check_safe(segmentation._repr_html_())
    rows = [tree.text(node) for node in tree.nodes("tr")[1:]]
    assert len(rows) == len(segmentation)
    for row, block in zip(rows, segmentation, strict=True):
        assert row.startswith(f"{block.number}not labelled{block.path}{block.n_chars}")


def test_a_block_shows_itself() -> None:
    _, segmentation = segmented(TABLES)
    labeled = segmentation.with_kinds(["rel_link"] * len(segmentation))
    shown = labeled[1]._repr_html_()
    assert len(check_safe(shown).nodes("tr")) == 2
    assert "related links" in shown


def test_of_many_blocks_the_first_are_shown() -> None:
    text = "天网搜索引擎，北京大学。" * 20
    _, segmentation = segmented(f"<div>{text}</div>" * 205)
    shown = segmentation._repr_html_()
    assert len(check_safe(shown).nodes("tr")) == 201
    assert "… and 5 more blocks" in shown


def test_content_shows_itself() -> None:
    content = extract(TABLES, "http://www.a.cn/")
    tree = check_safe(content._repr_html_())
    assert content.text in tree.text()
    assert content.title in tree.text()
    assert f"{len(content.text)} characters by method" in tree.text()


def test_long_content_is_cut() -> None:
    page = Page.from_html("")
    content = Content(Extraction(page, "test", text="天" * 30_000, failure="<x>"))
    text = check_safe(content._repr_html_()).text()
    assert text.count("天") == 20_000
    assert "10000 more characters" in text
    assert "failed: <x>" in text


@settings(max_examples=examples(50))
@given(markup)
def test_soup_is_shown_safely(html: str) -> None:
    content = extract(html)
    check_safe(content._repr_html_())
    check_safe(content.segmentation._repr_html_())


def test_a_hostile_page_is_shown_safely() -> None:
    content = extract(HOSTILE.replace("§", "http://evil.cn"))
    check_safe(content._repr_html_())
    check_safe(content.segmentation._repr_html_())


def test_shortened() -> None:
    assert shortened(" 天\n 网 ", 3) == "天 网"
    assert shortened("天网搜索", 3) == "天网…"
    assert shortened("天" + " " * 99 + "网", 9) == "天…"
