"""Items by our rules, beside the paper's: what it names as its failures, bad input, formats."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.items.api import ITEM_METHODS, topic_region
from quarkcrawl.content.items.build import text_of
from quarkcrawl.content.items.options import ItemOptions
from quarkcrawl.content.items.region import BlockRule
from quarkcrawl.content.items.serialize import items_as_html, items_as_json, items_as_markdown
from quarkcrawl.content.items.tables.index import TableIndex
from quarkcrawl.content.items.tables.typing import data_tables
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.page import Page, PageTree
from tests.content.itempages import BODY, GOLDEN, LINKS, text
from tests.profiles import examples

METHODS = sorted(ITEM_METHODS)


# The golden page: items in order


def test_items_of_the_golden_page() -> None:
    items = qc.topic_items(GOLDEN, "http://a.cn/n/1.html")
    assert [item.kind for item in items] == [
        *["paragraph"] * 5,
        "picture",
        *["paragraph"] * 2,
        "table",
        "paragraph",
    ]
    assert (items[0].text, items[0].heading) == ("图书馆到了新书", 1)
    assert (items[5].src, items[5].size, items[5].caption) == (
        "http://a.cn/n/small.jpg",
        (400, 300),
        "新书架",
    )
    assert [item.text for item in items[6:8]] == ["第二段说明，", "换行以后，继续说明。"]
    assert items[8].grid() == [["名", "价"], ["甲", "3"], ["乙", "4"]]
    assert items[9].text == "最后一段，到此结束。"


def test_the_paper_on_the_golden_page() -> None:
    kinds = [item.kind for item in qc.topic_items(GOLDEN, method="ibdom")]
    assert kinds.count("picture") == 0, "a picture in a link is noise to the paper"
    assert kinds.count("table") == 1


def test_content_has_the_same_items() -> None:
    for method in ("rules", "ibdom"):
        assert list(qc.extract(GOLDEN, method=method).items) == qc.topic_items(
            GOLDEN, method=method
        )


def test_items_of_a_method_that_chose_runs() -> None:
    content = qc.extract(GOLDEN.replace(BODY, BODY * 4), "http://a.cn/n/1.html", method="quark")
    kinds = [item.kind for item in content.items]
    assert {"table", "picture"} <= set(kinds)
    shown = text_of(content.items)
    assert all(line in shown for line in content.text.split("\n") if "\t" not in line)


def test_a_picture_inside_a_line_follows_it() -> None:
    html = f"<div>{BODY}<p>前面的话，<img src=a.jpg>后面的话。</p><img src=b.jpg></div>"
    items = qc.topic_items(html, "http://a.cn/")
    assert [getattr(item, "src", item.text) for item in items[-3:]] == [
        "前面的话，后面的话。",
        "http://a.cn/a.jpg",
        "http://a.cn/b.jpg",
    ]


# What the paper names as its failures


@pytest.mark.parametrize("name", ["article", "section", "main", "form", "blockquote"])
def test_topic_text_outside_div_and_table(name: str) -> None:
    html = f"<body><{name} class=a>{BODY}</{name}><section>{LINKS}</section><p>版权，某某。</p>"
    assert "另外一条" in text(html, "ibdom")
    assert text(html).count("图书馆") == 4
    assert "另外一条" not in text(html)


def test_bare_text_in_body() -> None:
    html = f"<body>{BODY}<div>{LINKS}</div><div>短，句。</div>"
    assert text(html).count("图书馆") == 4
    assert "另外一条" not in text(html)


@pytest.mark.parametrize("name", ["related-news", "footer", "sidebar", "copyright_box"])
def test_long_paragraphs_of_noise(name: str) -> None:
    noise = "<p>未经许可不得转载，本站不承担责任，请与作者联系。</p>" * 3
    html = f"<body><div>{BODY}<div class={name}>{noise}</div></div>"
    assert "不得转载" in text(html, "ibdom")
    assert "不得转载" not in text(html)
    assert BlockRule.NAMED in topic_region(html).removed.values()


def test_replies_are_noise_below_an_article_and_topic_in_a_thread() -> None:
    reply = "<div class=comment><p>我也去过那里，确实不错，推荐大家去看。</p></div>"
    assert "我也去过" not in text(f"<div>{BODY * 3}</div><div>{reply * 3}</div>")
    assert text(f"<div><div>{BODY}</div>{reply * 30}</div>").count("我也去过") == 30


def test_data_tables_full_of_links() -> None:
    rows = "".join(f"<tr><td><a href={n}>股票{n}</a><td>{n}.5<td>{n}%" for n in range(9))
    html = f"<div>{BODY}<table><tr><td>名称<td>价格<td>涨幅{rows}</table></div>"
    assert not [i for i in qc.topic_items(html, method="ibdom") if i.kind == "table"]
    assert [i.n_columns for i in qc.topic_items(html) if i.kind == "table"] == [3]


LAYOUT = {
    "one cell": "<tr><td>只有一格",
    "one column": "<tr><td>甲<tr><td>乙<tr><td>丙",
    "one row": "<tr><td>甲<td>乙<td>丙",
    "links": "<tr><td>·<td><a>一条新闻</a><tr><td>·<td><a>二条新闻</a>",
    "form": "<tr><td>姓名<td><input><tr><td>密码<td><input>",
    "body": f"<tr><td>作者<td>甲<tr><td>正文<td>{'很长的正文，在一格里。' * 20}",
    "declared": "role=presentation><tr><th>甲<th>乙<tr><td>1<td>2",
    "listing": "class=highlight><tr><td>1<td>x = 1<tr><td>2<td>y = 2",
    "empty": "<tr><th><th><tr><td><td>",
}
DATA = {
    "headed": "<tr><th>甲<th>乙<tr><td>1<td>2",
    "plain": "<tr><td>甲<td>1<tr><td>乙<td>2",
    "one linked column": "<tr><td><a>甲</a><td>1<td>2<tr><td><a>乙</a><td>2<td>3",
    "headed links": "<tr><th>甲<th>乙<tr><td><a>1</a><td><a>2</a>",
    "caption": "<caption>表</caption><tr><td><a>甲</a><td><a>乙</a><tr><td><a>1</a><td><a>2</a>",
}


def typed(inside: str) -> bool:
    start = inside if inside[0] != "<" else f">{inside}"
    return bool(
        data_tables(TableIndex(PageTree.parse(f"<table {start}</table>")), ItemOptions())[0]
    )


@pytest.mark.parametrize("name", LAYOUT)
def test_layout_tables(name: str) -> None:
    assert not typed(LAYOUT[name])


@pytest.mark.parametrize("name", DATA)
def test_data_tables(name: str) -> None:
    assert typed(DATA[name])


def test_region_share_and_noise_limits() -> None:
    """The weight of a block is its characters; 70 of 100 stay with the parent, 71 do not."""

    def root(n: int, **options: float) -> str:
        html = f"<body><div id=a>{'文' * (n - 1)}，</div><div id=b>{'文' * (99 - n)}，</div>"
        return topic_region_with(html, ItemOptions(**options))

    assert (root(70), root(71)) == ("body", "a")
    assert root(71, region_share=0.75) == "body"


def topic_region_with(html: str, options: ItemOptions) -> str:
    from quarkcrawl.content.items.rules import TopicRules

    region = TopicRules(options).region(Page.from_html(html))
    tree = region.page.tree
    return tree.attr(region.root, "id") or tree.tags[region.root]


def test_options_and_methods_are_checked() -> None:
    with pytest.raises(ConfigError, match="max_link_share=-1"):
        ItemOptions(max_link_share=-1)
    with pytest.raises(InputError, match="did you mean 'ibdom'"):
        qc.topic_items("x", method="ib-dom")


# Bad input

BAD: dict[str, str | bytes] = {
    "empty": b"",
    "blank": " \n ",
    "script": "<script>var a = '，。';</script>",
    "frameset": "<frameset><frame src=a><frame src=b></frameset>",
    "XML": "<?xml version='1.0'?><a><b>文</b></a>",
    "RSS": "<rss><channel><item><description>文</description></item></channel></rss>",
    "plain text": "只有文字，没有标记。",
    "bytes": bytes(range(256)),
    "foreign cells": "<svg><td>x</td><table></svg><math><tr><td>y",
    "template": "<template><table><tr><td>x<td>y</table></template>",
    "cells without table": "<tr><td>x<td>y",
    "nested links": "<a href=x><table><tr><td><a href=y><img src=z></a></table></a>",
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, method: str) -> None:
    items = qc.topic_items(BAD[name], method=method)
    shown = {"XML", "RSS", "plain text"}
    if name in shown:
        assert "文" in text_of(items)
    if name in {"empty", "blank", "script", "frameset", "template"}:
        assert items == []


_PIECES = [
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<th>",
    "<td",
    "colspan=3",
    "rowspan=2>",
    "<caption>",
    "<thead>",
    "<tfoot>",
    "<div>",
    "</div>",
    "<div",
    "class=nav>",
    "<p>",
    "</p>",
    "<br>",
    "<img",
    "src=a>",
    "<a",
    "href=b>",
    "</a>",
    "<h1>",
    "</h1>",
    "<form>",
    "<input>",
    "<figure>",
    "<figcaption>",
    "<ul>",
    "<li>",
    "<section>",
    "</section>",
    "文字，",
    "句子。",
    "x",
    "<noscript>",
    "<svg>",
    "</svg>",
    "<iframe>",
    "<pre>",
]


@pytest.mark.full
@given(st.lists(st.sampled_from(_PIECES), max_size=50).map(lambda p: "".join(p).replace("\t", " ")))
@settings(max_examples=examples(150))
def test_tag_soup(html: str) -> None:
    visible = "".join(PageTree.parse(html).text().split())
    for method in ("rules", "ibdom"):
        items = qc.topic_items(html, "http://a.cn/", method=method)
        assert items == qc.topic_items(html, "http://a.cn/", method=method)
        place = 0
        for item in items:
            if item.kind == "paragraph":
                found = visible.find("".join(item.text.split()), place)
                assert found >= place, "paragraphs are text of the page, in order"
                place = found
        for written in (items_as_html(items), items_as_markdown(items), items_as_json(items)):
            assert isinstance(written, str)
    assert qc.extract(html, method="rules").failure is None
    assert isinstance(qc.extract(html, method="quark").items, tuple)


HOSTILE = {
    "div": lambda n: "<div>" * n,
    "tables": lambda n: "<table><tr><td>" * (n // 3),
    "flat tables": lambda n: "<table><tr><th>文<td>字，</table>" * (n // 4),
    "pictures": lambda n: "<figure><a href=x><img src=a.jpg>文，</a></figure>" * (n // 3),
    "captions": lambda n: "<figure>" * (n // 2) + "文，<img src=a.jpg>" * (n // 2),
    "headings": lambda n: "<h1><div>文，" * (n // 2),
    "definitions": lambda n: "<dl><dt>文<dd>字，<dt>文<dd>字，</dl>" * (n // 5),
    "names": lambda n: "".join(f"<div class=c{i}>文，</div>" for i in range(n)),
}


def cost(html: str, method: str) -> float:
    page = Page.from_html(html)
    assert len(page.tree)
    started = time.process_time()
    qc.topic_items(page, method=method)
    return time.process_time() - started


@pytest.mark.full
@pytest.mark.parametrize("method", ["rules", "ibdom"])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("without_gc")
def test_time_grows_linearly(name: str, method: str) -> None:
    make = HOSTILE[name]
    cost(make(500), method)
    assert cost(make(24_000), method) <= 24 * cost(make(3_000), method) + 0.25


def test_a_page_with_text_has_items_however_its_blocks_are_called() -> None:
    """Names count for nothing where they would take all; then links count for nothing either."""
    names = "".join(f"<div class=share-{n}>{BODY}</div>" for n in range(3))
    assert text(names).count("图书馆") == 12
    mixed = f"{names}<div class=x>{LINKS}</div>"
    assert "另外一条" not in text(mixed)
    assert text(LINKS).count("另外一条") == 8
    assert text("<div class=nav><a href=x>短</a></div>") == "短"
