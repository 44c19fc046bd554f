"""Formulas as TeX, once each."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.tree.mathml import cleaned
from tests.page.samples import markup
from tests.page.tree.formulapages import formula_pages, formulas_of
from tests.profiles import examples

PAGES = formula_pages()


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_each_formula_once(page):
    tree = PageTree.parse(page.html)
    sign = "$$" if "display" in page.name or "block" in page.name else "$"
    assert formulas_of(tree) == [f"{sign}{page.tex}{sign}"]
    content = qc.extract(page.html)
    line = f"这里的公式是 {sign}{page.tex}{sign} ，下面解释它为什么成立，以及怎样使用它。"
    for text in (content.text, content.markdown, qc.extract(page.html, method="rules").text):
        assert text.count(page.tex) == 1
        assert text.split("\n").count(line) == 1
        assert "preview" not in text
    assert {"kind": "paragraph", "text": line} in content.structure


def test_there_are_sixty_pages():
    assert len(PAGES) >= 60


def test_elements_and_links_stay_what_they_are():
    for page in PAGES:
        with_formulas, tree = PageTree.parse(page.html), PageTree.parse(page.html.replace("$", ""))
        assert with_formulas.tags == tree.tags
        assert (with_formulas.end - tree.end).any() == np.False_


def test_other_text_is_located():
    page = Page.from_html(PAGES[0].html)
    for number, run in enumerate(page.tree.runs):
        start = page.spans.start[number]
        assert start < 0 or page.html[start : page.spans.end[number]] == run
    assert sum(page.spans.start >= 0) >= 5


def test_formulas_next_to_each_other_are_two():
    math = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x</annotation></semantics></math>"
    assert formulas_of(PageTree.parse(f"<p>{math}{math}")) == ["$x$", "$x$"]
    script = "<script type='math/tex'>x</script>"
    assert formulas_of(PageTree.parse(f"<p>{script} und {script}")) == ["$x$", "$x$"]


def test_markup_in_tex_is_no_markup():
    tex = r"a_{1}*b_{2}*c \\ \left[ x \right] | `y` <z> ~ \#"
    html = f"<script type='math/tex'>{tex}</script>"
    text = "在湖边读书，请大家自带书和水，下雨就改到图书馆三楼。"
    content = qc.extract(f"<title>a</title><p>{text}</p><p>{text}一 {html} 二</p><p>{text}</p>")
    assert f"${tex}$" in content.markdown
    table = "<table><tr><th>a<th>b<tr><td>1<td><script type='math/tex'>|x|</script></table>"
    tree = PageTree.parse(f"<p>{text}{table}")
    markdown = qc.content.markdown.markdown_of(tree, ~tree.run_raw)
    assert r"| 1 | $\vert x\vert $ |" in markdown


@pytest.mark.parametrize(
    ("stated", "tex"),
    [
        (r"{\displaystyle x^{2}}", "x^{2}"),
        (r"{\displaystyle a}+{b}", r"{\displaystyle a}+{b}"),
        ("$$ x $$", "x"),
        (r"\(x\)", "x"),
        ("a\n  &lt; b", "a < b"),
        ("$", "$"),
    ],
)
def test_cleaned(stated, tex):
    assert cleaned(stated) == tex


@pytest.mark.parametrize(
    "html",
    [
        "<math>nothing</math>",
        "<math><mi>a</mi> text</math>",
        "<math><mfrac><mi>a</mi></mfrac></math>",
        "<p>katex is a program; it costs $5 and $6",
        "<script src=MathJax.js></script><pre>$x^2$</pre><code>\\(a\\)</code>",
        "<span class=MathJax_Preview>x2</span> latex",
        "<img class=latex src=a alt=''> <img alt='$5' src=b> <img class=photo alt='a=b'> latex",
    ],
)
def test_what_is_no_formula_stays(html):
    tree, plain = (
        PageTree.parse(html),
        PageTree.parse(html.replace("katex", "kat").replace("MathJax", "M")),
    )
    assert formulas_of(tree) == []
    assert len(tree.runs) == len(plain.runs)


TAGS = """
    math mrow mi mn mo msup msub mfrac msqrt mtable mtr mtd mover semantics annotation span p script
    img mjx-container div
"""
NAMES = TAGS.split()
ATTRS = ["", " class=katex", " class=MathJax", " class=MathJax_Preview", " type=math/tex", " alt='$x$'",
         " encoding=application/x-tex", " display=block", " class='mwe-math-element'"]  # fmt: skip
PIECES = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(NAMES), st.sampled_from(ATTRS)),
    st.builds("</{}>".format, st.sampled_from(NAMES)),
    st.sampled_from(
        [
            "x",
            " ",
            "{\\displaystyle y}",
            "∑",
            "\\(z\\)",
            "$$",
            "&amp;",
            "latex",
            "<script src=MathJax.js></script>",
        ]
    ),
)


@given(st.lists(PIECES, max_size=40))
@settings(max_examples=examples(300))
def test_any_formulas(pieces):
    html = "".join(pieces)
    tree = PageTree.parse(html)
    assert len(tree.marks) == 2 * len(tree)
    assert tree.run_start[0] == 0
    assert tree.run_end[0] == len(tree.runs) == len(tree.run_node)
    for node in range(len(tree)):
        assert tree.run_start[node] <= tree.run_end[node]
    page = Page.from_html(html)
    assert len(page.spans.start) == len(tree.runs)
    content = qc.extract(html)
    assert content.failure is None
    assert isinstance(content.markdown, str)


@given(markup)
@settings(max_examples=examples(100))
def test_any_markup(html):
    PageTree.parse(html + "<math><script src=katex.js></script>")


@pytest.mark.full
def test_hostile_formulas_cost_little():
    for piece in (
        "<math><mrow>", "<span class=katex>", "<span class=MathJax>", "<math><mi>x</mi>", "\\(a", "$a ",
        "<script type=math/tex>x</script>", "<img class=tex alt='$'>", "<math><mi>x</math>", "<mjx-container>",
    ):  # fmt: skip
        html = "<script src=mathjax></script><p>" + piece * 20_000
        start = time.process_time()
        PageTree.parse(html)
        assert time.process_time() - start < 4, piece
