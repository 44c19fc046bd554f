"""Layout or data: what a table is for.

The paper's four rules are in `quarkcrawl.content.items.ibdom`. Ours look at what data looks like
instead of forbidding links: several rows of several filled cells, none of which holds the whole
text, no form to fill in, no listing of a program. Where cells are mostly links, only headers make
them data.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.items.tables.index import not_inside_another

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.items.options import ItemOptions
    from quarkcrawl.content.items.tables.index import TableIndex

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_LISTING: Final = re.compile(r"highlight|syntax|\bcode|gutter|crayon|line-?num", re.IGNORECASE)
"""Classes of tables that show a program with its line numbers."""

_DECLARED_LAYOUT: Final = frozenset({"presentation", "none"})


def data_tables(index: TableIndex, options: ItemOptions) -> BoolArray:
    """Which tables are data tables by our rules.

    Args:
        index: the tables of the page.
        options: constants.
    """
    if not len(index):
        return np.zeros(0, np.bool_)
    n_rows, n_wide = _rows(index)
    n_filled = index.per_table(index.cell_filled)
    is_data = (n_filled >= 2) & (n_wide >= 1) & (n_rows >= 2)
    is_data &= index.per_table(index.cell_forms) <= options.max_controls * index.n_cells
    is_data &= ~_is_one_text(index, options)
    headed = index.has_own("th", "caption", "thead")
    regular = n_wide >= options.min_wide_rows * n_rows
    regular &= n_filled >= options.min_filled_cells * index.n_cells
    n_linked = index.per_table(index.cell_filled & (index.cell_links > 0))
    regular &= n_linked <= options.max_linked_cells * n_filled
    is_data &= headed | (regular & ~index.holds_table)
    for table in np.flatnonzero(is_data).tolist():
        is_data[table] = not _declares_layout(index, table)
    return is_data


def _rows(index: TableIndex) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each table its rows with text, and its rows with two cells or more."""
    place = np.searchsorted(index.row, index.tree.parent[index.cell])
    n_cells = np.bincount(place, minlength=len(index.row) + 1)[: len(index.row)]
    filled = place[index.cell_filled]
    n_filled = np.bincount(filled, minlength=len(index.row) + 1)[: len(index.row)]
    owner = index.node_table[index.row]
    n = len(index)
    return (
        np.bincount(owner[n_filled > 0], minlength=n),
        np.bincount(owner[n_cells >= 2], minlength=n),
    )


def _is_one_text(index: TableIndex, options: ItemOptions) -> BoolArray:
    """Tables in which one cell holds nearly everything, such as the body of an article."""
    most = np.zeros(len(index), np.int64)
    np.maximum.at(most, index.cell_table, index.cell_chars)
    share = options.max_cell_share * index.per_table(index.cell_chars)
    return (most > share) & (most >= options.min_big_cell_chars)


def _declares_layout(index: TableIndex, table: int) -> bool:
    """Whether a table says of itself that it is layout, or that it shows a program."""
    tree = index.tree
    node = int(index.table[table])
    if tree.attr(node, "role") in _DECLARED_LAYOUT:
        return True
    above = tree.attr(max(int(tree.parent[node]), 0), "class") or ""
    return _LISTING.search(f"{tree.attr(node, 'class') or ''} {above}") is not None


def outermost(index: TableIndex, is_data: BoolArray) -> Places:
    """Those of the chosen tables that lie in no other chosen one, as positions.

    Args:
        index: the tables of the page.
        is_data: which tables.
    """
    places = np.flatnonzero(is_data)
    return places[not_inside_another(index.table[places], index.tree.end[index.table[places]])]
