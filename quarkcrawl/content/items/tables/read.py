"""From a data table's elements to rows of cells with their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.content.items.model import Cell, Table
from quarkcrawl.content.markdown import cell_spans, place_cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.content.items.tables.index import TableIndex


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
    spans = [[cell_spans(tree, int(index.cell[cell])) for cell in row] for row in cells]
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
