"""Cells of generated tables against a naive grid that follows the HTML Standard step by step."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.items.model import MAX_PLACES, Table
from quarkcrawl.content.markdown.tables import place_cells, span
from tests.profiles import examples

cell_spans = st.tuples(st.integers(0, 4), st.integers(1, 4))
groups = st.lists(st.lists(st.lists(cell_spans, max_size=4), max_size=4), min_size=1, max_size=3)


def naive(row_groups: list[list[list[tuple[int, int]]]]) -> dict[int, tuple[int, int, int, int]]:
    """Row, column, row span and column span of each cell, by marking every slot it covers."""
    taken: set[tuple[int, int]] = set()
    cells: dict[int, tuple[int, int, int, int]] = {}
    y = number = 0
    for group in row_groups:
        end = y + len(group)
        for row in group:
            x = 0
            for down, across in row:
                while (x, y) in taken:
                    x += 1
                height = min(down or end - y, end - y)
                taken |= {(x + dx, y + dy) for dx in range(across) for dy in range(height)}
                cells[number] = (y, x, height, across)
                x += across
                number += 1
            y += 1
    return cells


def written(row_groups: list[list[list[tuple[int, int]]]], number: int = 0) -> str:
    html = ""
    for group in row_groups:
        html += "<tbody>"
        for row in group:
            html += "<tr>"
            for down, across in row:
                html += f"<td rowspan={down} colspan={across}>第{number}格</td>"
                number += 1
    return f"<table><caption>表</caption>{html}</table>"


def table_of(html: str, method: str = "ibdom") -> Table:
    found = [item for item in qc.topic_items(html, method=method) if item.kind == "table"]
    assert len(found) == 1
    return found[0]


@given(groups)
@settings(max_examples=examples(150))
def test_cells_and_places_are_those_of_the_standard(row_groups) -> None:
    expected = naive(row_groups)
    if len(expected) < 2:
        return
    table = table_of(written(row_groups))
    found = {
        int(cell.text[1:-1]): (cell.row, cell.column, cell.row_span, cell.col_span)
        for row in table.rows
        for cell in row
    }
    assert found == expected
    assert len(table.rows) == sum(map(len, row_groups))


@given(groups)
@settings(max_examples=examples(80))
def test_the_grid_shows_each_cell_at_all_its_places(row_groups) -> None:
    expected = naive(row_groups)
    if len(expected) < 2:
        return
    slots: dict[tuple[int, int], str] = {}
    for number, (y, x, height, across) in expected.items():
        for dy in range(height):
            for dx in range(across):
                slots[y + dy, x + dx] = f"第{number}格"
    grid = table_of(written(row_groups)).grid()
    width = max(x for _, x in slots) + 1
    assert all(len(row) == width for row in grid)
    assert {(y, x): text for y, row in enumerate(grid) for x, text in enumerate(row) if text} == (
        slots
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, 1),
        ("２", 1),
        ("", 1),
        ("x", 1),
        ("-2", 1),
        ("3", 3),
        (" +3px", 3),
        ("0", 1),
        ("1000", 1000),
        ("1001", 1000),
        ("1000000", 1000),
        ("9" * 5000, 1000),
        ("0" * 5000 + "2", 2),
    ],
)
def test_column_spans_as_browsers_bound_them(value: str | None, expected: int) -> None:
    assert span(value, 1, 1000) == expected


def test_a_row_span_of_0_reaches_to_the_end_of_its_group() -> None:
    assert place_cells([[(0, 1)], [(1, 1)], [(1, 1)]], [2, 2, 3])[0][0].row_span == 2
    assert place_cells([[(9, 1)], [(1, 1)], [(1, 1)]], [2, 2, 3])[0][0].row_span == 2


def test_foot_rows_come_last() -> None:
    html = "<table><tr><th>题<th>数<tfoot><tr><td>和<td>9<tbody><tr><td>甲<td>9</table>"
    assert [row[0].text for row in table_of(html).rows] == ["题", "甲", "和"]


def test_text_of_cells_keeps_lines_and_leaves_scripts_out() -> None:
    html = "<table><tr><th>甲<br>乙<th> 丙 <b>丁</b><tr><td><p>一</p><p>二</p><td><script>x</script></table>"
    assert table_of(html).grid() == [["甲\n乙", "丙 丁"], ["一\n二", ""]]


def test_headers_and_caption() -> None:
    html = "<table><caption>价 <b>目</b></caption><thead><tr><td>名<td>价<tbody><tr><th>甲<td>3</table>"
    table = table_of(html)
    assert table.caption == "价 目"
    assert [[cell.is_header for cell in row] for row in table.rows] == [[True, True], [True, False]]
    assert table.text == "价 目\n名\t价\n甲\t3"


def test_a_nested_table_is_text_of_its_cell() -> None:
    nested = "<table><tr><td>内一<td>内二<tr><td>内三<td>内四</table>"
    table = table_of(f"<table><tr><th>外<th>{nested}<tr><td>甲<td>乙</table>")
    assert table.grid() == [["外", "内一\n内二\n内三\n内四"], ["甲", "乙"]]


def test_a_data_table_in_a_layout_table_is_an_item() -> None:
    inner = "<table><tr><th>名<th>价<tr><td>甲<td>3</table>"
    html = f"<table><tr><td>{'正文在这里，很长很长。' * 9}{inner}</td></tr></table>"
    items = qc.topic_items(html)
    assert [item.kind for item in items] == ["paragraph", "table"]


def test_cells_that_cover_too_much_are_read_without_spans() -> None:
    rows = "<tr>" + "<td rowspan=60000 colspan=1000>格" * 3
    table = table_of(f"<table><caption>表</caption>{rows * 400}</table>")
    assert {(c.row_span, c.col_span) for row in table.rows for c in row} == {(1, 1)}
    assert [cell.column for cell in table.rows[5]] == [0, 1, 2]


def test_a_grid_that_nobody_could_look_at_comes_ragged() -> None:
    wide = "<tr>" + "<td colspan=1000>格" * 2
    table = table_of(f"<table><caption>表</caption>{wide}{'<tr><td>x' * 600}</table>")
    assert len(table.rows) * table.n_columns > MAX_PLACES
    assert table.grid()[0] == ["格", "格"]


@pytest.mark.usefixtures("without_gc")
def test_time_grows_linearly_with_hostile_spans() -> None:
    def cost(n: int) -> float:
        html = (
            "<table><tr><th>a<th>b" + "<tr><td rowspan=65534 colspan=1000>x<td>y" * n + "</table>"
        )
        page = qc.Page.from_html(html)
        started = time.process_time()
        qc.topic_items(page)
        return time.process_time() - started

    cost(100)
    assert cost(8_000) <= 24 * cost(1_000) + 0.25
