"""Which tables hold data; the others only lay out a page."""

from __future__ import annotations

from bisect import bisect_left
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Final

from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    import numpy as np
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
