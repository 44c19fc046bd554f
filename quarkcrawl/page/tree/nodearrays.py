"""Arithmetic on arrays with one number a node or place: slices, sums, orders, siblings."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.page.tree.tags import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    PlaceArray = NDArray[np.intp]
    BoolArray = NDArray[np.bool_]


def covered(starts: PlaceArray | IntArray | list[int], ends: IntArray, n: int) -> BoolArray:
    """Which of ``n`` places lie in at least one of the slices.

    Args:
        starts: first place of each slice, in any order.
        ends: one past its last place.
        n: places from 0.
    """
    if not len(starts):
        return np.zeros(n, np.bool_)
    change = np.bincount(starts, minlength=n + 1) - np.bincount(ends, minlength=n + 1)
    return change[:-1].cumsum() > 0


def prefix_sums(values: NDArray[np.integer] | BoolArray) -> NDArray[np.int64]:
    """Sums of the first 0, 1, 2 … values: a slice's sum is the difference of two of them.

    Args:
        values: numbers or flags; the result has one entry more.
    """
    total = np.zeros(len(values) + 1, np.int64)
    values.cumsum(out=total[1:])
    return total


def sibling_ordinals(parent: IntArray, names: NDArray[np.integer]) -> tuple[IntArray, BoolArray]:
    """Ordinal of each node among its siblings of the same name, and whether it has any.

    Args:
        parent: parent of each node, -1 for the root.
        names: a number for the name of each node, at most ``MAX_TAG_ID`` or the number of nodes.
    """
    n = len(names)
    keys = parent * np.int64(n + MAX_TAG_ID + 1) + names
    order = keys.argsort(kind="stable")
    numbers = np.arange(n)
    is_first = np.append(True, keys[order[1:]] != keys[order[:-1]])
    first = np.maximum.accumulate(np.where(is_first, numbers, 0))
    ordinal = np.empty(n, np.int32)
    ordinal[order] = numbers - first + 1
    has_others = np.empty(n, np.bool_)
    has_others[order] = ~is_first | ~np.append(is_first[1:], True)
    return ordinal, has_others


def is_named(ids: NDArray[np.integer], tags: tuple[str, ...]) -> BoolArray:
    """Which nodes have one of these names.

    Args:
        ids: tag ids of the nodes.
        tags: element names, all of them known.
    """
    return _table(tags).take(ids, mode="clip")


@lru_cache(256)
def _table(tags: tuple[str, ...]) -> BoolArray:
    """For each tag id whether it is one of these names; the last entry stands for all others."""
    is_tag = np.zeros(len(TAG_IDS) + 1, np.bool_)
    is_tag[[TAG_IDS[name] for name in tags]] = True
    return is_tag
