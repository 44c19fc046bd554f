"""Markdown and structure of selected text: golden page, properties, real pages."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quarkcrawl.content.markdown.render import markdown_of, structure_of
from quarkcrawl.content.markdown.tables import data_tables
from quarkcrawl.page import Page
from tests.page.samples import SHARED, markup
from tests.profiles import examples

_GOLDEN = """<body><h2>A #1 title</h2>
<p>He*llo_w_ snake_case <a href=/x?a=(1)>lin[k]!</a><br>1. two &amp;lt; <code>a`b</code></p>
<ul><li>one<li>two<ul><li>in<p>par</ul></ul><ol start=3><li>x<li>y</ol>
<blockquote><p>q1<p>q2</blockquote>
<pre class="brush: python"><code>def f():
    ```x</code></pre>
<table><caption>Cap</caption><tr><th>a|b<th>c<tr><td>1<br>2<td><a href=z>3</a></table>
<p>before<figure><img src=a.png alt="pic"><figcaption>said</figcaption></figure>
<p>- after!<a href=y>z</a><script>no()</script>"""

_MARKDOWN = r"""## A \#1 title

He\*llo_w\_ snake_case [lin\[k\]\!](<http://a.cn/x?a=(1)>)\
1\. two \&lt; ``a`b``

- one

- two

  - in

    par

3. x
4. y

> q1
>
> q2

````python
def f():
    ```x
````

Cap

| a\|b | c |
| --- | --- |
| 1 2 | [3](http://a.cn/d/z) |

before

![pic](http://a.cn/d/a.png)

said

\- after\![z](http://a.cn/d/y)"""


def _page(html: str) -> Page:
    return Page.from_html(html, "http://a.cn/d/")


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _shown(markdown: str) -> str:
    """What a reader sees of Markdown, by an implementation of CommonMark."""
    html = MarkdownIt("commonmark").enable("table").render(markdown)
    return _squeezed(Page.from_html(html).tree.text())


def _selected(page: Page, mask: np.ndarray) -> str:
    return _squeezed("".join(page.tree.runs[run] for run in np.flatnonzero(mask)))


def test_golden() -> None:
    page = _page(_GOLDEN)
    assert markdown_of(page.tree, ~page.tree.run_raw, page.url) == _MARKDOWN


def test_structure() -> None:
    page = _page(_GOLDEN)
    found = structure_of(page.tree, ~page.tree.run_raw, page.url)
    kinds = [part["kind"] for part in found]
    assert kinds == [
        "heading", "paragraph", "list", "list", "quote", "code", "table", "paragraph", "picture",
        "caption", "paragraph",
    ]  # fmt: skip
    assert found[0] == {"kind": "heading", "text": "A #1 title", "level": 2}
    assert found[1]["text"] == "He*llo_w_ snake_case lin[k]!\n1. two &lt; a`b"
    assert found[1]["links"] == [{"text": "lin[k]!", "url": "http://a.cn/x?a=(1)"}]
    assert found[3]["start"] == 3
    assert found[5] == {"kind": "code", "text": "def f():\n    ```x", "language": "python"}
    assert found[6]["rows"] == [["a|b", "c"], ["1\n2", "3"]]
    assert found[8] == {"kind": "picture", "text": "pic", "url": "http://a.cn/d/a.png"}
    json.dumps(found)


@pytest.mark.parametrize(
    "text",
    [
        "# not a heading", "1. no item", "1) no item", "- no item", "+ no", "> no quote", "---", "===",
        "***", "a * b * c", "__init__", "_x_", "`code`", "``", "[a](b)", "![a](b)", "![", "<b>", "<!--",
        "&amp;", "&#35;", "a | b", "~~~", "~~x~~", "\\", "\\*", "a\\", "http://a.cn/_x_", "[a]: b", "[^1]",
        "| a | b |", ":--", "！【】（）", "**重点**内容", "2012. 年", "<http://a.cn>", "[x] done", "#", "1.",
    ],
)  # fmt: skip
def test_text_keeps_its_meaning(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    page = _page(f"<p>{escaped}<p>x<br>{escaped}<ul><li>{escaped}<li>z</ul><h2>{escaped}</h2>")
    tree = page.tree
    html = MarkdownIt("commonmark").enable("table").render(markdown_of(tree, ~tree.run_raw))
    rendered = Page.from_html(html).tree
    lines = [rendered.text(node).split("\n")[-1] for node in rendered.nodes("p", "li", "h2")]
    assert [" ".join(line.split()) for line in lines] == [text, text, text, "z", text]
    assert not rendered.nodes("em", "strong", "a", "img", "code", "blockquote", "ol", "hr", "del")


@settings(max_examples=examples(300))
@given(markup, st.randoms(use_true_random=False))
def test_same_characters_as_the_selection(html: str, dice: random.Random) -> None:
    page = _page(html)
    tree = page.tree
    mask = ~tree.run_raw & np.array([dice.random() < 0.8 for _ in tree.runs], np.bool_)
    markdown = markdown_of(tree, mask, page.url)
    assert _shown(markdown) == _selected(page, mask)
    json.dumps(structure_of(tree, mask, page.url))


@settings(max_examples=examples(200))
@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=60),
    st.sampled_from(["p", "h1", "li", "td", "pre", "a", "code", "blockquote"]),
)
def test_any_text_in_any_element(text: str, name: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    page = _page(f"<div><{name} href=x>{escaped}</{name}></div>")
    mask = ~page.tree.run_raw
    assert _shown(markdown_of(page.tree, mask)) == _selected(page, mask)


def test_deep_nesting_is_bounded() -> None:
    page = _page("<ul><li>" * 400 + "<blockquote>" * 400 + "end")
    markdown = markdown_of(page.tree, ~page.tree.run_raw)
    assert _shown(markdown) == "end"
    assert len(markdown) < 200


def test_layout_tables_are_no_tables() -> None:
    layout = "<table><tr><td>" + "长文。" * 300 + "<td>x<tr><td>a<td>b</table>"
    nested = "<table><tr><td><table><tr><td>1<td>2<tr><td>3<td>4</table><td>y<tr><td>a<td>b</table>"
    tree = _page(layout + nested).tree
    found = data_tables(tree, ~tree.run_raw)
    assert found == frozenset((tree.nodes("table")[2],))


_NUMBERED = "<div><pre><code><table><tbody><tr><td><td><pre>x</pre></table></code></pre></div>"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<figure class='highlight js'><table><tr><td class=code><pre>x</pre></table></figure>", "js"),
        ("<pre><code class='x language-C++'>x</code></pre>", "c++"),
        ("<pre><code class=python>x</code></pre>", "python"),
        ("<pre><code class='python hljs'>x</code></pre>", "python"),
        ("<pre lang=python>x</pre>", "python"),
        ("<pre class='rust example'>x</pre>", "rust"),
        ("<pre class='src src-python'>x</pre>", "python"),
        ("<pre class='lang:python decode:true'>x</pre>", "python"),
        ("<pre data-enlighter-language=python>x</pre>", "python"),
        ("<pre data-syntaxhighlighter-params='brush: bash; gutter: false'>x</pre>", "bash"),
        (f"<div class=language-ruby>{_NUMBERED}</div>", "ruby"),
        ("<div class='mw-highlight mw-highlight-lang-python'><pre>x</pre></div>", "python"),
        (
            "<div class=highlight-js><table><tbody><tr><td><div class=highlight><pre>x</pre></div>",
            "js",
        ),
        ("<div class=python><pre>x</pre></div>", ""),  # a section on it, perhaps
        ("<pre class=wide>x</pre>", ""),
        ("<pre lang=de>x</pre>", ""),
    ],
)  # fmt: skip
def test_language_of_code(html: str, language: str) -> None:
    page = _page("<body class='lang-zh'>" + html)
    (code,) = structure_of(page.tree, ~page.tree.run_raw)
    assert code["kind"] == "code"
    assert code.get("language", "") == language


def _of_inked(html: str, *left_out: str) -> str:
    """Markdown where white space between two elements is of no line, as in the default method."""
    tree = _page(html).tree
    runs = np.array([run.strip() not in left_out for run in tree.runs], np.bool_)
    return markdown_of(tree, (tree.run_chars > 0) & ~tree.run_raw & runs, "http://a.cn/")


def test_white_space_between_two_elements() -> None:
    html = "<p>A <b>quick</b> <a href=b>fox</a> <i>ran</i><h2><b>Two</b> <i>words</i></h2>"
    assert _of_inked(html) == "A quick [fox](http://a.cn/b) ran\n\n## Two words"
    assert _of_inked("<p><code><b>f(x,</b> <b>*y)</b></code> is it") == "`f(x, *y)` is it"
    assert _of_inked("<p><b>one</b> <b>ad</b> <b>two</b>", "ad") == "onetwo"


def test_anchors_and_places_of_the_page_are_no_links() -> None:
    html = "<p><a name=top>Top</a> and <a href='#note'>note</a>, <a href=x>other</a>"
    assert _of_inked(html) == "Top and note, [other](http://a.cn/x)"


def test_relative_links_of_a_page_without_an_address_stay_as_written() -> None:
    links = ["/a/b?c=d:e#f", "g.htm", "//a.cn/x", "h<i", "java\nscript:j", "mailto:k@a.cn", "#l"]
    html = "".join(f"<p>天<a href='{link}'>网</a>" for link in links)
    tree = Page.from_html(f"{html}<p>天<img src=m.png alt=页><img src=data:image/png,n>网").tree
    targets = ["(/a/b?c=d:e#f)", "(g.htm)", "(//a.cn/x)", "(h%3Ci)"]
    lines = [f"天[网]{target}" for target in targets] + ["天网"] * 3 + ["天", "![页](m.png)", "网"]
    assert markdown_of(tree, (tree.run_chars > 0) & ~tree.run_raw) == "\n\n".join(lines)
    with_base = Page.from_html("<base href=http://b.cn/><p>天<a href=g.htm>网</a>").tree
    assert markdown_of(with_base, ~with_base.run_raw) == "天[网](http://b.cn/g.htm)"


def test_cells_stand_in_their_columns() -> None:
    empty = "<table><tr><th><th>19<th>20<tr><td>a<td><td>1<tr><td> <td>x<td>y</table>"
    assert _of_inked(empty) == "|  | 19 | 20 |\n| --- | --- | --- |\n| a |  | 1 |\n|  | x | y |"
    spans = "<table><tr><td rowspan=2>A<td>b<td>c<tr><td>d<td>e<tr><td colspan=2>f<td>g</table>"
    assert _of_inked(spans) == "| A | b | c |\n| --- | --- | --- |\n|  | d | e |\n| f |  | g |"
    wide = "<table><tr><td colspan=900>a<td>b<tr><td colspan=900>c<td>d</table>"
    assert _of_inked(wide) == "| a | b |\n| --- | --- |\n| c | d |"
    over = "<table><thead><tr><th rowspan=9>a<th>b</thead><tbody><tr><td>c<td>d</table>"
    assert _of_inked(over) == "| a | b |\n| --- | --- |\n| c | d |"


def test_rows_of_a_wide_table_are_not_filled_up() -> None:
    head = "".join(f"<td>{number}" for number in range(3_000))
    tree = _page(f"<table><tr>{head}{'<tr><td>a<td>b' * 3_000}</table>").tree
    markdown = markdown_of(tree, ~tree.run_raw)
    assert markdown.count("| a | b |\n") == 2_999
    assert len(markdown) < 200_000


def test_code_with_a_bar() -> None:
    html = "<p><code>a | b</code><table><tr><td><code>c|d</code><td>1.5<tr><td>-v<td>2.</table>"
    markdown = "`a | b`\n\n| `c\\|d` | 1.5 |\n| --- | --- |\n| -v | 2. |"
    assert _of_inked(html) == markdown
    rendered = Page.from_html(MarkdownIt("commonmark").enable("table").render(markdown)).tree
    assert rendered.texts(rendered.nodes("code")) == ["a | b", "c|d"]


@pytest.mark.parametrize(
    "html",
    [
        "<pre><code><div><div>a:</div></div><div><div>  b</div></div></code></pre>",
        "<pre><ol><li>a:<li>  b</ol></pre>",
        "<pre><table><tr><td>a:<tr><td>  b</table></pre>",
        "<pre><code><b>a:</b></code><code><b>  b</b></code></pre>",
        "<pre><div>a:\n</div><div>  b\n</div></pre>",
    ],
)
def test_lines_of_listings_without_line_feeds(html: str) -> None:
    assert _of_inked(html) == "```\na:\n  b\n```"


def test_code_elements_within_a_line_of_a_listing() -> None:
    assert _of_inked("<pre>a <code>b</code> <code>c</code></pre>") == "```\na b c\n```"


def test_a_line_left_out_between_two_breaks() -> None:
    assert _of_inked("<div>one<br><a>ad</a><br>two</div>", "ad") == "one\\\ntwo"


def test_a_picture_stays_without_its_caption() -> None:
    html = "<p>one<figure><img src=a.png alt=x><figcaption>said</figcaption></figure><p>two"
    assert _of_inked(html, "said") == "one\n\n![x](http://a.cn/a.png)\n\ntwo"
    assert _of_inked(html, "said", "two") == "one"


@pytest.mark.parametrize(
    "formula",
    [
        r"<span><math alttext='x^2'><mi>x</mi></math><img src=x.svg alt='{\displaystyle x^2}'></span>",
        "<img class=latex src='//l.cn/latex.php?latex=x%5E2' alt='x^2'>",
    ],
)
def test_a_formula_is_no_picture_too(formula: str) -> None:
    assert _of_inked(f"<p>So {formula} holds.<p>More.") == "So $x^2$ holds.\n\nMore."


def test_a_picture_beside_a_formula_stays() -> None:
    html = "<p>So <math alttext='x^2'><mi>x</mi></math> <img src=a.png alt=cat> holds."
    assert _of_inked(html) == "So $x^2$\n\n![cat](http://a.cn/a.png)\n\nholds."


def test_no_needless_escapes() -> None:
    html = "<p>3.5 million<p>--x is one<p>-v, too<p>#tag<p>1) yes"
    assert _of_inked(html) == "3.5 million\n\n--x is one\n\n-v, too\n\n#tag\n\n1\\) yes"


@pytest.mark.full
@pytest.mark.shared
def test_real_pages() -> None:
    import gzip

    folder = SHARED / "sites"
    if not folder.is_dir():
        pytest.skip("real pages are not here")
    for path in sorted(folder.glob("*.gz"))[:8]:
        with gzip.open(path, "rt") as lines:
            for line in [line for _, line in zip(range(12), lines, strict=False)]:
                page = _page(json.loads(line)["html"])
                mask = ~page.tree.run_raw
                assert _shown(markdown_of(page.tree, mask)) == _selected(page, mask), page
                assert re.sub(r"\s", "", page.tree.text()) == _selected(page, mask)


def test_what_follows_a_quotation_with_a_stray_item_is_not_quoted() -> None:
    page = _page("<div><blockquote><li>x<li>y</blockquote><p>after</div><h2>next</h2>")
    found = structure_of(page.tree, ~page.tree.run_raw)
    assert [part["kind"] for part in found] == ["quote", "paragraph", "heading"]
    assert markdown_of(page.tree, ~page.tree.run_raw) == "> - x\n> - y\n\nafter\n\n## next"


def test_a_list_may_count_from_zero() -> None:
    page = _page("<ol start=0><li>x<li>y</ol><ul><li>z</ul>")
    numbered, plain = structure_of(page.tree, ~page.tree.run_raw)
    assert numbered["start"] == 0
    assert "start" not in plain
    assert markdown_of(page.tree, ~page.tree.run_raw).startswith("0. x\n1. y")
