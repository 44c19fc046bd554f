"""The tables of a page as arrays: which cell belongs to which table, what stands in each cell."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.segment import innermost, nest

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


_LINKS: Final = ("a",)
_FORMS: Final = ("form", "input", "select", "textarea", "button")
_PICTURES: Final = ("img", "table")


def holders(tree: PageTree, nodes: Places) -> NDArray[np.int32]:
    """For each node of the page the innermost of some nodes that holds it or is it.

    Args:
        tree: the page.
        nodes: the holders asked about, ascending.

    Returns:
        Positions in ``nodes``, -1 where none holds the node.
    """
    return innermost(nodes, tree.end[nodes], len(tree))


def not_inside_another(starts: Places, ends: NDArray[np.integer]) -> BoolArray:
    """Which of some nested slices lie in no other one.

    Args:
        starts: first place of each slice, ascending.
        ends: one past its last place.
    """
    reach = np.maximum.accumulate(ends)
    return np.append(True, starts[1:] >= reach[:-1])[: len(starts)]


class TableIndex:
    """Tables and cells of one page; hidden ones are left out.

    Attributes:
        tree: the page.
        table: node of each table, ascending.
        cell: node of each ``td`` and ``th`` of these tables, ascending.
        cell_table: position in ``table`` of the innermost table around each cell.
    """

    def __init__(self, tree: PageTree) -> None:
        self.tree = tree
        self.table = self._visible("table")
        cell = self._visible("td", "th")
        owner = self.node_table[cell]
        self.cell = cell[owner >= 0]
        self.cell_table = owner[owner >= 0]

    def _visible(self, *tags: str) -> Places:
        nodes = self.tree.places(*tags)
        return nodes[~self.tree.hidden[nodes]]

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def node_table(self) -> NDArray[np.int32]:
        """Innermost table around each node of the page, as a position in ``table``."""
        return holders(self.tree, self.table)

    @cached_property
    def node_cell(self) -> NDArray[np.int32]:
        """Innermost cell around each node of the page, as a position in ``cell``."""
        return holders(self.tree, self.cell)

    def per_table(self, cell_values: NDArray[np.bool_ | np.integer[Any]]) -> Counts:
        """Sum over the own cells of each table."""
        sums = np.bincount(self.cell_table, weights=cell_values, minlength=len(self))
        return sums.astype(np.int64)

    @cached_property
    def n_cells(self) -> Counts:
        """Own cells of each table, those of nested tables not counted."""
        return np.bincount(self.cell_table, minlength=len(self))

    @cached_property
    def cell_chars(self) -> Counts:
        """Visible characters of each cell, nested tables included."""
        return self.tree.text_chars[self.cell]

    @cached_property
    def cell_filled(self) -> BoolArray:
        """Cells with more than punctuation: bullets and dashes fill no cell."""
        tree = self.tree
        ink = prefix_sums(np.where(tree.run_raw, 0, tree.run_class.punctuation))
        marks = ink[tree.run_end[self.cell]] - ink[tree.run_start[self.cell]]
        return self.cell_chars > marks

    @cached_property
    def cell_links(self) -> Counts:
        """Links in each cell, nested tables not searched."""
        return self._in_cells(_LINKS)

    @cached_property
    def cell_forms(self) -> Counts:
        """Forms and form controls in each cell, nested tables not searched."""
        return self._in_cells(_FORMS)

    @cached_property
    def cell_pictures(self) -> Counts:
        """Pictures in each cell; a nested table is one of them, whatever it holds."""
        return self._in_cells(_PICTURES)

    def _in_cells(self, tags: tuple[str, ...]) -> Counts:
        cells = self.node_cell[self.tree.nodes(*tags)]
        return np.bincount(cells[cells >= 0], minlength=len(self.cell))

    @cached_property
    def row(self) -> Places:
        """Node of each ``tr`` of these tables, ascending."""
        nodes = self._visible("tr")
        return nodes[self.node_table[nodes] >= 0]

    @cached_property
    def _cells_by_table(self) -> tuple[Places, Places]:
        return _grouped(self.cell_table, len(self))

    @cached_property
    def _rows_by_table(self) -> tuple[Places, Places]:
        return _grouped(self.node_table[self.row], len(self))

    def cells_of(self, table: int) -> Places:
        """Own cells of a table, as positions in ``cell``."""
        order, edges = self._cells_by_table
        return order[edges[table] : edges[table + 1]]

    def rows_of(self, table: int) -> Places:
        """Own rows of a table, as nodes."""
        order, edges = self._rows_by_table
        return self.row[order[edges[table] : edges[table + 1]]]

    def has_own(self, *tags: str) -> BoolArray:
        """Which tables hold one of these elements, nested tables not searched."""
        has = np.zeros(len(self), np.bool_)
        owners = self.node_table[self._visible(*tags)]
        has[owners[owners >= 0]] = True
        return has

    @cached_property
    def holds_table(self) -> BoolArray:
        """Which tables hold another one."""
        has = np.zeros(len(self), np.bool_)
        above = nest(self.table, self.tree.end[self.table]).above
        has[above[above >= 0]] = True
        return has


def _grouped(owner: NDArray[np.int32], n_owners: int) -> tuple[Places, Places]:
    """Members sorted by owner, and the edges of each owner's slice of them."""
    order = np.argsort(owner, kind="stable")
    return order, np.searchsorted(owner[order], np.arange(n_owners + 1))
