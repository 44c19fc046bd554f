"""Kernels over the page's tree: sums of subtrees, the way to the main text, repeated structures.

All take nodes in preorder, so that a loop from the first to the last node meets parents before
their children and one from the last to the first children before their parents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    FloatArray = NDArray[np.float64]


@compiled
def subtree_sums(parent: IntArray, node: IntArray, values: FloatArray) -> FloatArray:
    """Sums of lines' quantities over the subtree of each node; one row a node.

    Args:
        parent: parent of each node.
        node: node of each line.
        values: one row of quantities a line.
    """
    n_kinds = values.shape[1]
    total = np.zeros((len(parent), n_kinds))
    for line in range(len(node)):
        for kind in range(n_kinds):
            total[node[line], kind] += values[line, kind]
    for v in range(len(parent) - 1, 0, -1):
        for kind in range(n_kinds):
            total[parent[v], kind] += total[v, kind]
    return total


@compiled
def inherited_bits(parent: IntArray, own: LongArray) -> LongArray:
    """Bits that each node or one of its ancestors has."""
    bits = own.copy()
    for v in range(1, len(parent)):
        bits[v] |= bits[parent[v]]
    return bits


@compiled
def distinct_ancestors(
    parent: IntArray, node: IntArray, chars: FloatArray, n_levels: int
) -> IntArray:
    """Ancestors of each line that hold more text than the one before.

    Wrappers around the same text count as one: the outermost of them stands for all. So levels
    mean the same on a page with many wrappers as on one with few.

    Args:
        parent: parent of each node.
        node: node of each line.
        chars: characters in each subtree.
        n_levels: number of levels; the root fills those that there are not.
    """
    n = len(parent)
    outermost, above = np.zeros(n, np.int32), np.zeros(n, np.int32)
    # What stands around the outermost wrapper is known before the wrapper is met.
    for v in range(1, n):
        if chars[parent[v]] == chars[v]:
            outermost[v] = outermost[parent[v]]
            above[v] = above[parent[v]]
        else:
            outermost[v] = v
            above[v] = parent[v]
    found = np.zeros((len(node), n_levels), np.int32)
    for line in range(len(node)):
        v = node[line]
        for level in range(n_levels):
            found[line, level] = outermost[v]
            v = above[v]
    return found


@compiled
def main_path(end: IntArray, good: FloatArray) -> tuple[NDArray[np.bool_], int]:
    """The way from the root that always goes to the child with the most good text.

    Args:
        end: one past each subtree.
        good: good text in each subtree.

    Returns:
        Which nodes are on it, and its last node.
    """
    on_path = np.zeros(len(end), np.bool_)
    v = 0
    while v >= 0:
        last = v
        on_path[v] = True
        best, child = -1, v + 1
        while child < end[v]:
            if good[child] > 0 and (best < 0 or good[child] > good[best]):
                best = child
            child = end[child]
        v = best
    return on_path, last


@compiled
def path_to(parent: IntArray, node: int) -> NDArray[np.bool_]:
    """Which nodes are ``node`` or an ancestor of it; none for a negative number."""
    on_path = np.zeros(len(parent), np.bool_)
    while node >= 0:
        on_path[node] = True
        node = parent[node]
    return on_path


@compiled
def common_ancestors(parent: IntArray, on_path: NDArray[np.bool_]) -> IntArray:
    """The last node on a path from the root that is an ancestor of each node."""
    common = np.zeros(len(parent), np.int32)
    for v in range(1, len(parent)):
        common[v] = v if on_path[v] else common[parent[v]]
    return common


@compiled
def signatures(
    parent: IntArray, tag: NDArray[np.int16], class_id: LongArray
) -> tuple[LongArray, LongArray]:
    """Hashes that are equal for nodes of the same look.

    Args:
        parent: parent of each node.
        tag: tag id of each node.
        class_id: number of each node's class attribute within the page.

    Returns:
        Hash of names and classes on the whole path, and of those of node and parent only.
    """
    n = len(parent)
    whole, near = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for v in range(n):
        own = (tag[v] * 1000003 + class_id[v] * 7919 + 12345) & 0x7FFFFFFF
        whole[v] = near[v] = own
        above = parent[v]
        if above >= 0:
            whole[v] = ((whole[above] * 1000003) ^ own) & 0x7FFFFFFFFFFF
            near[v] = own * 31 + ((tag[above] * 1000003 + class_id[above] * 7919) & 0x7FFFFFFF)
    return whole, near


@compiled
def repeats(
    end: IntArray, tag: NDArray[np.int16], class_id: LongArray, chars: FloatArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Siblings with text that share name and class.

    Args:
        end: one past each subtree.
        tag: tag id of each node.
        class_id: number of each node's class attribute within the page.
        chars: characters in each subtree.

    Returns:
        For each node how many there are with it, which of them it is, their characters
        together and those of the largest.
    """
    n = len(end)
    count, index = np.ones(n, np.int32), np.zeros(n, np.int32)
    total, largest = chars.copy(), chars.copy()
    children, keys = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for v in range(n):
        n_children, child = 0, v + 1
        while child < end[v]:
            if chars[child] > 0:
                children[n_children] = child
                keys[n_children] = tag[child] * 1000003 + class_id[child]
                n_children += 1
            child = end[child]
        if n_children < 2:
            continue
        order = np.argsort(keys[:n_children], kind="mergesort")
        start = 0
        while start < n_children:
            stop, sum_chars, most = start, 0.0, 0.0
            while stop < n_children and keys[order[stop]] == keys[order[start]]:
                sum_chars += chars[children[order[stop]]]
                most = max(most, chars[children[order[stop]]])
                stop += 1
            for place in range(start, stop):
                child = children[order[place]]
                count[child], index[child] = stop - start, place - start
                total[child], largest[child] = sum_chars, most
            start = stop
    return count, index, total, largest


@compiled
def best_repeats(parent: IntArray, weight: FloatArray) -> IntArray:
    """The heaviest of each node and its ancestors, 0 where none weighs anything."""
    best = np.zeros(len(parent), np.int32)
    for v in range(1, len(parent)):
        above = best[parent[v]]
        best[v] = v if weight[v] > weight[above] else above
    return best
