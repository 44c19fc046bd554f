"""Marked beside extracted text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content import Content, Extraction, extract
from quarkcrawl.lab.evaluate.extractors.plaintext import comparable, score_text
from quarkcrawl.lab.gold.marks import read_marks
from quarkcrawl.page import Page, PageTree
from quarkcrawl.workbench.report import comparison_view
from tests.profiles import examples
from tests.workbench.report.pages import TABLES, TEXT

MARKED = TABLES.replace("<p>", '<p quark="content">').replace("<h1>", "<h1 quark=content>")


def sides(document: str) -> tuple[str, str]:
    """Text of the two columns."""
    tree = PageTree.parse(document)
    left, right = (n for n in tree.nodes("div") if tree.attr(n, "class") == "text")
    return tree.text(left), tree.text(right)


def numbers(document: str) -> list[float]:
    """Marked, extracted, common, missing, extra, precision, recall, F1."""
    tree = PageTree.parse(document)
    return [float(tree.text(cell).replace(",", "")) for cell in tree.nodes("td")]


def marked_as(document: str, tag: str) -> str:
    tree = PageTree.parse(document)
    in_columns = {n for d in tree.nodes("section") for n in range(d, tree.end[d])}
    return "".join(tree.text(n) for n in tree.nodes(tag) if n in in_columns)


def test_plain_text() -> None:
    document = comparison_view("春天来了。版权所有", "标题一行\n春天来了。", title="<天>")
    assert numbers(document) == [9, 9, 5, 4, 4, 0.556, 0.556, 0.556]
    assert marked_as(document, "del") == "标题一行\n"
    assert marked_as(document, "ins") == "版权所有"
    assert "&lt;天&gt;" in document
    assert sides(document) == ("标题一行\n春天来了。", "春天来了。版权所有")


@settings(max_examples=examples(200))
@given(
    st.text("天网搜 \n<&>索ＡA①ﬁ\u3000\r", max_size=30), st.text("天网 \n搜索A1f<>i", max_size=30)
)
def test_scores_are_those_of_the_evaluation(extracted: str, gold: str) -> None:
    document = comparison_view(extracted, gold)
    n_marked, n_extracted, _, _, _, *score = numbers(document)
    expected = score_text(extracted, gold)
    assert n_marked == len(comparable(gold))
    assert n_extracted == len(comparable(extracted))
    assert score == [round(x, 3) for x in (expected.precision, expected.recall, expected.f1)]
    left, right = sides(document)
    assert "".join(left.split()) == (comparable(gold) or "(nothing)")
    assert "".join(right.split()) == (comparable(extracted) or "(nothing)")


def test_runs_of_a_marked_page() -> None:
    gold = read_marks(Page.from_html(MARKED), "page")
    tree = gold.page.tree
    wrong = gold.run_is_content.copy()
    title = next(n for n, run in enumerate(tree.runs) if run == "樱花开了" and not tree.run_raw[n])
    copyright_run = next(n for n, run in enumerate(tree.runs) if "版权所有" in run)
    wrong[title], wrong[copyright_run] = False, True
    document = comparison_view(Content(Extraction(gold.page, "test", text="x", runs=wrong)), gold)
    n_body = 7 * len(TEXT)
    n_extra = len("版权所有©2005<校报>")
    found = numbers(document)
    assert found[:5] == [n_body + 4, n_body + n_extra, n_body, 4, n_extra]
    assert found[5] == round(n_body / (n_body + n_extra), 3)
    assert marked_as(document, "del").strip() == "樱花开了"
    assert marked_as(document, "ins") == "版权所有 © 2005 <校报>"


def test_a_text_is_compared_with_the_marked_text() -> None:
    gold = read_marks(Page.from_html(MARKED), "page")
    document = comparison_view(f"樱花开了\n{TEXT * 4}\n{TEXT * 3}", gold)
    assert numbers(document)[5:] == [1, 1, 1]


def test_gold_text_with_the_headline() -> None:
    content = extract(TABLES)
    gold = f"{content.title}\n{content.text}"
    assert numbers(comparison_view(content, gold, with_title=True))[7] == 1
    assert numbers(comparison_view(content, gold))[6] < 1


@pytest.mark.parametrize(("extracted", "gold"), [("", ""), ("天", ""), ("", "网")])
def test_nothing(extracted: str, gold: str) -> None:
    document = comparison_view(extracted, gold)
    assert numbers(document)[5:] == [0, 0, 0]
    assert "(nothing)" in document


def test_long_texts_are_cut_as_in_the_evaluation() -> None:
    document = comparison_view("天网" * 40_000, "天网" * 40_000)
    assert numbers(document)[:3] == [60_000, 60_000, 60_000]
    assert "cut after 60,000" in document
    assert len(sides(document)[0]) == 60_000


def test_markup_in_texts_stays_text() -> None:
    document = comparison_view(
        "<script>x</script>", "<img src=x onerror=y>", title="</title><script>"
    )
    assert not {"script", "img"} & set(PageTree.parse(document).tags)
    assert "script-src" not in document
    assert re.search("Content-Security-Policy\" content=\"default-src 'none'", document)
