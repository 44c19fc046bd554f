"""Which tables hold data, where others only lay out a page, and in which columns their cells stand.

Places are those of the HTML Standard (section "Forming a table"): a cell takes the first free
column of its row, spans are bounded as in browsers, and a row span ends with its row group.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


_MAX_CELL_CHARS: Final = 400
_STRUCTURE: Final = (
    *("table", "pre", "blockquote", "ul", "ol", "h1", "h2", "h3", "h4", "form", "figure"),
    *("article", "section"),
)

MAX_COL_SPAN: Final = 1000
MAX_ROW_SPAN: Final = 65_534
"""Bounds of the HTML Standard."""

MAX_SLOTS: Final = 1_000_000
"""A table whose cells cover more places than this is read as if none had a span."""

_MAX_COLUMNS_SKIPPED: Final = 100
"""So many columns at most are left out before a cell because other cells reach into them."""

_DIGITS: Final = re.compile(r"[ \t\n\f\r]*\+?0*([0-9]+)")


def data_tables(tree: PageTree, run_mask: NDArray[np.bool_]) -> frozenset[int]:
    """Tables that are shown as tables.

    A table holds data if at least two of its rows have two filled cells, no cell has long text,
    and no element in it stands for a structure.

    Args:
        tree: the page.
        run_mask: which runs are selected, one entry a run.
    """
    structures, tables = tree.places(*_STRUCTURE), tree.places("table")
    n_inside = structures.searchsorted(tree.end[tables]) - structures.searchsorted(tables)
    tables = tables[n_inside == 1]  # the table itself
    if not len(tables):
        return frozenset()
    chars = prefix_sums(tree.run_chars * run_mask)
    cells = tree.places("td", "th")
    sizes = (chars[tree.run_end[cells]] - chars[tree.run_start[cells]]).tolist()
    cell_nodes, rows = cells.tolist(), tree.nodes("tr")
    data_nodes = set()
    for node, end in zip(tables.tolist(), tree.end[tables].tolist(), strict=True):
        inside = slice(bisect_left(cell_nodes, node), bisect_left(cell_nodes, end))
        if max(sizes[inside], default=0) > _MAX_CELL_CHARS:
            continue
        filled = list(compress(cell_nodes[inside], sizes[inside]))
        own_rows = rows[bisect_left(rows, node) : bisect_left(rows, end)]
        begins = [bisect_left(filled, row) for row in (*own_rows, end)]
        if sum(last - first > 1 for first, last in pairwise(begins)) > 1:
            data_nodes.add(node)
    return frozenset(data_nodes)


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


def cell_columns(tree: PageTree, rows: list[int], cells: list[int]) -> list[int]:
    """Column of each cell of a table that holds no other; those where no cell starts do not count.

    Args:
        tree: the page.
        rows: all rows of the table.
        cells: all its cells.
    """
    numbers_of: dict[int, list[int]] = {row: [] for row in rows}
    for number, node in enumerate(tree.parent[cells].tolist()):
        numbers_of.setdefault(node, []).append(number)
    spans = {
        row: [cell_spans(tree, cells[n]) for n in numbers_of[row]] for row in sorted(numbers_of)
    }
    columns = [0] * len(cells)
    for numbers in numbers_of.values():
        for column, number in enumerate(numbers):
            columns[number] = column
    if all(one == (1, 1) for row in spans.values() for one in row):
        return columns
    starts = [0] * len(cells)
    placed = place_cells(list(spans.values()), _group_ends(tree, list(spans)))
    for row, places in zip(spans, placed, strict=True):
        for number, place in zip(numbers_of[row], places, strict=True):
            starts[number] = place.column
    rank = {start: number for number, start in enumerate(sorted(set(starts)))}
    return [
        min(rank[start], column + _MAX_COLUMNS_SKIPPED)
        for start, column in zip(starts, columns, strict=True)
    ]


def _group_ends(tree: PageTree, rows: list[int]) -> list[int]:
    """For each row of a table one past the last row of its group."""
    groups = tree.parent[rows].tolist()
    ends = list(range(1, len(rows) + 1))
    for number in range(len(rows) - 2, -1, -1):
        if groups[number] == groups[number + 1]:
            ends[number] = ends[number + 1]
    return ends


def cell_spans(tree: PageTree, cell: int) -> tuple[int, int]:
    """How many rows and columns a cell covers; 0 rows are all of its row group that follow.

    Args:
        tree: the page.
        cell: number of the cell.
    """
    down, across = tree.attr(cell, "rowspan"), tree.attr(cell, "colspan")
    return span(down, 0, MAX_ROW_SPAN), span(across, 1, MAX_COL_SPAN)
