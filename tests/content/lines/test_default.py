"""The default method on pages of our own, on damaged and on real ones."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import time
from dataclasses import replace
from itertools import compress, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from benchmarks.extractor import mutated
from quarkcrawl.content.kind import KINDS
from quarkcrawl.content.lines.compose import (
    MIN_COPY_LINES,
    MIN_COPY_SHARE,
    MIN_REPEAT_CHARS,
    best_expected_f1,
    choose_lines,
    compose_text,
    kept_texts,
    line_texts,
    smoothed_scores,
    with_contacts,
    with_gaps,
    with_headings,
    with_labeled,
)
from quarkcrawl.content.lines.extractor import judged_lines
from quarkcrawl.content.lines.matrix import both_readings, line_features
from quarkcrawl.content.lines.model import NAMELESS_SHARE, load_model
from quarkcrawl.content.lines.scoring import LEAF
from quarkcrawl.lab.training.data import (
    MarkedPage,
    blank_scorer,
    matched_share,
    prepare_page,
    site_of,
    squeeze,
)
from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment import lines_of
from tests.page.samples import SHARED, markup, real_pages
from tests.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.content.lines.matrix import LineFeatures

FIRST = "周六下午三点，湖边读书会在第二教学楼前举行，二十多位同学带着自己喜欢的书来到湖边。"
SECOND = "管理员说，图书馆最近新到了一批关于计算机网络的书，借的人很多，请大家看完以后按时归还。"
THIRD = "读书会每月举行一次，下一次的题目是“中国互联网二十年”，欢迎各系的同学参加。"
PAGE = f"""<!DOCTYPE html><html><head><title>湖边读书会举行_校园新闻_示例大学</title></head><body>
<div class="nav"><ul><li><a href="/">首页</a></li><li><a href="/news">新闻</a></li>
<li><a href="/about">关于我们</a></li><li><a href="/jobs">招聘</a></li></ul></div>
<div class="main"><div class="article"><h1>湖边读书会举行</h1>
<div class="content"><p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p></div></div>
<div class="sidebar"><h3>热门新闻</h3><ul><li><a href="/1">运动会将于下周开幕</a></li>
<li><a href="/2">食堂推出新菜单</a></li><li><a href="/3">奖学金名单公布</a></li></ul></div></div>
<div class="footer"><p>版权所有 © 2024 示例大学 京ICP备00000000号</p></div></body></html>"""


def test_a_second_model_says_more_where_names_are_made_up() -> None:
    """One that says the opposite of the first takes from it twice what it has to say."""
    model = load_model()
    trees = replace(model.trees, give_up=-1e9)  # or it would leave out the lines that it denies
    value = np.where(trees.node == LEAF, -trees.value, trees.value)
    opposite = replace(model, trees=replace(trees, value=value, start=-trees.start))
    model = replace(model, trees=trees, nameless=opposite)
    made_up = PAGE
    for n, name in enumerate(("nav", "main", "article", "content", "sidebar", "footer")):
        made_up = made_up.replace(f'class="{name}"', f'class="x{"qzvkjw"[n] * 6}"')
    for html, share in ((PAGE, NAMELESS_SHARE), (made_up, 0.5)):
        lines, alone = judged_lines(PageTree.parse(html), replace(model, nameless=None))
        together = model.scores(lines.matrix, lines.matrix, lines.told_share)
        np.testing.assert_allclose(together, (1 - 2 * share) * alone, atol=1e-6)


@given(markup)
@example(PAGE)
@example("<div role=navigation class=main>天<p itemprop=articleBody hidden>网<p role>页</div>")
def test_what_two_scorers_read_at_once_is_what_each_reads_alone(html: str) -> None:
    model = load_model()
    assert model.nameless
    scorers = model.scorer, model.nameless.scorer
    tree = PageTree.parse(html)
    first, second = both_readings(tree, *scorers)
    for matrix, scorer in zip((first.matrix, second), scorers, strict=True):
        np.testing.assert_array_equal(matrix, line_features(tree, scorer).matrix)
    scores = judged_lines(tree, model)[1]
    np.testing.assert_array_equal(scores, model.scores(first.matrix, second, first.told_share))
    with pytest.raises(ValueError, match="declared"):
        both_readings(tree, *scorers[::-1])


def test_golden_page() -> None:
    content = qc.extract(PAGE, method="default")
    assert content.failure is None
    assert content.text == f"{FIRST}\n{SECOND}\n{THIRD}"
    assert content.title == content.metadata.title == "湖边读书会举行"
    assert content.method == "default"
    chosen = list(compress(content.page.tree.runs, content.runs.tolist()))
    assert chosen == [FIRST, SECOND, THIRD]
    (span,) = content.spans
    assert content.page.html[span.start : span.end] == "</p><p>".join(chosen)
    assert {block.kind for block in content.blocks} >= {"content"}


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ('<a class="headerlink" href="#use">¶</a>', ""),
        ('<a href="/manual.html#use"><span>#</span></a>', ""),
        ('<a href="#use">⚓︎</a>', ""),
        ('<a href="#use">&#9670;&#160;</a>', ""),
        ('<a href="#use">\u200b</a>', ""),  # the style shows a sign
        ('<a href="/languages/c-sharp">#</a>', " #"),  # it leads to another page
        ('<a href="#note">*</a>', " *"),  # a note below
        ('<a href="#use">#1</a>', " #1"),
        ("#", " #"),
    ],
)
def test_signs_that_link_a_heading_to_itself_are_no_text(link: str, shown: str) -> None:
    page = PAGE.replace(f"<p>{SECOND}</p>", f'<h2 id="use">借书办法 {link}</h2><p>{SECOND}</p>')
    content = qc.extract(page)
    assert content.text == "\n".join([FIRST, f"借书办法{shown}", SECOND, THIRD])
    assert ("## 借书办法\n" in content.markdown) is not bool(shown)


@pytest.mark.parametrize("sign", ["¶", "#", "§", "⚓︎"])
def test_the_headline_is_not_repeated_for_the_sign_that_links_it_to_itself(sign: str) -> None:
    title = "湖边读书会举行"
    for heading in (f'{title}<a href="#top">{sign}</a>', f'<a href="#top">{sign}</a> {title}'):
        content = qc.extract(PAGE.replace(f"<h1>{title}</h1>", f'<h1 id="top">{heading}</h1>'))
        assert content.title == title
        assert content.text.startswith(FIRST)
    assert qc.extract(PAGE.replace(title, 'C<a href="#top">#</a>', 1)).text.startswith(FIRST)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('见<a href="https://laws.example/code.html#p433">§</a>433', "见§433"),
        ('学<a href="#lang">C</a><a href="#lang">#</a>的人', "学C#的人"),
        ('符号<a href="/wiki/Unicode#Pilcrow">¶</a>叫段落符', "符号¶叫段落符"),
    ],
)
def test_linked_signs_within_a_text_stay(text: str, shown: str) -> None:
    page = PAGE.replace(f"<p>{THIRD}</p>", f"<p>{THIRD}{text}，大家都知道。</p>")
    assert f"{shown}，大家都知道。" in qc.extract(page).text


def test_a_page_with_nothing_but_a_permalink_shows_nothing() -> None:
    assert not qc.extract('<h1><a href="#x">¶</a></h1>').text


def test_permalinks_within_a_listing_do_not_come_back() -> None:
    code = '<pre id="L1"><span>int lake;</span><a href="#L1">¶</a><span> int book;</span></pre>'
    content = qc.extract(PAGE.replace(f"<p>{THIRD}</p>", f"{code}<p>{THIRD}</p>"))
    assert "int lake; int book;" in content.text


@pytest.mark.parametrize(
    "listing",
    [
        "<pre><code>npm i lake</code><button>Copy</button></pre>",
        "<pre><span><button>Copy<span> code</span></button></span><code>npm i lake</code></pre>",
        "<pre><pre><button>Copy</button>npm i lake</pre><button>Copy</button></pre>",
        "<pre><code>npm i lake</code>\n<button>Copy</button> <button>Copy all</button></pre>",
    ],
)
def test_buttons_within_a_listing_are_no_part_of_it(listing: str) -> None:
    content = qc.extract(PAGE.replace(f"<p>{THIRD}</p>", f"{listing}<p>{THIRD}</p>"))
    assert "npm i lake" in content.text.split("\n")
    assert "Copy" not in content.text
    assert "Copy" not in content.markdown


@pytest.mark.parametrize(
    ("listing", "shown"),
    [
        ("<button>天网</button> <button>读书会</button>", "天网 读书会"),
        ("foo(<button>bar</button>, baz)", "foo(bar, baz)"),
        ("$ <button>Copy<code>npm install the lake", "$ Copynpm install the lake"),
        (
            "说明<div><button>湖边的读书会什么时候开始，有没有人带水和书？</button></div>",
            "说明\n湖边的",
        ),
    ],
)
def test_buttons_that_are_text_of_a_listing_stay(listing: str, shown: str) -> None:
    assert qc.extract(f"<pre>{listing}</pre>").text.startswith(shown)


def test_bytes_in_any_encoding_give_the_same() -> None:
    for encoding in ("gb18030", "utf-8", "big5"):
        page = PAGE.encode(encoding, "replace")
        assert len(qc.extract(page).text) == len(f"{FIRST}\n{SECOND}\n{THIRD}")


def test_structure_stays_readable() -> None:
    code = "def f(x):\n    return x"
    page = PAGE.replace(
        f"<p>{SECOND}</p>",
        f"<p>{SECOND}</p><table><tr><td>时间与地点说明</td><td>周六下午三点，湖边</td></tr></table>"
        f"<pre>{code}</pre>",
    )
    tree = PageTree.parse(page)
    features = line_features(tree, blank_scorer())
    lines = np.arange(len(features.cut))
    rows = features.cut.lines.row[features.cut.first_run[lines]]
    text = compose_text(line_texts(tree, features.cut, lines), rows)
    assert "时间与地点说明\t周六下午三点，湖边" in text
    assert code in text


@given(markup)
@settings(max_examples=examples(80))
def test_all_lines_composed_read_as_the_reader_reads(html: str) -> None:
    tree = PageTree.parse(html)
    cut = line_features(tree, blank_scorer()).cut
    texts = line_texts(tree, cut, np.arange(len(cut)))
    whole = compose_text(texts, cut.lines.row[cut.first_run])
    expected = lines_of(tree, np.ones(len(tree.runs), np.bool_))
    assert squeeze(whole) == squeeze(expected)


@given(markup)
@example("<textarea><")  # signs alone weigh nothing
@settings(max_examples=examples(80))
def test_any_markup_gives_text_where_there_is_text(html: str) -> None:
    content = qc.extract(html)
    assert content.failure is None
    assert bool(content.text.strip()) == bool(content.page.tree.text_chars[0])
    assert qc.extract(html).text == content.text


@given(st.binary(max_size=300).filter(lambda body: not body.startswith(b"%PDF-")))
@settings(max_examples=examples(60))
def test_no_bytes_make_it_fail(body: bytes) -> None:
    assert qc.extract(body).failure is None


@pytest.mark.parametrize(
    "html",
    ["", "<script>var a</script>", "<frameset><frame src=/a></frameset>", "\0", "plain text"],
)
def test_pages_without_content(html: str) -> None:
    content = qc.extract(html)
    assert content.failure is None
    assert content.text == ("plain text" if html == "plain text" else "")


@pytest.mark.usefixtures("without_gc")
def test_deep_and_wide_pages_take_linear_time() -> None:
    def cost(n: int) -> float:
        pages = ("<div>" * n + FIRST, f"<ul>{'<li>一二三' * n}</ul>", f"{'<p>' + FIRST} " * n)
        start = time.process_time()
        for page in pages:
            assert qc.extract(page).text
        return time.process_time() - start

    cost(100)
    small = min(cost(3_000) for _ in range(3))
    assert min(cost(12_000) for _ in range(2)) < 10 * small


@pytest.mark.full
def test_runs_without_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = sys.modules['scipy'] = None\n"
        "import quarkcrawl as qc; print(qc.extract(sys.stdin.read()).text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=PAGE, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"{FIRST}\n{SECOND}\n{THIRD}"


def test_lines_of_one_look_are_smoothed() -> None:
    score = np.array([3.0, -1, 3, -1, -1])
    look = np.array([1, 1, 1, 2, 2])
    smooth = smoothed_scores(score, look, np.zeros(5))
    mean = 5 / 3
    assert smooth == pytest.approx([0.6 * s + 0.4 * mean for s in (3, -1, 3)] + [-1, -1])


def test_the_likeliest_line_stays() -> None:
    features = line_features(PageTree.parse("<p>一<p>二<p>三"), blank_scorer())
    assert choose_lines(np.array([-9.0, -3, -8]), features).any()
    assert choose_lines(np.zeros(0), features).tolist() == []


@pytest.mark.parametrize("words", ["天网搜索", "search engine "], ids=["chinese", "western"])
def test_beside_clear_text_a_line_must_be_more_likely_than_on_a_list(words: str) -> None:
    """Two doubtful lines, with a long text that is certain, and alone."""
    html = f"<p>{words}<div>{words * 2}</div><h3>{words * 99}"  # no three look the same
    features = line_features(PageTree.parse(html), blank_scorer())
    assert choose_lines(np.array([-0.6, -0.7, 4]), features).tolist() == [False, False, True]
    assert choose_lines(np.array([-0.6, -0.7, -9]), features).tolist() == [True, True, False]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1000)), min_size=1, max_size=7))
def test_best_expected_f1_is_that_of_the_best_of_all_sets(lines: list[tuple[float, float]]) -> None:
    probability, weight = np.array(lines).T
    best, expected = best_expected_f1(probability, weight)
    content = (probability * weight).tolist()
    assert expected == pytest.approx(sum(content))
    of_sets = [
        2 * sum(compress(content, chosen)) / (sum(compress(weight.tolist(), chosen)) + expected)
        for chosen in product([False, True], repeat=len(lines))
        if expected > 0
    ]
    assert best == pytest.approx(max(of_sets, default=0))


def test_headline_and_repetitions_are_left_out() -> None:
    long = "长" * MIN_REPEAT_CHARS
    assert kept_texts(["题目", "短", "短", long, long], "题 目") == [False, True, True, True, False]
    assert kept_texts(["题目"], "题目") == [True]


LONG = [chr(ord("甲") + n) * MIN_REPEAT_CHARS for n in range(80)]


def test_what_stands_there_again_among_new_lines_may_stay_but_no_copy() -> None:
    remark, texts = LONG[0], [LONG[1], LONG[0], LONG[2], LONG[0], LONG[3], "短"]
    assert kept_texts(texts, "", repeats_stay=lambda: True) == [True] * 6
    assert kept_texts(texts, "", repeats_stay=lambda: False) == kept_texts(texts, "")
    assert kept_texts(texts, "").count(False) == 1
    copied = [*texts, "新", *texts]
    kept = kept_texts(copied, "", repeats_stay=lambda: True)
    assert kept == [True] * 7 + [False] * 6
    free = [text == remark for text in copied]
    assert kept_texts(copied, "", free, repeats_stay=lambda: True).count(True) == 7 + 2


def test_whether_repeats_stay_is_asked_only_where_there_are_some() -> None:
    def asked() -> bool:
        raise AssertionError

    assert kept_texts(["短", "短", LONG[0]], "", repeats_stay=asked) == [True] * 3


def test_a_short_part_of_a_long_text_is_no_copy() -> None:
    texts = [*LONG, *LONG[3:6], "end"]
    assert all(kept_texts(texts, "", repeats_stay=lambda: True))
    few = [*LONG[:10], *LONG[3:6], "end"]
    assert kept_texts(few, "", repeats_stay=lambda: True).count(False) == 3


def copied_naively(texts: list[str]) -> list[bool]:
    """The longest run of texts of before, from each place on; long enough ones are copies."""
    is_copy, n = [False] * len(texts), 0
    while n < len(texts):
        lengths = [
            length
            for start in range(n)
            for length in range(1, min(n - start, len(texts) - n) + 1)
            if texts[start : start + length] == texts[n : n + length]
        ]
        longest = max(lengths, default=0)
        part = sum(map(len, texts[n : n + longest]))
        if longest >= MIN_COPY_LINES and part >= MIN_COPY_SHARE * sum(map(len, texts)):
            is_copy[n : n + longest] = [True] * longest
        n += max(longest, 1)
    return is_copy


@settings(max_examples=examples(200))
@given(st.lists(st.sampled_from("abcdef"), max_size=18))
def test_copies_are_those_of_a_naive_search(letters: list[str]) -> None:
    texts = [letter * MIN_REPEAT_CHARS for letter in letters]
    expected = copied_naively(texts)
    if len(set(texts)) == len(texts):
        assert not any(expected)
    kept = kept_texts(texts, "", repeats_stay=lambda: True)
    assert kept == ([not copy for copy in expected] if not all(expected) else [True] * len(texts))


def test_many_repeated_lines_are_quick() -> None:
    texts = [LONG[n * n % 7] for n in range(20_000)]
    started = time.process_time()
    kept_texts(texts, "", repeats_stay=lambda: True)
    assert time.process_time() - started < 2


def chosen_lines(
    html: str, choose: Callable[[LineFeatures, PageTree, np.ndarray], np.ndarray], *words: str
) -> list[str]:
    """Texts that a step adds to the lines that hold one of some words."""
    tree = Page.from_html(html).tree
    features = line_features(tree, blank_scorer())
    texts = line_texts(tree, features.cut, np.arange(len(features.cut)))
    before = np.array([any(word in text for word in words) for text in texts])
    after = choose(features, tree, before)
    assert not (before & ~after).any()
    return list(compress(texts, after & ~before))


GAP = "<div><p>甲一</p><p>参数</p><p>说明</p><p>甲二</p></div><p>别处</p><p>甲三</p>"


@pytest.mark.parametrize(
    ("kind", "score", "added"),
    [
        ("documentation", -1.0, ["参数", "说明"]),
        ("other", -1.0, ["参数", "说明"]),
        ("documentation", -3.0, []),
        ("article", 1.0, []),
    ],
)
def test_gaps_within_an_element_are_filled_in_manuals(kind, score, added) -> None:
    def choose(features, tree, before):
        kinds = np.eye(len(KINDS))[KINDS.index(kind)]
        scores = np.full(len(before), score)
        return with_gaps(tree, features, scores, lambda: kinds, before)

    assert chosen_lines(GAP, choose, "甲") == added


def test_without_a_gap_no_kind_is_asked_for() -> None:
    def choose(features, tree, before):
        return with_gaps(tree, features, np.zeros(len(before)), lambda: 1 / 0, before)

    assert chosen_lines("<div><p>甲一</p></div><p>别处</p><p>甲二</p>", choose, "甲") == []
    assert chosen_lines("<p>甲一</p><p>甲二</p>", choose, "甲") == []
    assert chosen_lines("<p>一</p>", choose, "甲") == []


@pytest.mark.parametrize(
    ("html", "score", "added"),
    [
        ("<h1>甲</h1><p>甲一</p><h3>问</h3><p>甲二</p>", -1.5, ["问"]),
        ("<h1>甲</h1><p>甲一</p><h3>问</h3><p>甲二</p>", -2.5, []),
        ("<p>甲一</p><div>问</div><p>甲二</p>", 0.0, []),
        ("<p>甲一</p><h3>问</h3><h3>答</h3><p>甲二</p>", 0.0, []),  # two of them
        ("<h3>问</h3><p>甲二</p>", 0.0, []),
        ("<p>甲二</p><h3>问</h3>", 0.0, []),
        ("<div><p>甲一</p><h3>问</h3></div><p>甲二</p>", 0.0, []),  # not in one element
        # in an element of its own, and at the beginning of another one
        ("<p>甲一</p><div><div><h3>问</h3></div></div><p>甲二</p>", 0.0, ["问"]),
        ("<p>甲一</p><div><h3>问</h3><p>甲二</p></div>", 0.0, ["问"]),
        ("<p>甲一</p><div><div>1</div><h3>问</h3><p>甲二</p></div>", 0.0, ["问"]),
        ("<p>甲一</p><div><h3>问</h3><p>甲二</p><p>别处的很多话</p></div>", 0.0, []),
        ("<p>甲一</p><div><h3 hidden>问</h3><p>甲二</p></div>", 0.0, []),
        ("<p>甲一</p><div><h3>相关文章</h3><p>甲二</p></div>", 0.0, []),
        # behind a time in an element of their own
        ("<p>甲一</p><div><div><time>8:10</time><h3>问</h3></div><p>甲二</p></div>", 0.0, ["问"]),
        ("<p>甲一</p><div><div><i>8:10</i><h3>问</h3></div><p>甲二</p></div>", 0.0, []),
        # one of two headings of its level, then one of three
        ("<h3>甲</h3><p>甲一</p><h3>问</h3><p>甲二</p><h3>荐</h3><p>别处</p>", 0.0, ["问"]),
        ("<h3>荐</h3><h3>选</h3><p>甲一</p><h3>问</h3><p>甲二</p><h3>甲</h3>", 0.0, []),
        ("<h2>荐</h2><h2>选</h2><p>甲一</p><h3>问</h3><p>甲二</p>", 0.0, ["问"]),
        # most of them stand before content, three of four and two of four
        (
            "<p>甲一</p><h3>问</h3><p>甲二</p><h3>答</h3><p>甲三</p><h3>述</h3><p>甲四</p>",
            0.0,
            ["问", "答", "述"],
        ),
        ("<p>甲一</p><h3>问</h3><p>甲二</p><h3>答</h3><p>甲三</p><h3>荐</h3><h3>选</h3>", 0.0, []),
        ("<p>甲一</p><h3 hidden>问</h3><p>甲二</p>", 0.0, []),
        ("<div hidden><p>甲一</p><h3>问</h3><p>甲二</p></div>", 0.0, ["问"]),
    ],
)
def test_a_heading_between_or_before_lines_of_content_is_content(html, score, added) -> None:
    def choose(features, tree, before):
        return with_headings(tree, features, np.full(len(before), score), before)

    assert chosen_lines(f"<div>{html}</div>", choose, "甲") == added
    assert with_headings(*_empty_choice()).tolist() == []


CONTACTS = ["如有疑问，请联系：", "联系人：王女士", "电话：022-1234", "邮箱：a@b.example"]


@pytest.mark.parametrize(
    ("first", "added"), [(0.0, CONTACTS), (-0.8, CONTACTS), (-2.0, [])], ids=str
)
def test_contacts_right_behind_a_text_are_kept_together(first, added) -> None:
    def choose(features, tree, before):
        scores = np.full(len(before), -4.0)
        scores[int(before.nonzero()[0][-1]) + 1] = first
        return with_contacts(tree, features, scores, before)

    rows = "".join(f"<p>{line}</p>" for line in CONTACTS)
    html = f"<p>甲一</p><div>{rows}<p>版本</p><p>电话：022-5678</p></div>"
    assert chosen_lines(html, choose, "甲") == added
    assert chosen_lines("<p>甲一</p><p>版本</p>" + rows, choose, "甲") == []
    assert with_contacts(*_empty_choice()).tolist() == []


LABELED = ["时间：5月10日 9:00", "地点：湖边会议中心", "主办方：读书会", "Entry fee: none"]


@pytest.mark.parametrize(
    ("lines", "added"),
    [
        (LABELED, ["时间：5月10日 9:00"]),
        ([LABELED[0], "报名从现在开始，不限名额，早到早得。", *LABELED[2:]], []),
        ([*LABELED, *LABELED[:1] * 4], []),
    ],
    ids=["labels", "a sentence among them", "more than half"],
)
def test_labeled_lines_that_look_the_same_are_chosen_together(lines, added) -> None:
    def choose(features, tree, before):
        return with_labeled(tree, features, before)

    rows = "".join(f"<p>{line}</p>" for line in lines)
    assert chosen_lines(f"<h1>大会</h1><div>{rows}</div>", choose, *LABELED[1:]) == added
    tree, features, _, is_content = _empty_choice()
    assert with_labeled(tree, features, is_content).tolist() == []


def _empty_choice():
    tree = Page.from_html("").tree
    return tree, line_features(tree, blank_scorer()), np.zeros(0), np.zeros(0, np.bool_)


def test_labels_of_training_lines() -> None:
    gold = squeeze(FIRST + SECOND)
    html = PAGE.replace("</body>", f"<p>{SECOND}</p></body>")
    page = prepare_page(MarkedPage("a", "set", "site", html.encode(), gold, ""))
    assert page is not None
    labels = dict(zip(page.texts, page.label.tolist(), strict=True))
    assert labels[squeeze(FIRST)] is True
    assert labels[squeeze(THIRD)] is False
    twins = [
        used for text, used in zip(page.texts, page.used, strict=True) if text == squeeze(SECOND)
    ]
    assert sorted(twins) == [False, True]
    assert not page.used[page.texts.index(page.headline)]
    assert prepare_page(MarkedPage("b", "set", "site", b"", gold, "")) is None


def test_matched_share() -> None:
    assert matched_share(["甲乙丙", "丁", "戊己"], "甲丙戊己").tolist() == [2 / 3, 0, 1]


@pytest.mark.parametrize(
    ("url", "body", "site"),
    [
        ("http://news.sina.com.cn/a", b"", "sina"),
        ("http://a.b.gov.tw/", b"", "b"),
        ("http://example.org", b"", "example"),
        ("", b"<a href='http://www.zol.com.cn/x'><a href=https://www.facebook.com/x>", "zol"),
        ("", b"", ""),
    ],
)
def test_site_of_a_page(url: str, body: bytes, site: str) -> None:
    assert site_of(url, body) == site


@pytest.mark.full
@pytest.mark.shared
def test_damaged_real_pages_in_bounded_time() -> None:
    rng = random.Random(7)
    sets = ("daniel_zh", "cwced", "magic_forum_zh", "twevents", "wcxb_en")
    bodies = [body for _, body, _ in real_pages(*sets, limit=12)]
    qc.extract(bodies[0])
    times = []
    for body in bodies:
        for page in (body, mutated(body, rng)):
            start = time.process_time()
            content = qc.extract(page)
            times.append(time.process_time() - start)
            assert content.failure is None
            assert content.text or not content.page.tree.text_chars[0]
    assert max(times) <= 50 * float(np.median(times))


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data")
def test_posts_of_a_real_site_are_not_empty() -> None:
    path = SHARED / "sites" / "bboyjing.github.io.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    for row in rows[:40]:
        content = qc.extract(row["html"], row["url"])
        assert content.failure is None
        assert content.text
