"""The sequence in the center of each cluster, and the one that a page is nearest to.

`agglomerate` clusters around medoids (thesis, algorithm 3), one component at a time. Every sequence
begins as a cluster. The two clusters whose centers are most alike are joined, until no two centers
are alike enough; the center is the member with the least sum of distances to all pages of the
cluster. Items are numbered by digest: of equal choices the lower number wins, so that the order of
input does not matter.

`lead` does it in one pass: each sequence joins the first leader that it is like, or leads. It is
approximate and dependent on order; for streams and for components beyond memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.template.clustering import loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import SequenceSet

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


def agglomerate(similarity: IntArray, floor: int, items: SequenceSet) -> IntArray:
    """Cluster items; the result is the center of each.

    ``similarity`` has the similarity of each pair in parts of
    `quarkcrawl.template.clustering.ONE`, -1 where it is below ``floor``, the least for two
    centers to be joined; it is filled in where the sums need it.
    """
    n = len(similarity)
    following = np.full(n, -1, np.int32)
    head = np.arange(n, dtype=np.int32)
    best = np.full(n, -1, np.int32)
    center = head.copy()  # of the cluster of each item
    lists = (following, head, np.zeros(n, np.int64), best)
    loops.agglomerate(similarity, floor, *items, items.row(), *lists, center)
    return center


def lead(items: SequenceSet, order: LongArray, floor: int) -> LongArray:
    """The leader of each item.

    Args:
        items: the sequences.
        order: in which they arrive.
        floor: least similarity to a leader, in parts of `quarkcrawl.template.clustering.ONE`.
    """
    leader_of = np.arange(len(items.total))
    leaders = np.empty(len(leader_of), np.int64)
    loops.lead(order, floor, *items[:4], items.row(), leaders, leader_of)
    return leader_of


def nearest(
    page: IntArray,
    heavy: LongArray,
    candidates: LongArray,
    floors: LongArray,
    sequences: SequenceSet,
) -> tuple[int, int]:
    """The sequence that a page is most like, and how much; weights of both bound what is compared.

    Args:
        page: its tokens.
        heavy: the weight of each.
        candidates: numbers of the sequences to compare it with; of equally near ones the first
            is taken.
        floors: least similarity to each of all sequences, as with `lead`.
        sequences: all that `candidates` counts into, one behind the other.

    Returns:
        Number and similarity; -1 twice if none is near enough.
    """
    row = np.empty(len(page) + 1, np.int64)
    number = loops.nearest(page, heavy, candidates, floors, *sequences[:4], row)
    return (number, int(row[0])) if number >= 0 else (-1, -1)
