"""Clusters in one pass: each sequence joins the first leader that it is like, or leads.

Approximate and dependent on order; for streams and for components beyond memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.template.clustering.lcs import common_weight, needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import SequenceSet

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


@compiled
def lead(items: SequenceSet, order: LongArray, floor: int) -> LongArray:
    """The leader of each item.

    Args:
        items: the sequences.
        order: in which they arrive.
        floor: least similarity to a leader, in parts of `quarkcrawl.template.clustering.ONE`.
    """
    tokens, begin, weights, total, _ = items
    found = np.full(len(total), -1, np.int64)
    leaders = np.empty(len(total), np.int64)
    n_leaders = 0
    for item in order:
        most, own = -1, slice(begin[item], begin[item + 1])
        for number in range(n_leaders):
            leader = leaders[number]
            heavier = max(total[item], total[leader])
            least = max(needed(floor, heavier), 1)
            if min(total[item], total[leader]) < least:
                continue
            theirs = slice(begin[leader], begin[leader + 1])
            if common_weight(tokens[own], tokens[theirs], weights[own], least) >= 0:
                most = 1
                found[item] = leader
                break
        if most < 0:
            found[item] = item
            leaders[n_leaders] = item
            n_leaders += 1
    return found
