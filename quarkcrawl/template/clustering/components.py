"""Connected components of a graph given as pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


def components(n: int, a: IntArray, b: IntArray) -> Iterator[tuple[LongArray, LongArray]]:
    """Components of two or more nodes: their nodes, ascending, and the numbers of their pairs.

    Args:
        n: number of nodes.
        a: one end of each pair.
        b: its other end.
    """
    root = _roots(n, a, b)
    by_root = np.argsort(root, kind="stable")
    pairs_by_root = np.argsort(root[a], kind="stable")
    names, n_nodes = np.unique(root, return_counts=True)
    ends = np.cumsum(n_nodes)
    pair_ends = np.searchsorted(root[a][pairs_by_root], names, side="right")
    for number in np.flatnonzero(n_nodes > 1).tolist():
        begin = ends[number] - n_nodes[number]
        pair_begin = pair_ends[number - 1] if number else 0
        yield by_root[begin : ends[number]], pairs_by_root[pair_begin : pair_ends[number]]


@compiled
def _roots(n: int, a: IntArray, b: IntArray) -> IntArray:
    """The lowest node of the component of each node (union-find with path halving)."""
    above = np.arange(n).astype(np.int32)
    for pair in range(len(a)):
        x, y = _root(above, a[pair]), _root(above, b[pair])
        if x < y:
            above[y] = x
        else:
            above[x] = y
    for node in range(n):
        above[node] = _root(above, node)
    return above


@compiled
def _root(above: IntArray, node: int) -> int:
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node
