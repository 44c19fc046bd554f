"""Which tables hold data; the others only lay out a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

__all__ = ["data_tables"]

_MAX_CELL_CHARS: Final = 400
_STRUCTURE: Final = (
    *("table", "pre", "blockquote", "ul", "ol", "h1", "h2", "h3", "h4", "form", "figure"),
    *("article", "section"),
)


def data_tables(tree: PageTree, run_mask: NDArray[np.bool_]) -> frozenset[int]:
    """Tables that are shown as tables.

    A table holds data if it has at least two rows, two of them with two filled cells or one
    with a heading cell, no cell with long text and no element that stands for a structure.

    Args:
        tree: the page.
        run_mask: which runs are selected, one entry a run.
    """
    tables = [node for node in tree.nodes("table") if _n_selected(tree, run_mask, node)]
    if not tables:
        return frozenset()
    structures = np.zeros(len(tree), np.int64)
    structures[tree.nodes(*_STRUCTURE)] = 1
    total = prefix_sums(structures)
    chars = prefix_sums(tree.run_chars * run_mask)
    cells = np.array(tree.nodes("td", "th"), np.intp)
    rows = np.array(tree.nodes("tr"), np.intp)
    sizes = chars[tree.run_end[cells]] - chars[tree.run_start[cells]]
    found = set()
    for node in tables:
        end = int(tree.end[node])
        inside = slice(*np.searchsorted(cells, (node, end)).tolist())
        own_rows = rows[slice(*np.searchsorted(rows, (node, end)).tolist())]
        filled = cells[inside][sizes[inside] > 0]
        per_row = np.diff(np.searchsorted(filled, np.append(own_rows, end)))
        is_plain = total[end] - total[node] == 1 and not (sizes[inside] > _MAX_CELL_CHARS).any()
        if is_plain and len(own_rows) > 1 and np.count_nonzero(per_row > 1) > 1:
            found.add(node)
    return frozenset(found)


def _n_selected(tree: PageTree, run_mask: NDArray[np.bool_], node: int) -> int:
    return int(np.count_nonzero(run_mask[tree.run_start[node] : tree.run_end[node]]))
