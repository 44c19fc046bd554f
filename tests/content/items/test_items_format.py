"""Topic items written down: JSON, HTML, Markdown, CSV; definition lists; a column of the tables."""

from __future__ import annotations

import csv
import io
import json

import pytest
from markdown_it import MarkdownIt

import quarkcrawl as qc
from quarkcrawl.content.items.model import Paragraph, Picture
from quarkcrawl.content.items.options import ItemOptions
from quarkcrawl.content.items.serialize import (
    items_as_html,
    items_as_json,
    items_as_markdown,
    table_as_csv,
)
from quarkcrawl.content.items.tables.definitions import definition_lists
from quarkcrawl.page import PageTree
from quarkcrawl.segment import LineReader
from tests.content.itempages import BODY, GOLDEN

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


@pytest.mark.parametrize(
    "text",
    ["- no item", "1. no item", "+ no", "=== no", "# no heading", "a &amp; b", "x #", "a_b_c"],
)
def test_text_is_no_markup_in_markdown(text: str) -> None:
    """What a paragraph and a heading say, by an implementation of CommonMark."""
    items = [Paragraph(text), Paragraph(f"x\n{text}"), Paragraph(text, heading=2)]
    html = MarkdownIt("commonmark").render(items_as_markdown(items))
    shown = PageTree.parse(html)
    assert shown.nodes("li", "em", "blockquote") == []
    assert [shown.text(node) for node in shown.nodes("p", "h2")] == [text, f"x\n{text}", text]


def test_addresses_of_pictures_are_one_word_in_markdown() -> None:
    assert items_as_markdown([Picture("data:a b\n(c)", "图")]) == "![图](<data:a%20b%0A(c)>)\n"


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
    from quarkcrawl.store.tables.analysis_columns import ITEMS

    content = qc.extract(GOLDEN, "http://a.cn/n/1.html", method="rules")
    assert "items" not in content_columns(content)
    value = content_columns(content, items=True)["items"]
    table = pa.table({"items": pa.array([value, []], ITEMS)})
    pq.write_table(table, tmp_path / "x.parquet")
    found = pq.read_table(tmp_path / "x.parquet")["items"].to_pylist()
    assert [row["kind"] for row in found[0]] == [item.kind for item in content.items]
    assert found[0][8]["rows"][1][0]["text"] == "甲"
    assert found[0][5]["width_px"] == 400
