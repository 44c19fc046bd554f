"""The page's tree: sums of subtrees, the way to the main text, repeated structures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.lines import loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    FloatArray = NDArray[np.float64]
    BoolArray = NDArray[np.bool_]


def subtree_sums(parent: IntArray, node: IntArray, values: FloatArray) -> FloatArray:
    """Sums of lines' quantities over the subtree of each node; one row a node.

    Args:
        parent: parent of each node.
        node: node of each line.
        values: one row of quantities a line.
    """
    total = np.zeros((len(parent), values.shape[1]))
    loops.sum_subtrees(parent, node, values, total)
    return total


def inherited_bits(parent: IntArray, own: LongArray) -> LongArray:
    """Bits that each node or one of its ancestors has."""
    bits = own.copy()
    loops.inherit_bits(parent, bits)
    return bits


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
    outermost, above = np.zeros(len(parent), np.int32), np.zeros(len(parent), np.int32)
    ancestors = np.empty((len(node), n_levels), np.int32)
    loops.climb(parent, node, chars, outermost, above, ancestors)
    return ancestors


def main_end(end: IntArray, good: FloatArray) -> int:
    """The last node of the way from the root that always goes to the child with most good text.

    Args:
        end: one past each subtree.
        good: good text in each subtree.
    """
    return loops.find_main(end, good)


def common_ancestors(parent: IntArray, path_ends: IntArray) -> tuple[BoolArray, IntArray]:
    """The last node on each of some paths from the root that is an ancestor of each node.

    Args:
        parent: parent of each node.
        path_ends: last node of each path; there is no path to a negative number.

    Returns:
        Which nodes are on the paths, and the last common nodes, one row a path.
    """
    on_paths = np.zeros((len(path_ends), len(parent)), np.bool_)
    commons = np.zeros((len(path_ends), len(parent)), np.int32)
    loops.find_commons(parent, path_ends, on_paths, commons)
    return on_paths, commons


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
    whole, near = np.empty(len(parent), np.int64), np.empty(len(parent), np.int64)
    loops.sign(parent, tag, class_id, whole, near)
    return whole, near


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
    children, spare, keys = np.empty(n, np.intp), np.empty(n, np.intp), np.empty(n, np.int64)
    groups = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(n)
    loops.group_siblings(end, tag, class_id, chars, children, spare, keys, *groups)
    return groups


def best_repeats(parent: IntArray, weight: FloatArray) -> IntArray:
    """The heaviest of each node and its ancestors, 0 where none weighs anything."""
    best = np.zeros(len(parent), np.int32)
    loops.find_heaviest(parent, weight, best)
    return best
