"""Code, formulas and tables are content whole or not at all."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.lines import line_features, load_model
from quarkcrawl.content.lines.whole import keep_whole
from quarkcrawl.page import PageTree
from tests.page.samples import markup
from tests.profiles import examples

TEXT = "周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。"
MORE = "下面的程序把一组数排好序，再把它们一个一个地写出来，最后返回写了多少个数。"
CODE = """def write(numbers):
    count = 0
    for number in sorted(numbers):
        print(number)
        count += 1

    return count


write([3, 1, 2])
write([3, 1, 2])
}"""
LINES = CODE.split("\n")


def page(code: str) -> str:
    return (
        f"<title>读书会</title><body><ul class=nav><li><a href=/>首页</a><li><a href=/b>通知</a></ul>"
        f"<article><h1>读书会</h1><p>{TEXT}</p><p>{MORE}</p>{code}<p>{TEXT[::-1]}</p></article>"
        "<div class=footer><a href=/c>联系我们</a></div>"
    )


def lines(tag: str, between: str = "") -> str:
    return between.join(f"<{tag}>{line}</{tag.partition(' ')[0]}>" for line in LINES)


NUMBERS = "".join(f"<span class=line>{n}</span><br>" for n in range(1, len(LINES) + 1))
BLOCKS = {
    "plain": f"<pre>{CODE}</pre>",
    "code": f"<pre><code class='language-python hljs'>{CODE}</code></pre>",
    "breaks": f"<pre>{CODE.replace(chr(10), '<br>')}</pre>",
    "spans": f"<div class='highlight language-python'><pre>{lines('span class=line', chr(10))}</pre></div>",
    "table": "<figure class='highlight python'><table><tr><td class=gutter><pre>"
    f"{NUMBERS}</pre></td><td class=code><pre>{lines('span class=line', '<br>')}</pre></td></tr></table></figure>",
    "rows": "<table class=highlight>"
    + "".join(f"<tr><td class=lineno>{n}</td><td><pre>{line or ' '}</pre></td></tr>" for n, line in enumerate(LINES, 1))
    + "</table>",
    "inline": "<pre class='lang-python'>"
    + "\n".join(f"<span class=lineno>{n}</span>{line}" for n, line in enumerate(LINES, 1))
    + "</pre>",
    "anchors": "<div class=highlight><pre>"
    + "\n".join(f"<a id=l{n} class=linenos>{n}</a>{line}" for n, line in enumerate(LINES, 1))
    + "</pre></div>",
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_code_is_kept_whole_and_without_line_numbers(name):
    content = qc.extract(page(BLOCKS[name]))
    start = content.text.index("def write")
    end = content.text.index(TEXT[::-1])
    kept = [line.strip() for line in content.text[start:end].split("\n") if line.strip()]
    assert kept == [line.strip() for line in LINES if line]
    assert content.text.count(TEXT) == 1
    if name in ("plain", "code", "spans", "inline", "anchors"):
        assert CODE in content.text
        assert f"\n{CODE}\n```" in content.markdown


NUMBER = "<span class='token number'>7</span>"


@pytest.mark.parametrize(
    "code",
    [
        "<pre><code class='language-py code-highlight'>{}</code></pre>",
        "<pre class=line-numbers><code class='language-py line-numbers'>{}</code></pre>",
        "<div class=line-numbers><pre><code>{}</code></pre></div>",
    ],
)
@pytest.mark.parametrize("line", ["{}", "<span class='code-line line-number' line=1>{}</span>"])
def test_numbers_within_lines_called_numbered_are_code(code, line):
    inked = line.format(f"wait {NUMBER} + {NUMBER}") + "\n" + line.format(NUMBER) + "\n"
    assert "\nwait 7 + 7\n7\n" in qc.extract(page(code.format(inked))).text


@pytest.mark.parametrize(
    ("number", "rest"),
    [
        ("<span class=lineno><a>3</a> |</span>", "| wait(now)"),
        ("<span class=line-number>3<i>+</i></span>", "+ wait(now)"),
        ("<span class='hljs-ln-numbers'>3</span>", "wait(now)"),
        ("<span class=ln>3</span>", "wait(now)"),
        ("<span class=hljs-ln-code><b>3</b></span>", "3 wait(now)"),
    ],
)
def test_what_is_called_line_numbers(number, rest):
    text = qc.extract(page(f"<pre><code>{number} wait(now)</code></pre>")).text
    assert f"\n{rest}\n" in text.replace("\n ", "\n")


@pytest.mark.parametrize(
    "code",
    [
        "<pre><code class='language-json line-numbers'>[{0}, {0}]</code></pre>",
        "<pre class='prettyprint linenums'>{0} , {0}</pre>",
        "<table><tr><td><pre>7 7</pre><td><pre>7</pre></table>",  # input and output
    ],
)
def test_numbers_of_programs_without_letters(code):
    text = qc.extract(page(code.format(NUMBER))).text
    assert text.count("7") == page(code.format("7")).count("7")


@pytest.mark.parametrize(
    ("start", "repeated"),
    [
        ("<pre>", "1 "),
        ("<table><tr>", "<td><pre>x</pre>"),
        ("<pre>" * 300, "<b>1</b>x"),
    ],
)
def test_looking_for_line_numbers_takes_no_long_time(start, repeated):
    def cost_s(n):
        html = f"<p>{TEXT}</p>{start}{repeated * n}x"
        before = time.process_time()
        assert "x" in qc.extract(html).text
        return time.process_time() - before

    cost_s(100)
    assert cost_s(8_000) < 40 * max(cost_s(1_000), 0.02)  # quadratic: 64 times


@pytest.mark.parametrize("name", ["code", "spans", "table", "inline"])
def test_the_language_is_told(name):
    content = qc.extract(page(BLOCKS[name]))
    assert "```python\n" in content.markdown
    (block,) = [part for part in content.structure if part["kind"] == "code"]
    assert block["language"] == "python"


@pytest.mark.parametrize(
    "kind",
    ["language-python", "highlight-python", "sourceCode python", "hljs python", "lang-python x"],
)
def test_classes_that_tell_a_language(kind):
    content = qc.extract(page(f"<div class='{kind} notranslate'><pre>{CODE}</pre></div>"))
    assert "```python\n" in content.markdown


def test_code_outside_the_content_is_not_taken():
    code = "<div class=sidebar><p><a href=/1>a</a> <a href=/2>b</a></p><pre>npm install a b c</pre></div>"
    html = page("").replace("<div class=footer>", code * 2 + "<div class=footer>")
    assert "npm" not in qc.extract(html).text


def test_code_behind_the_last_text_is_kept():
    html = page("").replace("</article>", f"<pre>{CODE}</pre></article>")
    tree = qc.Page.from_html(html).tree
    features = line_features(tree, load_model().scorer)
    first_run = features.cut.first_run
    is_text = first_run < tree.run_start[tree.places("pre")[0]]
    is_code = (first_run >= tree.run_start[tree.places("pre")[0]]) & (
        first_run < tree.run_end[tree.places("pre")[0]]
    )
    assert keep_whole(tree, features, is_text).is_content[is_code].all()
    assert not keep_whole(tree, features, np.zeros_like(is_text)).is_content[is_code].any()


def test_a_formula_on_a_line_of_its_own_stays():
    math = "<div class=eq><script type='math/tex; mode=display'>x</script></div>"
    assert "\n$$x$$\n" in qc.extract(page(math)).text


TABLE = [
    ["年份", "书名", "页数"],
    ["1997", "天网", "12"],
    ["1998", "在湖边读书", "340"],
    ["1999", "三楼", "7"],
]


@pytest.mark.parametrize("cell", ["td", "th"])
@pytest.mark.parametrize("wrap", ["{}", "<p>{}</p>", "<span>{}</span>"])
def test_a_table_keeps_its_rows(cell, wrap):
    rows = "".join(
        "<tr>" + "".join(f"<{cell}>{wrap.format(text)}</{cell}>" for text in row) + "</tr>"
        for row in TABLE
    )
    content = qc.extract(page(f"<table>{rows}</table>"))
    for row in TABLE:
        assert "\t".join(row) in content.text.split("\n") or wrap.startswith("<p")
    (table,) = [part for part in content.structure if part["kind"] == "table"]
    assert table["rows"] == TABLE


@given(
    st.lists(st.sampled_from([*BLOCKS.values(), "<dl><dt>a<dd>b</dl>", "<table><tr><td>1", TEXT]))
)
@settings(max_examples=examples(60))
def test_any_blocks(blocks):
    assert qc.extract("".join(blocks)).failure is None


@given(markup)
@settings(max_examples=examples(100))
def test_any_markup(html):
    content = qc.extract(f"<p>{TEXT}<pre>{html}<span class=lineno>1</span>")
    assert content.failure is None


INGREDIENTS = ["两百克面粉", "三个鸡蛋", "盐", "四百毫升牛奶", "一点黄油", "糖随意"]


def test_a_list_between_text_is_kept_whole() -> None:
    text = "把面粉和鸡蛋搅匀，慢慢加入牛奶，放半小时再用小火煎，两面金黄就可以了，趁热吃最好。"
    items = "".join(f"<li>{name}</li>" for name in INGREDIENTS)
    nav = "".join(f"<li><a href=/{n}>栏目{n}</a></li>" for n in range(6))
    body = f"<h1>薄饼</h1><p>{text}</p><p>需要的东西：</p><ul>{items}</ul><p>{text[::-1]}</p>"
    content = qc.extract(f"<title>薄饼</title><ul>{nav}</ul><article>{body}</article>")
    lines = content.text.split("\n")
    assert [line for line in lines if line in INGREDIENTS] == INGREDIENTS


def test_only_lists_of_short_items_are_settled() -> None:
    menu = "".join(f"<li><a href=/{n}>栏目之{n}</a></li>" for n in range(6))
    short = "".join(f"<li>{name}</li>" for name in INGREDIENTS)
    tree = PageTree.parse(f"<ul>{menu}</ul><ul>{short}</ul><p>{'很长的正文，' * 40}</p>")
    features = line_features(tree, load_model().scorer)
    chosen = np.zeros(len(features.cut), np.bool_)
    chosen[[0, 6, 7, 8, 9, -1]] = True  # one entry of the menu, four of the six things, the text
    kept = keep_whole(tree, features, chosen).is_content
    assert kept.tolist() == [True] + [False] * 5 + [True] * 7
