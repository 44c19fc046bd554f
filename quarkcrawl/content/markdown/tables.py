"""Which tables hold data; the others only lay out a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


_MAX_CELL_CHARS: Final = 400
_STRUCTURE: Final = (
    *("table", "pre", "blockquote", "ul", "ol", "h1", "h2", "h3", "h4", "form", "figure"),
    *("article", "section"),
)


def data_tables(tree: PageTree, run_mask: NDArray[np.bool_]) -> frozenset[int]:
    """Tables that are shown as tables.

    A table holds data if at least two of its rows have two filled cells, no cell has long text,
    and no element in it stands for a structure.

    Args:
        tree: the page.
        run_mask: which runs are selected, one entry a run.
    """
    structures = np.zeros(len(tree), np.bool_)
    structures[tree.places(*_STRUCTURE)] = True
    n_before, tables = prefix_sums(structures), tree.places("table")
    tables = tables[n_before[tree.end[tables]] - n_before[tables] == 1]  # the table itself
    if not len(tables):
        return frozenset()
    chars = prefix_sums(tree.run_chars * run_mask)
    cells = tree.places("td", "th")
    rows = tree.places("tr")
    sizes = chars[tree.run_end[cells]] - chars[tree.run_start[cells]]
    found = set()
    for node in tables.tolist():
        end = int(tree.end[node])
        inside = slice(*np.searchsorted(cells, (node, end)).tolist())
        own_rows = rows[slice(*np.searchsorted(rows, (node, end)).tolist())]
        filled = cells[inside][sizes[inside] > 0]
        per_row = np.diff(np.searchsorted(filled, np.append(own_rows, end)))
        is_long = (sizes[inside] > _MAX_CELL_CHARS).any()
        if not is_long and np.count_nonzero(per_row > 1) > 1:
            found.add(node)
    return frozenset(found)
