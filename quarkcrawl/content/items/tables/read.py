"""From a data table's elements to rows of cells with their places.

Places are those of the HTML Standard (section "Forming a table"): a cell takes the first free
column of its row, spans are bounded as in browsers, and a row span ends with its row group.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.items.model import MAX_PLACES, Cell, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.content.items.tables.index import TableIndex


MAX_COL_SPAN: Final = 1000
MAX_ROW_SPAN: Final = 65_534
"""Bounds of the HTML Standard."""

MAX_SLOTS: Final = MAX_PLACES
"""A table whose cells cover more places than this is read as if none had a span."""

_DIGITS: Final = re.compile(r"[ \t\n\f\r]*\+?0*([0-9]+)")


class Placed(NamedTuple):
    """Where a cell of a row stands."""

    column: int
    row_span: int
    col_span: int


def span(value: str | None, least: int, most: int) -> int:
    """A ``colspan`` or ``rowspan`` as the HTML Standard reads it.

    Args:
        value: the attribute, None if absent.
        least: lower bound.
        most: upper bound.
    """
    match = _DIGITS.match(value) if value else None
    if match is None:
        return 1
    return most if len(match[1]) > 6 else min(max(int(match[1]), least), most)


def place_cells(
    rows: Sequence[Sequence[tuple[int, int]]], group_ends: Sequence[int]
) -> list[list[Placed]]:
    """Find the column of each cell.

    Args:
        rows: row span and column span of the cells of each row; a row span of 0 reaches to the
            end of the row group.
        group_ends: for each row one past the last row of its row group.
    """
    clipped = [
        [(min(down or end, end - y), across) for down, across in row]
        for y, (row, end) in enumerate(zip(rows, group_ends, strict=True))
    ]
    if sum(down * across for row in clipped for down, across in row) > MAX_SLOTS:
        clipped = [[(1, 1)] * len(row) for row in clipped]
    busy_until: dict[int, int] = {}
    placed: list[list[Placed]] = []
    for y, row in enumerate(clipped):
        column = 0
        placed.append([])
        for down, across in row:
            while busy_until.get(column, 0) > y:
                column += 1
            placed[-1].append(Placed(column, down, across))
            for taken in range(column, column + across) if down > 1 else ():
                busy_until[taken] = max(busy_until.get(taken, 0), y + down)
            column += across
    return placed


def _rows_in_order(index: TableIndex, table: int) -> tuple[list[int], list[int]]:
    """Rows of a table, those of ``tfoot`` last, and the end of each one's row group."""
    tree = index.tree
    rows = index.rows_of(table).tolist()
    groups = tree.parent[rows].tolist()
    is_foot = [tree.tags[group] == "tfoot" for group in groups]
    order = sorted(range(len(rows)), key=is_foot.__getitem__)
    ends: list[int] = [len(rows)] * len(rows)
    for y in range(len(rows) - 2, -1, -1):
        same = groups[order[y]] == groups[order[y + 1]]
        ends[y] = ends[y + 1] if same else y + 1
    return [rows[place] for place in order], ends


def read_table(index: TableIndex, table: int, texts: Mapping[int, str], caption: str = "") -> Table:
    """Read one table.

    Args:
        index: the tables of the page.
        table: position in ``index.table``.
        texts: text of each cell by its position in ``index.cell``; missing ones are empty.
        caption: text of the caption.
    """
    tree = index.tree
    rows, ends = _rows_in_order(index, table)
    row_number = {row: y for y, row in enumerate(rows)}
    cells: list[list[int]] = [[] for _ in rows]
    for cell in index.cells_of(table).tolist():
        y = row_number.get(int(tree.parent[index.cell[cell]]))
        if y is not None:
            cells[y].append(cell)
    spans = [[_spans(index, cell) for cell in row] for row in cells]
    in_head = [tree.tags[int(tree.parent[row])] == "thead" for row in rows]
    read = [
        tuple(
            Cell(
                texts.get(cell, ""),
                in_head[y] or tree.tags[int(index.cell[cell])] == "th",
                y,
                *(place.column, place.row_span, place.col_span),
            )
            for cell, place in zip(cells[y], places, strict=True)
        )
        for y, places in enumerate(place_cells(spans, ends))
    ]
    return Table(tuple(read), caption, int(index.table[table]))


def _spans(index: TableIndex, cell: int) -> tuple[int, int]:
    node = int(index.cell[cell])
    down = span(index.tree.attr(node, "rowspan"), 0, MAX_ROW_SPAN)
    return down, span(index.tree.attr(node, "colspan"), 1, MAX_COL_SPAN)
