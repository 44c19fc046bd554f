"""The main list of a page: elements of one look that together hold most of its content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.page.tree import tag_flags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree

    FloatArray = NDArray[np.float64]
    LongArray = NDArray[np.int64]
    Places = NDArray[np.intp]


MIN_ITEMS: Final = 3
_MAX_ONE: Final = 0.5
"""An element with more of the content than that is no item among others."""

_MIN_LINKED: Final = 0.5
"""So many items of a list lead elsewhere; paragraphs and rows of text mostly do not."""

_ITEM_TAGS: Final = (
    "li div article section table tbody tr td dl dd dt ul ol a blockquote figure form aside"
)
_IS_ITEM: Final = tag_flags(_ITEM_TAGS.split())
_MAX_LEVELS: Final = 24


class ListLimits(NamedTuple):
    """When elements of one look are the main list.

    Args:
        share: least share of the content that stands in them.
        covered: least share of them that have some of it.
    """

    share: float
    covered: float


def main_list(
    tree: PageTree, content: FloatArray, looks: LongArray, limits: ListLimits
) -> Places | None:
    """The elements that repeat and hold most of the content.

    Args:
        tree: the page.
        content: how much content each text run is, 0 for other runs.
        looks: equal for nodes that look the same.
        limits: when it is one.

    Returns:
        Its items in document order, none of them in another; None if there is no such list.
    """
    sums = np.zeros(len(content) + 1)
    content.cumsum(out=sums[1:])
    total = float(sums[-1])
    nodes = _IS_ITEM.take(tree.tag).nonzero()[0]
    inside = sums.take(tree.run_end.take(nodes)) - sums.take(tree.run_start.take(nodes))
    fits = (inside > 0) & (inside <= _MAX_ONE * total)
    nodes, inside = nodes[fits], inside[fits]
    if len(nodes) < MIN_ITEMS or inside.sum() < limits.share * total:
        return None
    keys, group = np.unique(looks[nodes], return_inverse=True)
    shares = np.bincount(group, inside) / total
    best, most = None, 0.0
    for number in (shares >= limits.share).nonzero()[0].tolist():
        items = ((looks == keys[number]) & (tree.text_chars > 0)).nonzero()[0]
        shared = (sums[tree.run_end[items]] - sums[tree.run_start[items]]) / total
        score = _score(tree, items, shared, limits)
        if score > most:
            best, most = items, score
    return best


def _score(tree: PageTree, items: Places, shares: FloatArray, limits: ListLimits) -> float:
    """How much speaks for some elements being the main list, 0 if they are not."""
    if len(items) < MIN_ITEMS or (items[1:] < tree.end[items[:-1]]).any():
        return 0.0
    share, covered = float(shares.sum()), float((shares > 0).mean())
    if share < limits.share or covered < limits.covered or shares.max() > _MAX_ONE * share:
        return 0.0
    if (tree.anchor_chars[items] > 0).mean() < _MIN_LINKED:
        return 0.0
    n_runs = float((tree.run_end[items] - tree.run_start[items]).mean())
    depth = float(tree.depth[items[0]])
    return share + 0.3 * covered + 0.02 * min(n_runs, 10.0) - 0.001 * min(depth, _MAX_LEVELS)
