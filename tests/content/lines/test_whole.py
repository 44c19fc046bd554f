"""Code, formulas and tables are content whole or not at all."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.lines import line_features, load_model
from quarkcrawl.content.lines.linenumbers import numbers_beside
from quarkcrawl.content.lines.whole import keep_whole
from quarkcrawl.page import Page, PageTree
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


@pytest.mark.parametrize("tag", ["h2", "h4", "p"])
def test_code_below_a_heading_behind_chosen_text_is_kept_with_it(tag):
    html = page("").replace("</article>", f"<{tag}>例子</{tag}><pre>{CODE}</pre></article>")
    tree = qc.Page.from_html(html).tree
    features = line_features(tree, load_model().scorer)
    heading = int(features.cut.run_line[tree.runs.index("例子")])
    choice = keep_whole(tree, features, np.arange(len(features.cut)) < heading)
    is_wanted = choice.is_content[heading : int(choice.is_code.nonzero()[0][-1]) + 1]
    assert is_wanted.all() if tag != "p" else not is_wanted.any()
    nothing = keep_whole(tree, features, np.arange(len(features.cut)) < heading - 1)
    assert not nothing.is_content[heading - 1 :].any()


@pytest.mark.parametrize(
    "aside",
    [
        f"</article><div><h3>Comments</h3><pre>{CODE}</pre></div>",
        f"<h3>Comments</h3></article><div><pre>{CODE}</pre></div>",
    ],
)
def test_code_below_a_heading_in_another_element_is_none_of_the_text(aside):
    tree = qc.Page.from_html(page("").replace("</article>", aside)).tree
    features = line_features(tree, load_model().scorer)
    heading = int(features.cut.run_line[tree.runs.index("Comments")])
    choice = keep_whole(tree, features, np.arange(len(features.cut)) < heading)
    assert not choice.is_content[heading:].any()


def test_looking_for_headings_above_listings_takes_no_long_time():
    def cost_s(start):
        html = f"<p>{TEXT * 300}</p><h3>{start}{'x<pre>c</pre>' * 4_000}"
        tree = qc.Page.from_html(html).tree
        features = line_features(tree, load_model().scorer)
        before = time.process_time()
        choice = keep_whole(tree, features, np.arange(len(features.cut)) < 1)
        cost = time.process_time() - before
        assert choice.is_content.all()
        return cost

    cost_s("")
    assert cost_s("<b>" * 500) < 3 * max(cost_s(""), 0.02)  # the path up from each line: 8 times


@pytest.mark.parametrize("n_digits", [13, 5_000])
def test_digits_beside_a_listing_that_are_no_line_number_stop_nothing(n_digits):
    digits = "9" * n_digits
    content = qc.extract(
        page(f"<div><pre>{CODE}</pre><div class=line-numbers>{digits}</div></div>")
    )
    assert content.failure is None
    assert LINES[0] in content.text
    assert digits in "".join(content.page.tree.runs)


def test_numbers_before_thousands_of_listings_take_no_long_time():
    def cost_s(n):
        numbers = " ".join(map(str, range(1, n)))
        html = page(f"<div><div>{numbers}</div>{'<pre>x</pre>' * n}</div>")
        before = time.process_time()
        qc.extract(html)
        return time.process_time() - before

    cost_s(100)
    assert cost_s(4_000) < 24 * max(cost_s(500), 0.02)  # read for each listing: 60 times


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


def test_lines_that_look_the_same_in_the_items_of_a_list_are_taken_together() -> None:
    goods = "".join(
        f"<li><a href=/{n}>{name}</a><p>{name}是做薄饼要用的。<span><div>{n} 元</div>"
        for n, name in enumerate(INGREDIENTS)
    )
    tree = PageTree.parse(f"<ul>{goods}</ul><p>{'很长的正文，' * 40}</p>")
    features = line_features(tree, load_model().scorer)
    names, texts, prices = np.arange(18).reshape(6, 3).T
    chosen = np.zeros(len(features.cut), np.bool_)
    chosen[[*names[2:], *texts[:3], *prices[:2], 18]] = True  # four, half and two of the six
    kept = keep_whole(tree, features, chosen).is_content
    assert kept.nonzero()[0].tolist() == sorted([*names, *texts, *prices[:2], 18])


def listing_text(code: str) -> str:
    """The text between the two paragraphs around a listing."""
    text = qc.extract(page(code)).text
    return text[text.index(MORE) + len(MORE) + 1 : text.index(TEXT[::-1]) - 1]


HUGO = "<span style='display:flex'><span style='white-space:pre;user-select:none'>{}</span><span>{}\n</span></span>"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "<pre><code>a = 1\nwait(a)</code><ul class=pre-numbering><li>1</li><li>2</li></ul></pre>",
            "a = 1\nwait(a)",
        ),
        ("<pre><code>" + HUGO.format(1, "npm i") + "</code></pre>", "npm i"),
        (
            "<pre><code>" + HUGO.format(9, "a = 1") + HUGO.format(10, "wait(a)") + "</code></pre>",
            "a = 1\nwait(a)",
        ),
        (  # they do not count up
            "<pre><code>" + HUGO.format(3, "a = 1") + HUGO.format(7, "wait(a)") + "</code></pre>",
            "3a = 1\n7wait(a)",
        ),
        (
            (
                "<pre><span style='color:teal'> 1</span> <b>int</b> main()\n"
                "<span style='color:teal'> 2</span> {\n<span style='color:teal'> 3</span>\n"
                "<span style='color:teal'> 4</span>   return 0;\n</pre>"
            ),
            " int main()\n {\n\n   return 0;",
        ),
        (
            "<pre><i style='color:gray'>1</i> a<br><i style='color:gray'>2</i> b<br><i style='color:gray'>3</i> c</pre>",
            " a\n b\n c",
        ),
        # Not all lines have one, there are too few, they count otherwise, or are of the program.
        ("<pre><i>1</i> a\n<i>2</i> b\n\n<i>3</i> c</pre>", "1 a\n2 b\n\n3 c"),
        ("<pre>x\n<i>1</i> a\n<i>2</i> b\n<i>3</i> c</pre>", "x\n1 a\n2 b\n3 c"),
        ("<pre><i>1</i> a\n<i>2</i> b</pre>", "1 a\n2 b"),
        ("<pre><i>10</i> a\n<i>20</i> b\n<i>30</i> c</pre>", "10 a\n20 b\n30 c"),
        (
            "<pre><i class=hljs-number>1</i> a\n<i class=hljs-number>2</i> b\n<i class=hljs-number>3</i> c</pre>",
            "1 a\n2 b\n3 c",
        ),
        ("<pre><i>1</i> <i>2</i>\n<i>2</i>\n<i>3</i></pre>", "1 2\n2\n3"),
    ],
)
def test_line_numbers_that_count_up(code, text):
    assert listing_text(code) == text


CALL = "a = 1\nwait(a)"


@pytest.mark.parametrize(
    "code",
    [
        (
            "<pre><div class=bar><span class=block-lang>bash</span><div class=copyCodeBtn>复制代码</div>"
            f"</div><code class=language-bash>{CALL}</code></pre>"
        ),
        f"<pre><div><span>python</span><button>Copy code</button></div><code>{CALL}</code></pre>",
        f"<pre>{CALL}<a class=copy-btn>Copy</a></pre>",
        (
            "<div class=codebox><p>Code: <a href='#' onclick='selectCode(this)'>Select all</a></p>"
            f"<pre><code>{CALL}</code></pre></div>"
        ),
        (
            "<div class=code-example><div class=head><span class=language-name>sass</span>"
            f"<button>Copy to Clipboard</button></div><pre>{CALL}</pre></div>"
        ),
        f"<div class=bbCodeBlock><div>Code:</div><div><pre>{CALL}</pre></div></div>",
        f"<div><pre class=language-toml>{CALL}</pre><span>toml</span><span>Copied!</span></div>",
    ],
)
def test_labels_of_listings_are_no_text(code):
    content = qc.extract(page(code))
    assert f"{MORE}\n{CALL}\n{TEXT[::-1]}" in content.text
    assert "opy" not in content.markdown


NUMBERED = "".join(f"<span>{n}</span><br>" for n in (1, 2))
ONE = "<b class=line-number>1</b>"


@pytest.mark.parametrize(
    "code",
    [
        (
            "<div class=language-js><button title='Copy Code'></button><span class=lang>js</span>"
            f"<pre>{CALL}</pre><div class=line-numbers-wrapper>{NUMBERED}</div></div>"
        ),
        f"<div class=a1><button class=a2></button><span>js</span><pre>{CALL}</pre><div>{NUMBERED}</div></div>",
        f"<div><div>{NUMBERED}</div><pre>{CALL}</pre></div>",
        f"<div><pre>{CALL}</pre><div>{ONE}</div></div>",
    ],
)
def test_numbers_beside_a_listing_are_no_text(code):
    assert f"{MORE}\n{CALL}\n{TEXT[::-1]}" in qc.extract(page(code)).text


@pytest.mark.parametrize(
    "beside",
    [
        "<div>1 2 3</div>",
        "<div>2 3</div>",
        "<div>1 2 a</div>",
        "<div>1 3</div>",
        "<b>1</b>",
        "",
        "<pre>1 2</pre>",
    ],
)
def test_what_numbers_no_listing(beside):
    tree = Page.from_html(f"<div><i>x</i><pre>{CALL}</pre>{beside}</div>").tree
    assert not numbers_beside(tree, int(tree.places("pre")[0]))


@pytest.mark.parametrize("name", ["<div>", "<div><b>Bash</b>"])
def test_labels_of_boxes_that_nothing_is_called_are_no_text(name):
    box = f"<div>{name}<i>复制代码</i></div><div>{MORE[::-1]}</div><div>{TEXT[4:]}</div></div>"
    assert listing_text(box) == f"{MORE[::-1]}\n{TEXT[4:]}"


def test_labels_of_boxes_without_pre_are_no_text():
    lines = "".join(f"<li>{line};<br></li>" for line in (MORE[::-1], TEXT[4:]))
    box = f"<div class=blockcode><div><ol>{lines}</ol></div><em onclick='copycode()'>复制代码</em></div>"
    assert listing_text(box) == f"{MORE[::-1]};\n{TEXT[4:]};"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (f"<p>Code:</p><pre>{CALL}</pre><p>代码</p>", f"Code:\n{CALL}\n代码"),
        ("<pre><b>COPY</b> a\n<b>RUN</b> b\n<b>COPY</b></pre>", "COPY a\nRUN b\nCOPY"),
        ("<pre>use <code>a = 1</code> <b>copy</b></pre>", "use a = 1 copy"),
        (
            f"<div class=highlight><p>这是全部的程序：</p><pre>{CALL}</pre></div>",
            f"这是全部的程序：\n{CALL}",
        ),
        ("<p>复制代码</p><p>全选</p>", "复制代码\n全选"),
        (f"<div><h3>copy</h3><pre>{CALL}</pre></div>", f"copy\n{CALL}"),
        (f"<dl><dt>copy<dd><pre>{CALL}</pre></dl>", f"copy\n{CALL}"),
        (f"<div class=code-part><h3>Python</h3><pre>{CALL}</pre></div>", f"Python\n{CALL}"),
        ("<pre><div>Copy</div><div>Paste</div><div>select</div></pre>", "Copy\nPaste\nselect"),
        ("<pre><b>1</b> Ann\n<b>2</b> Bob\n<b>3</b> Cay</pre>", "1 Ann\n2 Bob\n3 Cay"),
        ("<pre><i>1</i>. Ann\n<i>2</i>. Bob\n<i>3</i>. Cay</pre>", "1. Ann\n2. Bob\n3. Cay"),
    ],
)
def test_what_is_no_label(code, text):
    assert listing_text(code) == text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("<pre>a<br><br>b<br>c</pre>", "a\n\nb\nc"),
        ("<pre>a<br><br><br>  b</pre>", "a\n\n\n  b"),
        ("<pre><div>a</div><div><br></div><div>b</div><div>c<br></div><div>d</div></pre>", "a\n\nb\nc\nd"),
        ("<pre><div>a</div><div> </div><div>b</div></pre>", "a\n\nb"),
        ("<pre><span>a<br></span><span><i></i><br></span><span>b<br></span></pre>", "a\n\nb"),
        (
            "<pre><div><i class=ln>1</i>a</div><div><i class=ln>2</i></div><div><i class=ln>3</i>b</div></pre>",
            "a\n\nb",
        ),
        (
            "<pre><div><p class=ln>1</p><p>a</p></div><div><p class=ln>2</p><p>b</p></div></pre>",
            "a\nb",
        ),
        ("<pre>a</pre><br><br><pre>b</pre>", "a\nb"),
        ("<pre><code><span>f():</span></code><code><span>  a</span></code><code>b</code></pre>", "f():\n  a\nb"),
        ("<pre><code>f():</code><code><br></code><code>  a</code></pre>", "f():\n\n  a"),
        ("<pre><code>f():\n</code><code>  a</code></pre>", "f():\n  a"),
        ("<pre><code>a</code> <code>b</code></pre>", "a b"),
        (
            "<pre><i style='display:block'><i class=ln>1</i>f():</i><i style='display:block'><i class=ln>2</i>  a</i></pre>",
            "f():\n  a",
        ),
        ("<pre><i style='display: block'>f():</i><i style='display: block'>  a</i></pre>", "f():\n  a"),
    ],
)  # fmt: skip
def test_lines_of_listings(code, text):
    assert listing_text(code) == text


@pytest.mark.parametrize("repeated", ["a<br><br>", "<code>x</code>", "<i>1</i> x\n", "<p></p>x"])
def test_lines_of_listings_take_no_long_time(repeated):
    def cost_s(n):
        before = time.process_time()
        assert "x" in qc.extract(f"<p>{TEXT}</p><div><pre>{repeated * n}x</pre>Copy</div>").text
        return time.process_time() - before

    cost_s(100)
    assert cost_s(8_000) < 40 * max(cost_s(1_000), 0.02)  # quadratic: 64 times


EDIT = "<span class=mw-editsection>[<a href='/w?title=A&action=edit&section=1'>编辑</a>]</span>"


def test_links_that_edit_a_part_are_no_text():
    content = qc.extract(page(f"<h2><span>读书</span>{EDIT}</h2><p>{TEXT[3:]}</p>"))
    assert "读书" in content.text.split("\n")
    assert "编辑" not in content.text + content.markdown


def test_links_that_edit_a_part_are_no_text_behind_a_heading():
    tree = qc.Page.from_html(page(f"<div><h2>读书</h2>{EDIT}</div><p>{TEXT[3:]}</p>")).tree
    features = line_features(tree, load_model().scorer)
    line = int(features.cut.run_line[tree.runs.index("编辑")])
    chosen = keep_whole(tree, features, np.ones(len(features.cut), np.bool_)).is_content
    assert (~chosen).nonzero()[0].tolist() == [line]


def test_links_to_the_code_of_what_is_described_are_no_text():
    head = "<dt>read(<em>file</em>)<a href='/src.html#read'><span>[source]</span></a></dt>"
    text = qc.extract(page(f"<dl>{head}<dd><p>{TEXT[3:]} [source]</p></dd></dl>")).text
    assert "read(file)" in text.split("\n")
    assert text.count("[source]") == 1


@pytest.mark.parametrize("sign", ["↩", "↩︎", "↑", "^"])
def test_links_back_from_notes_are_no_text(sign):
    back = f"<a href='#fnref1' role=doc-backlink>{sign}</a>"
    text = qc.extract(page(f"<ol><li id=fn1><p>{TEXT[2:]} {back}</p></li></ol>")).text
    assert TEXT[2:] in text.split("\n")
    key = f"<p>{TEXT[2:]} <a href='#up'>{sign}</a>, {TEXT[2:]}</p>"
    assert sign in qc.extract(page(key)).text
    other = f"<a href='/up'>{sign}</a>"
    assert sign in qc.extract(page(f"<ol><li><p>{TEXT[2:]} {other}</p></li></ol>")).text
