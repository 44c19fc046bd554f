"""The main list of a page: found, its items read, what is alike in them taken together."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.list_items import list_items_of
from quarkcrawl.content.listing import ListLimits, filled_items, main_list, node_looks
from quarkcrawl.page import PageTree

NEWS = [
    ("湖边读书会改到周日下午", "天气预报说周六有大雨，读书会因此推迟一天，地点不变，请大家互相转告。", "2012-03-04"),
    ("图书馆三楼重新开放", "经过两个月的修缮，三楼的阅览室今天重新开放，书架换成了新的。", "2012-03-05"),
    ("校史展览延长一周", "因为参观的人比预想的多，校史展览延长到下周五，每天上午九点开门。", "2012-03-06"),
    ("樱花节志愿者报名", "樱花节需要四十名志愿者，负责引路和分发地图，报名截止到本月十日。", "2012-03-07"),
]  # fmt: skip
GOODS = [
    ("Oak desk with two drawers", "Solid oak, oiled by hand, delivered in one piece.", "€249.00"),
    ("Reading lamp, brass", "A lamp for long evenings, with a shade of green glass.", "€79.50"),
    ("Shelf for eighty books", "Stands without screws, holds more than it looks.", "€120.00"),
]


def _page(body: str) -> bytes:
    nav = "".join(f"<li><a href=/n{n}>栏目{n}</a></li>" for n in range(8))
    html = f"<meta charset=utf-8><title>列表</title><body><ul class=nav>{nav}</ul>{body}"
    return html.encode()


def _news(tag: str = "li") -> bytes:
    items = "".join(
        f"<{tag} class='item item-{n}'><h3><a href='/news/{n}.html'>{title}</a></h3>"
        f"<p>{teaser}</p><span class=date>{date}</span></{tag}>"
        for n, (title, teaser, date) in enumerate(NEWS)
    )
    outer = "ul" if tag == "li" else "section"
    return _page(f"<h1>校园新闻</h1><{outer} class=list>{items}</{outer}>")


@pytest.mark.parametrize("tag", ["li", "div", "article"])
def test_items_of_a_news_list(tag: str) -> None:
    tree = PageTree.parse(_news(tag).decode())
    content = np.array([len(run.strip()) > 12 for run in tree.runs])
    items = list_items_of(tree, content, "http://a.example/list/")
    assert [item.title for item in items] == [title for title, _, _ in NEWS]
    assert [item.teaser for item in items] == [teaser for _, teaser, _ in NEWS]
    assert [item.date for item in items] == [date for _, _, date in NEWS]
    assert [item.link for item in items] == [f"http://a.example/news/{n}.html" for n in range(4)]


def test_prices_of_goods_whose_card_is_one_link() -> None:
    cards = "".join(
        f"<a class=card href=p{n}><div><div class=name>{name}</div><div>{teaser}</div>"
        f"<div class=price>{price}</div></div></a>"
        for n, (name, teaser, price) in enumerate(GOODS)
    )
    tree = PageTree.parse(_page(f"<div class=grid>{cards}</div>").decode())
    content = np.array([len(run) > 12 or "€" in run for run in tree.runs])
    items = list_items_of(tree, content, "http://a.example/shop/")
    assert [item.price for item in items] == [price for _, _, price in GOODS]
    assert [item.title for item in items] == [name for name, _, _ in GOODS]
    assert [item.teaser for item in items] == [teaser for _, teaser, _ in GOODS]
    assert items[0].link == "http://a.example/shop/p0"


def test_content_has_the_items_and_structure_tells_them() -> None:
    content = qc.extract(_news(), url="http://a.example/list/")
    assert [item.title for item in content.list_items] == [title for title, _, _ in NEWS]
    piece = content.structure[-1]
    assert piece["kind"] == "main_list"
    assert isinstance(piece["items"], list)
    assert piece["items"][1] == {
        "title": NEWS[1][0],
        "link": "http://a.example/news/1.html",
        "teaser": NEWS[1][1],
        "date": NEWS[1][2],
    }
    json.dumps(content.structure)


def test_an_article_with_links_in_its_sentences_is_no_list() -> None:
    parts = "".join(
        f"<div class=part><p>{teaser}<a href=/x{n}>{title}</a>{teaser[::-1]}</p></div>"
        for n, (title, teaser, _) in enumerate(NEWS)
    )
    content = qc.extract(_page(f"<h1>三月纪事</h1><article>{parts}</article>"))
    assert content.list_items == ()
    assert all(piece["kind"] != "main_list" for piece in content.structure)


def test_menus_beside_an_article_are_no_main_list() -> None:
    text = "".join(f"<p>{teaser}</p>" for _, teaser, _ in NEWS)
    assert qc.extract(_page(f"<h1>三月纪事</h1><article>{text}</article>")).list_items == ()


def test_lines_at_one_place_are_taken_together() -> None:
    tree = PageTree.parse(_news("div").decode())
    runs = [run for run in range(len(tree.runs)) if tree.run_chars[run] and not tree.run_raw[run]]
    first_run = np.array(runs)
    names = [tree.attr(int(tree.run_node[run]), "class") or "" for run in runs]
    is_teaser = np.array([tree.tags[tree.run_node[run]] == "p" for run in runs])
    is_date = np.array([name == "date" for name in names])
    looks = np.where(is_teaser, 1, np.where(is_date, 2, 3)).astype(np.int64)
    chosen = is_teaser.copy()
    chosen[np.flatnonzero(is_date)[:1]] = True
    weight = np.where(is_teaser, 30.0, 5.0)
    content = np.zeros(len(tree.runs))
    content[first_run] = weight * chosen
    items = main_list(tree, content, node_looks(tree), ListLimits(0.7, 0.8))
    assert items is not None
    assert len(items) == len(NEWS)
    likely = np.where(is_teaser, 1.0, np.where(is_date, 0.6, -5.0))
    filled = filled_items(tree, items, chosen, first_run, weight, likely, looks)
    assert filled.tolist() == (is_teaser | is_date).tolist()
    heavy = np.where(is_date, 100.0, weight)  # more than doubles the text: not believed
    chosen = is_teaser
    assert filled_items(tree, items, chosen, first_run, heavy, likely, looks) is chosen


@pytest.mark.parametrize("body", ["", "<ul></ul>", "<li>a<li>b", "<div><a href=x></a></div>" * 5])
def test_pages_without_a_list(body: str) -> None:
    tree = PageTree.parse(body)
    assert list_items_of(tree, tree.run_chars > 0) == ()


MARKUP = (
    "<ul> </ul> <li> <div> </div> <h2> </h2> </a> ¥12 2012-03-04 标题 word <a~href='x> <a~href> "
    "<li~class=a> <div~class=a> <time~datetime=2012> <a~href=/y>"
)


@given(st.lists(st.sampled_from(MARKUP.replace("~", "\0").split()), max_size=60))
def test_any_markup(parts: list[str]) -> None:
    tree = PageTree.parse("".join(parts).replace("\0", " "))
    for item in list_items_of(tree, tree.run_chars > 0, "http://a.example/"):
        assert item.title
        assert "\n" not in item.title + item.teaser
        assert item.link == "" or item.link.startswith("http")
