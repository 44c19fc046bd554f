"""Items by our rules, beside the paper's: what it names as its failures, bad input, formats."""

from __future__ import annotations

import csv
import io
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.items import ITEM_METHODS, topic_region
from quarkcrawl.content.items_build import text_of
from quarkcrawl.content.items_format import (
    items_as_html,
    items_as_json,
    items_as_markdown,
    table_as_csv,
)
from quarkcrawl.content.items_options import ItemOptions
from quarkcrawl.content.items_region import BlockRule
from quarkcrawl.content.tables_definitions import definition_lists
from quarkcrawl.content.tables_index import TableIndex
from quarkcrawl.content.tables_typing import data_tables
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.page import Page, PageTree
from quarkcrawl.segment import LineReader

BODY = "<p>图书馆新到了一批书，借的人很多。请大家看完以后按时归还，谢谢。</p>" * 4
LINKS = "<ul>" + "<li><a href=x.html>另外一条新闻的标题，在这里</a></li>" * 8 + "</ul>"
PRICES = "<table><tr><th>名<th>价<tr><td>甲<td>3<tr><td>乙<td>4</table>"

METHODS = sorted(ITEM_METHODS)


def text(html: str, method: str = "default") -> str:
    return text_of(qc.topic_items(html, method=method))


# The golden page: items in order

GOLDEN = f"""
<html><head><title>校园新闻</title></head><body>
<div class=nav><a href=/>首页</a><a href=/news>新闻</a></div>
<div id=main>
  <h1>图书馆到了新书</h1>
  {BODY}
  <figure><a href=big.jpg><img src=small.jpg width=400 height=300 alt=书></a><figcaption>新书架</figcaption></figure>
  <p>第二段说明，<br>换行以后，继续说明。</p>
  {PRICES}
  <p>最后一段，到此结束。</p>
</div>
<div class=related>{LINKS}</div>
<div class=footer>版权所有，某某大学。</div></body></html>"""


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
    from quarkcrawl.content.items_rules import TopicRules

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


@given(st.lists(st.sampled_from(_PIECES), max_size=50).map(lambda p: "".join(p).replace("\t", " ")))
@settings(max_examples=150, deadline=None)
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


@pytest.mark.parametrize("method", ["rules", "ibdom"])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("without_gc")
def test_time_grows_linearly(name: str, method: str) -> None:
    make = HOSTILE[name]
    cost(make(500), method)
    assert cost(make(24_000), method) <= 24 * cost(make(3_000), method) + 0.25


# Formats


def test_json_lines() -> None:
    items = qc.topic_items(GOLDEN, "http://a.cn/n/1.html")
    rows = [json.loads(line) for line in items_as_json(items).splitlines()]
    assert [row["kind"] for row in rows] == [item.kind for item in items]
    assert rows[5]["link"] == "http://a.cn/n/big.jpg"
    assert rows[8]["rows"][0] == [
        {"text": "名", "is_header": True},
        {"text": "价", "is_header": True},
    ]


def test_html_reads_back_as_the_same_items() -> None:
    items = qc.topic_items(GOLDEN, "http://a.cn/n/1.html")
    again = qc.topic_items(f"<div>{items_as_html(items)}</div>", "http://a.cn/n/1.html")
    assert [(i.kind, i.text) for i in again] == [(i.kind, i.text) for i in items]


def test_tables_show_themselves_in_notebooks() -> None:
    (table,) = qc.topic_items("<table><tr><th>甲<th>&lt;b&gt;<tr><td>1<td>2</table>")
    assert table._repr_html_() == (
        "<table><tr><th>甲</th><th>&lt;b&gt;</th></tr><tr><td>1</td><td>2</td></tr></table>\n"
    )


def test_html_lets_nothing_of_the_page_through() -> None:
    evil = "&lt;script&gt;，" * 9
    table = "<table><tr><th>&lt;b&gt;<th>y<tr><td>1<td>&lt;i&gt;</table>"
    html = f"<div><p>{evil}</p><img src='a.jpg\" onerror=x' alt='&lt;b&gt;'>{table}</div>"
    tree = PageTree.parse(items_as_html(qc.topic_items(html, "http://a.cn/")))
    assert tree.nodes("script", "b", "i") == []
    assert {name for node in tree.nodes("img") for name in tree.attrs(node)} <= {"src", "alt"}


def test_markdown_tables_repeat_spanning_cells_and_escape() -> None:
    table = "<table><tr><th colspan=2>头|部<tr><td>a*b<td>c<br>d</table>"
    found = items_as_markdown(qc.topic_items(table))
    assert found == "| 头\\|部 | 头\\|部 |\n| --- | --- |\n| a\\*b | c<br>d |\n"
    plain = items_as_markdown(qc.topic_items("<table><tr><td>甲<td>1<tr><td>乙<td>2</table>"))
    assert plain.splitlines()[0] == "|  |  |"


def test_csv_reads_back() -> None:
    html = '<table><tr><th rowspan=2>a"b<th>c,d<tr><td>e\n f<td>g<br>h</table>'
    (table,) = qc.topic_items(html)
    rows = list(csv.reader(io.StringIO(table_as_csv(table))))
    assert rows == table.grid() == [['a"b', "c,d", ""], ['a"b', "e f", "g\nh"]]
    formula = qc.topic_items("<table><tr><th>x<th>y<tr><td>=1+1<td>2</table>")[0]
    assert "'=1+1" in table_as_csv(formula, for_spreadsheets=True)
    assert "'" not in table_as_csv(formula)


def test_lines_one_by_one() -> None:
    tree = PageTree.parse("<p>一 <b>二</b></p><table><tr><td>三<td>四</table><pre> a\n b </pre>")
    lines = LineReader(tree).lines(tree.run_chars >= 0)
    assert [line for _, line in lines] == ["一 二", "三", "四", " a\n b"]
    assert [tree.runs[run].strip()[:1] for run, _ in lines] == ["一", "三", "四", "a"]
    assert LineReader(tree).lines(tree.run_chars < 0) == []


# Definition lists

PERSON = "<dl><dt>姓名<dd>张三<dt>生年<dd>1980<dt>著作<dd>第一本<dd>第二本<br>续</dl>"


def test_a_definition_list_is_a_table() -> None:
    items = qc.topic_items(f"<div>{BODY}{PERSON}<p>后面的话，到此结束。</p></div>")
    assert [item.kind for item in items[-2:]] == ["table", "paragraph"]
    assert items[-2].grid() == [
        ["姓名", "张三"],
        ["生年", "1980"],
        ["著作", "第一本"],
        ["著作", "第二本\n续"],
    ]
    assert [cell.is_header for cell in items[-2].rows[0]] == [True, False]


@pytest.mark.parametrize(
    "inside",
    [
        "<dt>只有一个<dd>定义",
        "<dt>甲<dt>乙<dd>丙",
        "<dd>甲<dt>乙<dd>丙<dt>丁<dd>戊",
        "<dt><a>甲</a><dd><a>一条新闻</a><dt><a>乙</a><dd><a>二条新闻</a>",
        f"<dt>{'很长的问题' * 5}<dd>答案<dt>{'很长的问题' * 5}<dd>答案",
        "<dt>甲<dd><img src=a.jpg>乙<dt>丙<dd>丁",
        f"<dt>甲<dd>乙{PERSON}<dt>丙<dd>丁",
    ],
)
def test_definition_lists_that_are_no_data(inside: str) -> None:
    tree = PageTree.parse(f"<dl id=x>{inside}</dl>")
    found = [tree.attr(node, "id") for node in definition_lists(tree, ItemOptions())]
    assert "x" not in found


def test_items_as_a_column_survive_parquet(tmp_path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from quarkcrawl.content.rows import content_columns
    from quarkcrawl.store.analysiscolumns import ITEMS

    content = qc.extract(GOLDEN, "http://a.cn/n/1.html", method="rules")
    assert "items" not in content_columns(content)
    value = content_columns(content, items=True)["items"]
    table = pa.table({"items": pa.array([value, []], ITEMS)})
    pq.write_table(table, tmp_path / "x.parquet")
    found = pq.read_table(tmp_path / "x.parquet")["items"].to_pylist()
    assert [row["kind"] for row in found[0]] == [item.kind for item in content.items]
    assert found[0][8]["rows"][1][0]["text"] == "甲"
    assert found[0][5]["width_px"] == 400


def test_a_page_with_text_has_items_however_its_blocks_are_called() -> None:
    """Names count for nothing where they would take all; then links count for nothing either."""
    names = "".join(f"<div class=share-{n}>{BODY}</div>" for n in range(3))
    assert text(names).count("图书馆") == 12
    mixed = f"{names}<div class=x>{LINKS}</div>"
    assert "另外一条" not in text(mixed)
    assert text(LINKS).count("另外一条") == 8
    assert text("<div class=nav><a href=x>短</a></div>") == "短"
