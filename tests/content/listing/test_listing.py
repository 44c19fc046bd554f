"""The main list of a page: found, its items read, what is alike in them taken together."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.list_items import ListItem, list_items_of, price_in
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


def _items_of(body: str, title: str = "") -> tuple[ListItem, ...]:
    """Items of a page whose content is what stands in ``main``."""
    nav = "<nav><ul>" + "".join(f"<li><a href=/n{n}>栏目{n}</a>" for n in range(9)) + "</ul></nav>"
    tree = PageTree.parse(f"<title>{title}</title>{nav}<main>{body}</main>")
    (main,) = tree.nodes("main")
    content = np.zeros(len(tree.runs), bool)
    content[tree.run_start[main] : tree.run_end[main]] = True
    return list_items_of(tree, content, "http://a.example/list/")


LINES = {
    "date_behind": "<li><a href='{link}'>{title}</a><span>{date}</span></li>",
    "date_before": "<li><span>[{date}]</span> <a href='{link}'>{title}</a></li>",
    "bullet": "<li>· <a href='{link}'>{title}</a> {date}</li>",
    "category": "<li>[<a href=/c/1>通知</a>] <a href='{link}'>{title}</a><em>{date}</em></li>",
    "category_as_text": "<li>【通知】<a href='{link}'>{title}</a><em>{date}</em></li>",
    "label": "<li><b class=tag>校内</b> <a href='{link}'>{title}</a> ({date})</li>",
    "small": "<li><a href='{link}'>{title}</a> <small>小李，{date}，阅读十二次</small></li>",
    "cells": "<tr><td>·<td><a href='{link}'>{title}</a><td>{date}</tr>",
    "card": "<li><a href='{link}'><span><div>{date}</div></span><div>{title}</div></a></li>",
    "numbered": "<li><a href='{link}'><h3>{number}</h3></a><h3><a href='{link}'>{title}</a></h3>"
    "<p>{date}</p></li>",
}


@pytest.mark.parametrize("form", LINES)
def test_titles_beside_other_text_in_their_line(form: str) -> None:
    items = "".join(
        LINES[form].format(link=f"/news/{n}.html", title=title, date=date, number=n + 1)
        for n, (title, _, date) in enumerate(NEWS)
    )
    assert _items_of(f"<{'table' if form == 'cells' else 'ul'}>{items}") == tuple(
        ListItem(title, f"http://a.example/news/{n}.html", "", "", date)
        for n, (title, _, date) in enumerate(NEWS)
    )


CARDS = {
    "link_around_all": "<li><a href={link}><img><h2>{name}</h2><span>{price}</span></a>"
    "<a href='?add={number}'>Add this one to cart</a></li>",
    "link_around_heading": "<li><a href={link}><h3>{name}</h3><p>From Italy</p></a>"
    "<a href=/author/jane-bennet-of-longbourn>Jane Bennet of Longbourn</a> {price}</li>",
    "link_in_heading": "<li><h3>No. {number}: <a href={link}>{name}</a></h3>"
    "<a href=/author/jane-bennet-of-longbourn>Jane Bennet of Longbourn</a> {price}</li>",
    "link_of_picture": "<li><a href={link}><img></a><h3>{name}</h3>"
    "<a href=/author/jane>Jane</a><p>{price}</p></li>",
    "link_around_lines": "<li><a href={link}><img><div>{name}</div><div>{price}</div></a>"
    "<a href='/view/{number}'>Quick view of this one in a window</a></li>",
    "two_links": "<li><div class=name><a href={link}>{name}</a></div><div>{price}</div>"
    "<div class=by><a href=/by/{number}>Hill, Long &amp; Meryton {number}{number}</a></div></li>",
}


@pytest.mark.parametrize("card", CARDS)
def test_links_of_cards(card: str) -> None:
    cards = "".join(
        CARDS[card].format(link=f"/p/{n}", name=name, price=price, number=n)
        for n, (name, _, price) in enumerate(GOODS)
    )
    items = _items_of(f"<ul>{cards}</ul>")
    assert [item.link for item in items] == [f"http://a.example/p/{n}" for n in range(3)]
    assert all(name in item.title for item, (name, _, _) in zip(items, GOODS, strict=True))
    assert [item.price for item in items] == [price for _, _, price in GOODS]


def test_menus_of_the_same_look_and_items_without_content_are_left_out() -> None:
    lines = "".join(f"<li><a href=/{n}>{title}</a>" for n, (title, _, _) in enumerate(NEWS))
    assert [item.title for item in _items_of(f"<ul>{lines}<li><a href=/more></a></ul>")] == [
        title for title, _, _ in NEWS
    ]


def test_a_row_of_headers_is_no_item() -> None:
    rows = "".join(
        f"<tr><td><a href=/t/{n}>{title}</a><br><small>by jane{n}</small><td>{n}<td>{date}"
        for n, (title, _, date) in enumerate(NEWS)
    )
    items = _items_of(f"<table><tr><th>Topic<th>Replies<th>Last post{rows}</table>")
    assert [item.title for item in items] == [title for title, _, _ in NEWS]


def test_rows_of_nothing_but_headers_are_items() -> None:
    rows = "".join(f"<tr><th><a href=/t/{n}>{title}</a>" for n, (title, _, _) in enumerate(NEWS))
    assert [item.title for item in _items_of(f"<table>{rows}</table>")] == [one[0] for one in NEWS]


def test_chapters_have_numbers_of_their_own() -> None:
    rows = "".join(
        f"<li><a href=/c/{n}>Chapter {n}</a> <a href=/u/{n}>Jane the harbor Doe</a></li>"
        for n in range(12)
    )
    assert _items_of(f"<ul>{rows}</ul>")[3].title == "Chapter 3"


def test_links_to_places_of_the_page_are_no_items() -> None:
    parts = "".join(
        f"<div class=part><h2><a href='#{n}'>{t}</a></h2>{x}</div>"
        for n, (t, x, _) in enumerate(NEWS)
    )
    assert _items_of(parts) == ()


def test_sentences_that_begin_with_a_link_are_no_items() -> None:
    parts = "".join(f"<li><a href=/x{n}>{t}</a>，{x}</li>" for n, (t, x, _) in enumerate(NEWS))
    assert _items_of(f"<ul>{parts}</ul>") == ()


def test_a_teaser_repeats_no_title() -> None:
    cards = "".join(
        f"<li><h3><a href=/p/{n}>{name}</a></h3><p>{name} new</p><p>Posted 2012-03-0{n + 1}</p></li>"
        for n, (name, _, _) in enumerate(GOODS)
    )
    assert [item.teaser for item in _items_of(f"<ul>{cards}</ul>")] == ["", "", ""]


PRICES = """
    19,99 €|€19.99|£1,299.00|US$19.99|US $19.99|HK$199|NT$1,299|A$19.99|C$5|R$ 19,90|1 299 zł
    |1 299,00 ₽|199元|￥199|13.8万元|¥6,499|6499円|CHF 19.90|19.90 CHF|199 kr|kr 199|Rs. 1,299.00
    |Rs 500|₹1,29,999|1'299.00 CHF|$1299.99|PLN 30|30USD
"""


@pytest.mark.parametrize("price", PRICES.strip().split("|"))
def test_prices(price: str) -> None:
    assert price_in(price.strip()) == price.strip()
    assert price_in(f"From {price.strip()} a piece, 3 left") == price.strip()


@pytest.mark.parametrize(
    ("line", "price"),
    [
        ("NOW $19", "$19"),
        ("$5, 3 left", "$5"),
        ("$24 50 reviews", "$24"),
        ("1元旦", ""),
        ("Lamp RS 175", ""),
        ("Mower KR800", ""),
        ("12 krona", ""),
        ("10 sek", ""),
        ("$5 " + "x" * 80, ""),
    ],
)
def test_what_is_no_part_of_a_price(line: str, price: str) -> None:
    assert price_in(line) == price


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("<del>$199.00</del> <ins>$89.00</ins>", "$89.00"),
        ("<s>$199.00</s> <b>$89.00</b>", "$89.00"),
        ("<del>$199.00</del> was: $199.00. <ins>$89.00</ins> is: $89.00.", "$89.00"),
        ("<del>$199.00</del>", "$199.00"),
        ("<span>$89</span><sup>50</sup>", "$89.50"),
    ],
)
def test_prices_that_replace_others(shown: str, price: str) -> None:
    cards = "".join(
        f"<li><a href=/p/{n}><h2>{name}</h2></a><p>{shown}</p></li>"
        for n, (name, _, _) in enumerate(GOODS)
    )
    assert [item.price for item in _items_of(f"<ul>{cards}</ul>")] == [price] * 3


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
