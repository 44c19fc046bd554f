"""Tables of our own, in the shapes that pages have: rows stay rows, cells stay cells."""

from __future__ import annotations

import itertools
import time

import pytest

import quarkcrawl as qc

TEXTS = {
    "zh": ("周六下午我们在湖边读书，请大家自带书和水，如果下雨就改到图书馆三楼的阅览室，时间不变。",
           [["年份", "书名", "页数"], ["1997", "天网", "12"], ["1998", "在湖边读书", "340"], ["1999", "三楼", "7"], ["2000", "樱花", "88"]]),
    "en": ("We read by the lake on Saturday afternoon; please bring your own books, and water if it is hot.",
           [["Year", "Title", "Pages"], ["1997", "Skynet", "12"], ["1998", "Reading by the lake", "340"], ["1999", "Third floor", "7"]]),
}  # fmt: skip


def _row(tags: tuple[str, str], row: list[str], wrap: str, *, is_head: bool) -> str:
    name = tags[0] if is_head else tags[1]
    return "<tr>" + "".join(f"<{name}>{wrap.format(text)}</{name}>" for text in row) + "</tr>"


def _table(rows: list[list[str]], wrap: str, frame: str) -> str:
    tags = ("td", "td") if frame == "plain" else ("th", "td")
    lines = [_row(tags, row, wrap, is_head=not n) for n, row in enumerate(rows)]
    if frame == "sections":
        return f"<table><thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody></table>"
    caption = "<caption>读书 2000</caption>" if frame == "caption" else ""
    return f"<table border=1>{caption}{''.join(lines)}</table>"


WRAPS = [
    "{}",
    "<p>{}</p>",
    "<span>{}</span>",
    "<div><b>{}</b></div>",
    "<a href=/x>{}</a>",
    "\n  {}\n  ",
]
FRAMES = ["plain", "head", "sections", "caption"]
PAGES = list(itertools.product(TEXTS, WRAPS, FRAMES))


def _page(language: str, wrap: str, frame: str) -> tuple[str, list[list[str]]]:
    text, rows = TEXTS[language]
    return (
        f"<title>读书会</title><body><ul><li><a href=/>首页</a><li><a href=/b>通知</a></ul><article><h1>读书会</h1>"
        f"<p>{text}</p><p>{text[5:]}</p>{_table(rows, wrap, frame)}<p>{text[::-1]}</p></article>"
    ), rows


def test_there_are_forty_pages():
    assert len(PAGES) >= 40


@pytest.mark.parametrize("method", ["default", "rules"])
def test_cells_are_right(method):
    n_cells = n_right = 0
    for page in PAGES:
        html, rows = _page(*page)
        lines = [line.split("\t") for line in qc.extract(html, method=method).text.split("\n")]
        for row in rows:
            n_cells += len(row)
            n_right += len(row) * (row in lines)
    assert n_right >= 0.95 * n_cells


def test_tables_are_tables_in_markdown_and_structure():
    n_right = 0
    for page in PAGES:
        html, rows = _page(*page)
        content = qc.extract(html)
        tables = [part for part in content.structure if part["kind"] == "table"]
        n_right += [part["rows"] for part in tables] == [rows]
        n_right += "| --- | --- | --- |" in content.markdown
    assert n_right >= 0.95 * 2 * len(PAGES)


def test_an_empty_cell_leaves_its_tab_and_a_long_one_stays_one():
    rows = "<tr><th>a<th>b<th>c<tr><td>1<td><td>3<tr><td><p>4</p><p>5</p><td>6<br>7<td>8"
    text = TEXTS["en"][0]
    lines = qc.extract(f"<article><p>{text}<p>{text}!<table>{rows}</table><p>{text}?").text.split(
        "\n"
    )
    assert lines[2:5] == ["a\tb\tc", "1\t\t3", "4 5\t6 7\t8"]


def test_a_definition_list_is_kept_whole():
    text = TEXTS["zh"][0]
    terms = "".join(f"<dt>第{n}条<dd>{text[n : n + 9]}" for n in range(5))
    content = qc.extract(f"<article><p>{text}<p>{text}!<dl>{terms}</dl><p>{text}?")
    for n in range(5):
        assert f"第{n}条\n{text[n : n + 9]}" in content.text


def test_a_table_that_is_all_there_is():
    rows = "".join(f"<tr><td>第{n}名<td>第{n}中学<td>{n * 17}<td>北京" for n in range(30))
    html = f"<title>成绩</title><div><a href=/>首页</a></div><table>{rows}</table><div>地址：北京</div>"
    assert "第3名\t第3中学\t51\t北京" in qc.extract(html).text


def _lines_of(table: str) -> list[str]:
    """Lines of the text between two paragraphs with a table between them."""
    text = TEXTS["en"][0]
    html = f"<article><p>{text}<p>{text}!<table>{table}</table><p>{text}?</article>"
    lines = qc.extract(html).text.split("\n")
    return lines[2 : lines.index(f"{text}?")]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            "<tr><th></th><th>2019</th></tr><tr><th>Pens</th><td>3</td></tr><tr><th>Ink</th><td>4",
            ["\t2019", "Pens\t3", "Ink\t4"],
        ),
        (
            (
                "<tr><td rowspan='2'>A</td><td>b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr>"
                "<tr><td colspan='2'>f</td><td>g</td></tr>"
            ),
            ["A\tb\tc", "\td\te", "f\t\tg"],
        ),
        (
            (
                "<thead><tr><th rowspan=9>Name<th>Year</thead><tbody><tr><td rowspan=0>a<td>1<tr><td>2"
                "<tr><td>3</tbody><tbody><tr><td>b<td>4</tbody>"
            ),
            ["Name\tYear", "a\t1", "\t2", "\t3", "b\t4"],
        ),
        (
            "<tr><td colspan=none>a<td rowspan=-2>b<td>c<tr><td colspan=0>d<td rowspan>e<td>f",
            ["a\tb\tc", "d\te\tf"],
        ),
        # Columns in which no cell starts, and empty ones before all others, are not seen.
        ("<tr><td colspan=999999>a<td>b<tr><td>c<td>d", ["a\t\tb", "c\td"]),
        ("<tr><td colspan=30>a<td>b<tr><td colspan=30>c<td>d", ["a\tb", "c\td"]),
        ("<tr><td><td>a<td>b<tr><td><td>c<td>d<tr><td><td><td>e", ["a\tb", "c\td", "\te"]),
    ],
)
def test_columns_hold(table, rows):
    assert _lines_of(table) == rows


@pytest.mark.parametrize(
    "row", ["<tr><td>a<td>b<td>c", "<tr><td rowspan=2 colspan=900>a<td>b<td rowspan=0>c"]
)
def test_large_tables_take_no_long_time(row):
    def cost_s(n):
        before = time.process_time()
        assert "a\tb\tc" in "\n".join(_lines_of(row * n))
        return time.process_time() - before

    cost_s(50)
    assert cost_s(4_000) < 40 * max(cost_s(500), 0.02)  # quadratic: 64 times


def test_a_row_has_no_more_tabs_than_a_hundred_and_its_cells():
    first = "<tr>" + "<td rowspan=9>x" * 300
    lines = _lines_of(f"{first}<td>y<td>z<tr><td>a<td>b<tr><td>c<td>d")
    assert [line.count("\t") for line in lines] == [301, 101, 101]


def test_a_table_for_layout_gets_no_tabs():
    text = TEXTS["en"][0]
    cells = f"<tr><td></td><td><h2>Lake</h2><p>{text[3:]}</p><p>{text[9:]}</p></td></tr>"
    assert "\t" not in qc.extract(f"<p>{text}</p><table>{cells}</table><p>{text}?</p>").text
