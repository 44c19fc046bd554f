"""What a main list changes in the choice of content lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.listing.find import MIN_ITEMS, ListLimits, main_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]
    LongArray = NDArray[np.int64]
    Places = NDArray[np.intp]


LIMITS: Final = ListLimits(share=0.7, covered=0.8)
MAX_LESS: Final = 0.5
"""So much less likely than all chosen lines may the lines at one place of the items be."""

MAX_GROWTH: Final = 0.5
"""A list that would add more than that share of what is chosen is not believed."""

MIN_ITEMS_SHARE: Final = 0.5
"""Lines that stand in fewer of the items are left as they are."""


def content_items(
    tree: PageTree,
    is_content: BoolArray,
    first_run: NDArray[np.int32],
    weight: FloatArray,
    looks: LongArray,
) -> Places | None:
    """Items of the main list of a page whose content is nearly all in a list.

    Args:
        tree: the page.
        is_content: which lines seem to be content.
        first_run: first run of each line.
        weight: how much text each line is.
        looks: equal for nodes that look the same.

    Returns:
        The items in document order; None if there is no such list, or nothing to add to it.
    """
    if not MIN_ITEMS <= int(np.count_nonzero(is_content)) < len(is_content):
        return None
    content = np.zeros(len(tree.runs))
    content[first_run] = weight * is_content
    return main_list(tree, content, looks, LIMITS)


def filled_items(
    tree: PageTree,
    items: Places,
    is_content: BoolArray,
    first_run: NDArray[np.int32],
    weight: FloatArray,
    scores: FloatArray,
    looks: LongArray,
) -> BoolArray:
    """The choice with lines that stand in most items of a list and are nearly likely enough.

    What is doubtful in one card of a list is so in all of them: the lines at the same place of
    the items are taken or left together, by their mean score.

    Args:
        tree: the page.
        items: the items, in document order, none in another.
        is_content: which lines seem to be content.
        first_run: first run of each line.
        weight: how much text each line is.
        scores: how likely each line is content.
        looks: equal for lines that look the same, with all that is around them.
    """
    edge = np.zeros(len(is_content) + 1, np.int32)
    np.add.at(edge, first_run.searchsorted(tree.run_start[items]), 1)
    np.subtract.at(edge, first_run.searchsorted(tree.run_end[items]), 1)
    lines = edge[:-1].cumsum().nonzero()[0]
    _, group = np.unique(looks[lines], return_inverse=True)
    total = np.bincount(group, weight[lines] * scores[lines])
    mean = total / np.maximum(np.bincount(group, weight[lines]), 1e-9)
    least = float(scores[is_content].min()) - MAX_LESS
    is_common = np.bincount(group) >= max(MIN_ITEMS, MIN_ITEMS_SHARE * len(items))
    filled = is_content.copy()
    filled[lines[((mean >= least) & is_common)[group]]] = True
    return is_content if weight @ filled > (1 + MAX_GROWTH) * (weight @ is_content) else filled
