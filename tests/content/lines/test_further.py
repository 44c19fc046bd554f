"""Further articles that follow the content of a page are no part of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.headline import Headline, find_headline
from quarkcrawl.content.kind import KINDS
from quarkcrawl.content.lines.further import (
    in_named_boxes,
    n_above_headline,
    n_of_subject,
    text_terms,
    without_behind_body,
    without_headed,
)
from quarkcrawl.content.lines.matrix import line_features
from quarkcrawl.content.lines.text import COUNTS
from quarkcrawl.lab.training.data import blank_scorer
from quarkcrawl.page import Page
from tests.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FIRST = (
    "周六下午三点，湖边读书会在第二教学楼前举行，二十多位同学带着自己喜欢的书来到湖边。",
    "管理员说，图书馆最近新到了一批关于计算机网络的书，借的人很多，请大家看完以后按时归还。",
    "读书会每月举行一次，下一次的题目是“中国互联网二十年”，欢迎各系的同学参加。",
)
OTHER = (
    "昨夜，沿海城市普降暴雨，气象台连发橙色预警，渔船全部回港，轮渡停航。",
    "交警提醒：高速公路部分路段积水严重，货车应绕行，车速不得超过六十公里。",
    "电力公司抢修队彻夜工作，到凌晨五时，停电用户已减少到三千户。",
)
SAME = (
    "图书馆的管理员介绍，湖边读书会举行以来，同学们带来的书已有二百多本。",
    "读书会的同学说，计算机网络的书最受欢迎，下一次的题目也与互联网有关，欢迎参加。",
    "教学楼前的湖边，二十多位同学看完书以后按时归还，借书的人很多。",
)


def paragraphs(texts: tuple[str, ...]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def page_of(
    further: tuple[str, ...], n_links: int = 8, *, is_apart: bool = True, heading: str = ""
) -> Page:
    links = "".join(f'<li><a href="/{n}">第{n}条</a></li>' for n in range(n_links))
    nav, text = f"<ul>{links}</ul>{heading}", paragraphs(further)
    behind = (
        f'</div></div>{nav}<div class="article"><div class="text">{text}</div></div>'
        if is_apart
        else f"{nav}{text}</div></div>"
    )
    return Page.from_html(
        "<html><head><title>湖边读书会举行</title></head><body><h1>湖边读书会举行</h1>"
        f'<div class="article"><div class="text">{paragraphs(FIRST)}{behind}</body></html>'
    )


def kinds(kind: str) -> Callable[[], NDArray[np.float64]]:
    return lambda: np.eye(len(KINDS))[KINDS.index(kind)]


def n_kept(
    page: Page, score: float = 3.0, behind: float | None = None, kind: str = "article"
) -> int:
    """Of the paragraphs of a page, how many are of its subject.

    Args:
        page: the page.
        score: what the trees say of each line.
        behind: the same of the lines behind the first article, if another.
        kind: what the page is.
    """
    features = line_features(page.tree, blank_scorer())
    chars = features.text.counts[:, COUNTS.index("chars")]
    lines = (chars > 25).nonzero()[0]
    texts = [page.tree.runs[run] for run in features.cut.first_run[lines]]
    scores = np.full(len(features.cut), score)
    if behind is not None:
        scores[lines[len(FIRST) - 1] + 1 :] = behind
    return n_of_subject(page.tree, features, scores, lines, texts, page.tree.title, kinds(kind))


def test_another_article_behind_links_is_left_out() -> None:
    assert n_kept(page_of(OTHER)) == len(FIRST)


@pytest.mark.parametrize(
    "page",
    [
        page_of(SAME),
        page_of(OTHER, n_links=3),
        page_of(OTHER, is_apart=False),
        page_of(("2024-01-02 13:45:10 1,200 3,400 5,600 7,800",) * 3),
        page_of(()),
    ],
    ids=["same subject", "few lines between", "same element", "numbers", "nothing behind"],
)
def test_what_may_belong_is_kept(page: Page) -> None:
    assert n_kept(page) >= len(FIRST)
    assert n_kept(page) == n_kept(page, score=-3.0)


def test_no_article_begins_with_code() -> None:
    numbers = "".join(f"<pre>{n}</pre>" for n in range(1, 30))
    rows = f"<tr><td>{numbers}</td><td>{{}}</td></tr>"
    code = f"<pre>{'<br>'.join(OTHER)}</pre>"
    table, text = (rows.format(cell) for cell in (code, paragraphs(OTHER)))
    html = f"<h1>湖边读书会举行</h1><div><div>{paragraphs(FIRST)}</div></div><table>{{}}</table>"
    assert n_kept(Page.from_html(html.format(text))) == len(FIRST)
    assert n_kept(Page.from_html(html.format(table))) == len(FIRST + OTHER)


def test_unsure_beginnings_end_nothing() -> None:
    assert n_kept(page_of(OTHER), score=-1.0) == len(FIRST + OTHER)


def test_behind_many_lines_less_sure_beginnings_end_there() -> None:
    assert n_kept(page_of(OTHER, n_links=8), score=0.0) == len(FIRST + OTHER)
    assert n_kept(page_of(OTHER, n_links=18), score=0.0) == len(FIRST)
    assert n_kept(page_of(SAME, n_links=18), score=0.0) == len(FIRST + SAME)
    assert n_kept(page_of(OTHER, n_links=18), score=-1.0) == len(FIRST + OTHER)


def test_doubtful_text_behind_many_lines_is_left_out_whatever_it_says() -> None:
    far = page_of(SAME, n_links=25)
    assert n_kept(far, score=1.0, behind=-1.0) == len(FIRST)
    assert n_kept(far, score=-0.8, behind=-1.0) == len(FIRST + SAME)  # no clearer before
    assert n_kept(far, score=3.0, behind=0.5) == len(FIRST + SAME)
    near = page_of(SAME, n_links=8)
    assert n_kept(near, score=1.0, behind=-1.0) == len(FIRST)
    assert n_kept(near, score=1.0, behind=-1.0, kind="service") == len(FIRST + SAME)
    assert n_kept(far, score=1.0, behind=-1.0, kind="service") == len(FIRST)
    assert n_kept(far, score=1.0, behind=-1.0, kind="listing") == len(FIRST + SAME)


def teasers(n_names: int, n_times: int = 1) -> Page:
    """The first article, and behind links sentences of the same subject, each with its names."""
    names = "".join(f"<div>第{n}人</div>" for n in range(n_names))
    rows = "".join(f"<section>{names}<p>{text}</p></section>" for text in SAME * n_times)
    links = "".join(f'<li><a href="/{n}">第{n}条</a></li>' for n in range(8))
    return Page.from_html(
        f"<div><div>{paragraphs(FIRST)}</div></div><ul>{links}</ul><main>{rows}</main>"
    )


def test_sentences_one_by_one_behind_an_article_are_teasers() -> None:
    apart = teasers(3)
    assert n_kept(apart, score=3.0, behind=1.0) == len(FIRST)
    assert n_kept(apart, score=3.0, behind=3.0) == len(FIRST + SAME)  # as clear as the article
    assert n_kept(apart, score=0.7, behind=0.1) == len(FIRST + SAME)  # it is not clear itself
    assert n_kept(apart, score=3.0, behind=1.0, kind="documentation") == len(FIRST + SAME)
    assert n_kept(teasers(0), score=3.0, behind=1.0) == len(FIRST + SAME)
    assert n_kept(teasers(3, n_times=2), score=3.0, behind=1.0) > len(FIRST)  # most of the page


HEADINGS = [
    "相关报道",
    "▪ 最新文章：",
    "Latest news",
    "\n  Latest\n    news\n",
    "Читайте также:",
    "Zobacz także",
    "Baca juga",
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_between_is_as_good_as_many_lines(heading: str) -> None:
    page = page_of(OTHER, n_links=0, heading=f"<h4>{heading}</h4>")
    assert n_kept(page, score=0.0) == len(FIRST)
    assert n_kept(page_of(OTHER, n_links=0, heading="<h4>经过</h4>"), score=0.0) == len(
        FIRST + OTHER
    )


def test_below_a_heading_the_same_subject_and_clearer_text_are_kept() -> None:
    heading = "<h4>相关报道</h4>"
    assert n_kept(page_of(SAME, 0, heading=heading), score=0.0) == len(FIRST + SAME)
    inset = page_of(OTHER, 2, heading=heading)
    assert n_kept(inset, score=0.0, behind=3.0) == len(FIRST + OTHER)
    assert n_kept(page_of(OTHER, 18, heading=heading), score=0.0, behind=3.0) == len(FIRST)


def test_a_chosen_heading_is_left_out_with_what_it_heads() -> None:
    page = page_of(OTHER, n_links=0, heading="<h4>Latest news</h4>")
    features = line_features(page.tree, blank_scorer())
    texts = [page.tree.runs[run] for run in features.cut.first_run]
    first = texts.index(FIRST[0])
    lines = np.arange(first, len(texts))
    n_lines = n_of_subject(
        page.tree,
        features,
        np.full(len(texts), 3.0),
        lines,
        texts[first:],
        page.tree.title,
        kinds("other"),
    )
    assert texts[first : first + n_lines] == list(FIRST)


def lines_above(above: str, heading: str, title: str = "湖边读书会举行") -> tuple[Page, int, int]:
    """A page with text above its headline; how many of its lines stand there, and are left out."""
    page = Page.from_html(f"<title>{title}</title><body>{above}{heading}{paragraphs(FIRST)}</body>")
    features = line_features(page.tree, blank_scorer())
    n_lines = len(features.cut)
    n_above = n_above_headline(page.tree, features, np.arange(n_lines), find_headline(page.tree))
    return page, n_lines - len(FIRST) - 1, n_above


def test_what_stands_above_the_headline_is_no_text() -> None:
    _, n_lines, n_above = lines_above(paragraphs(OTHER[:1]), "<h1>湖边读书会举行</h1>")
    assert n_above == n_lines == 1


@pytest.mark.parametrize(
    ("above", "heading"),
    [
        (paragraphs(OTHER) * 3, "<h1>湖边读书会举行</h1>"),
        (paragraphs(OTHER[:1]), "<h2>湖边读书会举行</h2>"),
        (paragraphs(OTHER[:1]), ""),
        (f"<h1>沿海普降暴雨</h1>{paragraphs(OTHER[:1])}", "<h1>湖边读书会举行</h1>"),
    ],
)
def test_most_of_a_text_and_other_parts_of_it_stand_above_no_headline(
    above: str, heading: str
) -> None:
    assert lines_above(above, heading)[2] == 0


def test_a_headline_that_is_not_shown_has_nothing_above_it() -> None:
    tree = page_of(OTHER).tree
    features = line_features(tree, blank_scorer())
    lines = np.arange(len(features.cut))
    assert n_above_headline(tree, features, lines, Headline("湖边读书会举行", "og:title")) == 0


def test_lines_without_weight_stay() -> None:
    page, _, n_above = lines_above("<p>---</p>", "<h1>湖边读书会举行</h1>")
    features = line_features(page.tree, blank_scorer())
    assert n_above == 1
    assert n_above_headline(page.tree, features, np.arange(1), find_headline(page.tree)) == 0


def test_default_leaves_out_what_stands_above_the_headline() -> None:
    page, _, _ = lines_above(paragraphs(OTHER[:1]), "<h1>湖边读书会举行</h1>")
    content = qc.extract(page.html)
    assert content.text.startswith(FIRST[0])
    assert content.title == "湖边读书会举行"


def test_a_page_without_lines_has_no_subject() -> None:
    tree = Page.from_html("").tree
    features = line_features(tree, blank_scorer())
    assert (
        n_of_subject(tree, features, np.zeros(0), np.zeros(0, np.intp), [], "", kinds("other")) == 0
    )


def test_default_leaves_further_articles_out() -> None:
    content = qc.extract(page_of(OTHER).html, method="default")
    assert FIRST[1] in content.text
    assert OTHER[1] not in content.text
    assert SAME[1] in qc.extract(page_of(SAME).html, method="default").text


@settings(max_examples=examples(100))
@given(st.lists(st.text(max_size=40), max_size=5))
def test_terms_are_of_single_texts(texts: list[str]) -> None:
    assert text_terms(texts).total() == sum(text_terms([text]).total() for text in texts)


def test_a_thousand_parts_are_quick() -> None:
    links = "<p><a href=/>x</a></p>" * 7
    parts = "".join(
        f"<div><div><p>{''.join(chr(0x4E00 + (n * 37 + k * k) % 9000) for k in range(60))}。</p>"
        f"</div></div>{links}"
        for n in range(1000)
    )
    page = Page.from_html(f"<body>{parts}</body>")
    features = line_features(page.tree, blank_scorer())
    lines = np.arange(0, len(features.cut), 8)
    texts = [page.tree.runs[run] for run in features.cut.first_run[lines]]
    scores, started = np.zeros(len(features.cut)), time.process_time()
    assert n_of_subject(page.tree, features, scores, lines, texts, "", kinds("other")) == len(lines)
    assert time.process_time() - started < 1


def headed(heading: str, before: str = "", items: int = 2) -> list[str]:
    """Texts that stay chosen of a page whose content is followed by items below a heading."""
    rows = "".join(f"<li>第{n}个职位，月薪面谈，在湖边上班</li>" for n in range(items))
    tree = Page.from_html(
        f"<body><h1>读书会</h1><div class=text>{paragraphs(FIRST)}</div>"
        f"<div class=more>{before}<h4>{heading}</h4><ul>{rows}</ul></div>"
    ).tree
    features = line_features(tree, blank_scorer())
    texts = [tree.runs[run] for run in features.cut.first_run]
    chosen = np.array([text not in {heading, "读书会"} for text in texts])
    kept = without_headed(tree, features, chosen)
    assert not (kept & ~chosen).any()
    return [text for text, is_kept in zip(texts, kept.tolist(), strict=True) if is_kept]


@pytest.mark.parametrize(
    "heading",
    [
        "相似职位",
        "猜你喜欢：",
        "其他人也在看",
        "Related articles",
        "You may also like",
        "看了又看 »",
        "Related\n\t articles",
    ],
)
def test_what_stands_below_a_heading_of_similar_things_is_left_out(heading):
    assert headed(heading) == list(FIRST)


@pytest.mark.parametrize(
    ("body", "is_cut"),
    [
        ("<section itemprop='text articleBody'>{}</section>", True),
        ("<section>{}</section>", False),
        ("<section itemprop=description>{}</section>", False),
        ("<section itemprop=articleBody>{}</section><p itemprop=articleBody>雨</p>", False),
        ("{}<section itemprop=articleBody><p>月薪面谈</section>", False),
    ],
    ids=["the body", "nothing declared", "something else", "two bodies", "hardly a body"],
)
def test_behind_the_declared_body_of_an_article_is_no_text(body, is_cut):
    text = "".join(f"<p>{line}</p>" for line in FIRST)
    tree = Page.from_html(f"<p>导语</p>{body.format(text)}<p>{FIRST[0][::-1]}</p>").tree
    features = line_features(tree, blank_scorer())
    chosen = np.ones(len(features.cut), np.bool_)
    n_left_out = int((~without_behind_body(tree, features, chosen)).sum())
    assert n_left_out == is_cut


def test_a_heading_of_similar_things_with_nothing_chosen_below_is_left_out():
    tree = Page.from_html(f"<body>{paragraphs(FIRST)}<h4>相似职位</h4><p>月薪面谈</p>").tree
    features = line_features(tree, blank_scorer())
    chosen = np.arange(len(FIRST) + 2) <= len(FIRST)
    assert without_headed(tree, features, chosen).nonzero()[0].tolist() == [*range(len(FIRST))]
    alone = np.arange(len(FIRST) + 2) == len(FIRST)
    assert without_headed(tree, features, alone).nonzero()[0].tolist() == [len(FIRST)]


@pytest.mark.parametrize(
    "heading", ["职位要求", "See also", "相似职位的要求", "You may also like it"]
)
def test_other_headings_change_nothing(heading):
    assert len(headed(heading)) == len(FIRST) + 2


def test_a_heading_within_a_text_changes_nothing():
    assert len(headed("相似职位", before="<p>招聘的经过是这样的。</p>")) == len(FIRST) + 3


def test_most_of_a_page_is_not_left_out_for_a_heading():
    assert len(headed("相似职位", items=20)) == len(FIRST) + 20


@pytest.mark.parametrize(
    ("name", "n_links", "are_others"),
    [
        ("class=recommend-box", 4, True),
        ("id=related_posts", 4, True),
        ("class='c similarItems'", 4, True),
        ("class=recommend-box", 2, False),
        ("class=unrelated", 4, False),
        ("class='article has-recommendations'", 4, False),
        ("class=js-shorten-related-to-size", 4, False),
        ("class=text", 4, False),
    ],
)
def test_boxes_of_links_that_are_named_as_related_articles(name, n_links, are_others):
    teasers = "".join(f"<a href=/{n}>第{n}篇</a><p>湖畔日报的摘要</p>" for n in range(n_links))
    tree = Page.from_html(
        f"<body><div>{paragraphs(FIRST)}</div><div {name}><div>{teasers}</div></div></body>"
    ).tree
    features = line_features(tree, blank_scorer())
    cut = features.cut
    inside = in_named_boxes(tree, features, np.arange(len(cut)))
    assert not in_named_boxes(tree, features, np.arange(len(FIRST), len(cut))).any()
    assert inside.tolist() == [False] * len(FIRST) + [are_others] * (len(cut) - len(FIRST))


def test_teasers_in_a_named_box_do_not_outweigh_a_short_article():
    """As below short articles of blogs, where there are five times as many sentences."""
    teasers = "".join(
        f"<div class=item><a href=/{n}><b>{text[:9]}</b></a><p>{text}{n}</p></div>"
        for n, text in enumerate((OTHER * 4)[:10])
    )
    html = (
        f"<title>读书会_湖畔</title><body><h1>读书会</h1><article>{paragraphs(FIRST[:2])}</article>"
        f"<div class=recommend-box>{teasers}</div></body>"
    )
    assert qc.extract(html).text.split("\n") == list(FIRST[:2])


def test_a_heading_alone_in_its_element_heads_the_list_beside_it():
    """Titles of other articles and when they appeared: no text, but judged so line by line."""
    rows = "".join(
        f"<div><a href=/{n}>第{n}个职位在湖边</a><p>湖畔日报</p></div>" for n in range(3)
    )
    text, heading = paragraphs(FIRST), "<div class=next><strong>相关推荐</strong></div>"
    for behind, n_left_out in ((f"<div>{rows}</div>", 6), (f"<div>{rows}</div>{text}", 0)):
        tree = Page.from_html(f"<body><div>{text}{heading}{behind}</div></body>").tree
        features = line_features(tree, blank_scorer())
        chosen = np.array(["推荐" not in tree.runs[run] for run in features.cut.first_run])
        kept = without_headed(tree, features, chosen)
        assert int((chosen & ~kept).sum()) == n_left_out
    tree = Page.from_html(f"<body><div>{text}{heading}<div>{text}</div></div></body>").tree
    features = line_features(tree, blank_scorer())
    chosen = np.array(["推荐" not in tree.runs[run] for run in features.cut.first_run])
    assert without_headed(tree, features, chosen).sum() == chosen.sum()


def test_headings_without_text_stand_above_nothing() -> None:
    content = qc.extract("<h1><h1>")
    assert (content.text, content.failure) == ("", None)
