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
from tests.page.tree.formulapages import (
    DELIMITED,
    OTHER_NOTATIONS,
    PROGRAMS,
    around,
    formula_pages,
    formulas_of,
)
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


def assert_one_formula(html, formula):
    """The page has this formula and no other, once in each text, and not escaped."""
    assert formulas_of(PageTree.parse(html)) == [formula]
    content = qc.extract(html)
    line = f"这里的公式是 {formula} ，下面解释它为什么成立，以及怎样使用它。"
    for text in (content.text, content.markdown):
        assert text.split("\n").count(line) == 1
        assert "preview" not in text
        assert "![" not in text


@pytest.mark.parametrize("name", OTHER_NOTATIONS)
def test_other_notations(name):
    markup, formula = OTHER_NOTATIONS[name]
    assert_one_formula(around(markup), formula)


@pytest.mark.parametrize("name", DELIMITED)
def test_tex_between_delimiters(name):
    markup, formula = DELIMITED[name]
    assert_one_formula(around(markup, PROGRAMS[0]), formula)
    assert formulas_of(PageTree.parse(around(markup))) == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_that_set_formulas(program):
    markup, formula = DELIMITED["round"]
    assert_one_formula(around(markup, program), formula)


def test_the_number_of_a_formula_stays():
    html = "<div class='math notranslate'>\n<span class='eqno'>(1)</span>\\[\\begin{split}a\\end{split}\\]</div>"
    assert formulas_of(PageTree.parse(html)) == [r"$$\begin{split}a\end{split}$$"]
    assert "(1)$$" in qc.extract(around(f"</p>{html}<p>")).text


@pytest.mark.parametrize(
    ("markup", "formula"),
    [
        ("$$<br>a_1 = b*c*d<br>+ e % preview<br>$$", "$$a_1 = b*c*d + e$$"),
        (r"\[<br/>a_1<br/>\]", "$$a_1$$"),
        (r"\begin{align}<br>a_1<br>\end{align}", r"$$\begin{align} a_1 \end{align}$$"),
    ],
)
def test_line_breaks_in_formulas(markup, formula):
    html = around(markup, PROGRAMS[0])
    assert formulas_of(PageTree.parse(html)) == [formula]
    content = qc.extract(html)
    for text in (content.text, content.markdown):
        assert text.count(f"这里的公式是 {formula}") == 1
        assert text.count("下面解释") == 1
        assert text.count("$") == 4


def test_formulas_around_line_breaks():
    html = PROGRAMS[0] + "<p>一 $x^2$<br>二 $$<br>y<br>$$ 三<br>$z$ 四<br>五"
    tree = PageTree.parse(html)
    assert tree.runs[-8:] == ["一 ", "$x^2$", "二 ", "$$y$$", " 三", "$z$", " 四", "五"]
    assert formulas_of(PageTree.parse(PROGRAMS[0] + "<p>$$<img src=a>y<br>$$")) == []


@pytest.mark.parametrize(
    ("stated", "tex"),
    [
        (r"{\displaystyle x^{2}}", "x^{2}"),
        (r"{\displaystyle a}+{b}", r"{\displaystyle a}+{b}"),
        ("$$ x $$", "x"),
        (r"\(x\)", "x"),
        ("a\n  &lt; b", "a < b"),
        ("$", "$"),
        ("% a\nx", "x"),
        ("5\\% b", "5\\% b"),
        ("5% b", "5% b"),
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
        "<script src=MathJax.js></script><pre><span>$a_1*b$</span></pre>",
        "<script>if (window.MathJax == 1) {}</script><p>$a_1*b$",
        "<span class=math>costs $5 ^ and</span> \\(a\\) <span class=mathematics>\\(a\\)</span>",
        "<span class=katex><span class=katex-mathml>x 2 x^2</span></span>",
        "<img src='/skin?tex=wood' alt=a> <img src='/b?a=equation?text=x^2'>",
        "<mml:math><mml:mi>a</mml:mi> text</mml:math>",
        "<p data-tex='x^2'>text ^",
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
    img mjx-container div br math-renderer mml:math mml:mi mml:mspace
"""
NAMES = TAGS.split()
ATTRS = ["", " class=katex", " class=MathJax", " class=MathJax_Preview", " type=math/tex", " alt='$x$'",
         " encoding=application/x-tex", " display=block", " class='mwe-math-element'",
         " class=math", " class='katex katex-mathml'", " data-tex=x^2", " src='/equation?tex=y'"]  # fmt: skip
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
            "\n",
            "% <![CDATA[",
            "\\begin{align}",
            "\\end{align}",
            "<script>MathJax = {}</script>",
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
        "\\begin{align}a", "\\begin{align}\\begin{gather}\\begin{multline}", "$$<br>", "$$<br>a<b>", "\\[<br>a",
        "<span class=math>$a^</span>", "<span class=math>$", "<span class='katex katex-mathml'>\na",
        "<span data-tex='x^2'>", "<span data-tex='%\n'>", "<mml:math><mml:mspace>", "<math-renderer>$$a",
        "<img src='codecogs.com/a?codecogs.com/'>", "<img src='equation?tex='>", "<script>MathJax  </script>",
        "<br>$$a<br>$$", "<code>$a^",
    ):  # fmt: skip
        html = "<script src=mathjax></script><p>" + piece * 20_000
        start = time.process_time()
        PageTree.parse(html)
        assert time.process_time() - start < 4, piece


@pytest.mark.parametrize(
    "prose",
    [
        r"Write \begin{align} at the start. Then write more \end{align} at the end.",
        "$$ is the pid<br>of a shell and<br>so $$ is used twice",
        r"Press \( to open<br>and press <br>the key \) to close.",
        "We wear <img src='/latex.png?latex=gloves' alt='latex gloves'> here",
    ],
)
def test_prose_about_signs_is_no_formula(prose: str) -> None:
    tree = Page.from_html(f"<script src=/mathjax.js></script><p>{prose}</p>").tree
    assert tree.run_formula is None
