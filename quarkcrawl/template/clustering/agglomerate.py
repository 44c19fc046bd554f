"""Agglomerative clustering around medoids (thesis, algorithm 3), one component at a time.

Every sequence begins as a cluster. The two clusters whose centres are most alike are joined, until
no two centres are alike enough; the centre is the member with the least sum of distances to all
pages of the cluster. Items are numbered by digest: of equal choices the lower number wins, so that
the order of input does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.template.clustering.lcs import ONE, common_weight, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import SequenceSet

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    Lists = tuple[IntArray, IntArray]


_UNKNOWN = -1


@compiled
def agglomerate(known: IntArray, floor: int, items: SequenceSet) -> IntArray:
    """Cluster items; the result is the centre of each.

    ``known`` has the similarity of each pair in parts of
    `quarkcrawl.template.clustering.ONE`, -1 where it is below ``floor``, the least for two
    centres to be joined; it is filled in where the sums need it.
    """
    n = len(known)
    centre = np.arange(n).astype(np.int32)  # of the cluster of each item
    following = np.full(n, -1, np.int32)  # members of a cluster as a list that begins at its head
    head = np.arange(n).astype(np.int32)  # first member of the cluster with this centre, or -1
    spread = np.zeros(n, np.int64)  # sum of distances to the pages of its cluster
    best = np.full(n, -1, np.int32)
    for item in range(n):
        _find_partner(item, known, floor, head, best)
    while True:
        a = _closest(known, head, best)
        if a < 0:
            return centre
        b = best[a]
        _add_spread(a, b, (head, following), spread, known, items)
        middle = _join(a, b, head, following, spread, centre)
        _update_partners(middle, known, floor, head, best)


@compiled
def _find_partner(c: int, known: IntArray, floor: int, head: IntArray, best: IntArray) -> None:
    """The centre most like this one; of equal ones the first."""
    best[c] = -1
    most = floor - 1
    for other in range(len(known)):
        if head[other] >= 0 and other != c and known[c, other] > most:
            most = known[c, other]
            best[c] = other


@compiled
def _closest(known: IntArray, head: IntArray, best: IntArray) -> int:
    """The centre whose partner is nearest; -1 if nothing can be joined any more."""
    found, most = -1, -1
    for c in range(len(known)):
        if head[c] >= 0 and best[c] >= 0 and known[c, best[c]] > most:
            found, most = c, known[c, best[c]]
    return found


@compiled
def _add_spread(
    a: int, b: int, lists: Lists, spread: LongArray, known: IntArray, items: SequenceSet
) -> None:
    """Add the distances between the members of two clusters to their sums."""
    head, following = lists
    tokens, begin, weights, total, count = items
    i = head[a]
    while i >= 0:
        j, own = head[b], slice(begin[i], begin[i + 1])
        while j >= 0:
            if known[i, j] == _UNKNOWN:
                theirs = slice(begin[j], begin[j + 1])
                common = common_weight(tokens[own], tokens[theirs], weights[own], 0)
                known[i, j] = known[j, i] = ratio(common, max(total[i], total[j]))
            distance = ONE - known[i, j]
            spread[i] += count[j] * distance
            spread[j] += count[i] * distance
            j = following[j]
        i = following[i]


@compiled
def _join(
    a: int, b: int, head: IntArray, following: IntArray, spread: LongArray, centre: IntArray
) -> int:
    """Make one cluster of two and return its centre."""
    last = head[a]
    while following[last] >= 0:
        last = following[last]
    following[last] = head[b]
    begin = head[a]
    head[a] = head[b] = -1
    middle, item = begin, begin
    while item >= 0:
        if spread[item] < spread[middle] or (spread[item] == spread[middle] and item < middle):
            middle = item
        item = following[item]
    item = begin
    while item >= 0:
        centre[item] = middle
        item = following[item]
    head[middle] = begin
    return int(middle)


@compiled
def _update_partners(
    middle: int, known: IntArray, floor: int, head: IntArray, best: IntArray
) -> None:
    """Put the partners right after a join; only those of the two clusters are searched anew."""
    _find_partner(middle, known, floor, head, best)
    for c in range(len(known)):
        if head[c] < 0 or c == middle:
            continue
        if head[max(best[c], 0)] < 0 and best[c] >= 0:
            _find_partner(c, known, floor, head, best)
        elif known[c, middle] >= floor:
            old = best[c]
            more = ONE if old < 0 else known[c, middle] - known[c, old]
            if more > 0 or (more == 0 and middle < old):
                best[c] = middle
