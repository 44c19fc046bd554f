"""Nested slices: which one holds which, and which is the innermost at each place.

A set of elements is a set of slices that nest or are apart. What a stack would tell one element
after the other comes here from sorting, for all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.intp]


class Nesting(NamedTuple):
    """How slices nest.

    Args:
        level: number of slices around each slice.
        above: number of the slice just around it, -1 for none.
        order: the slices sorted by level, then start.
    """

    level: Places
    above: Places
    order: Places


def nest(starts: Places, ends: NDArray[np.integer]) -> Nesting:
    """Find out how slices nest.

    Args:
        starts: first place of each slice, strictly ascending.
        ends: one past its last place.
    """
    n = len(starts)
    numbers = np.arange(n)
    level = numbers - np.sort(ends).searchsorted(starts, side="right")
    keys = np.sort(level * n + numbers)
    order = keys % n if n else keys
    found = keys.searchsorted((level - 1) * n + numbers) - 1
    return Nesting(level, np.where(level > 0, order[found], -1), order)


def innermost(
    starts: NDArray[np.integer], ends: NDArray[np.integer], above: Places, n_places: int
) -> NDArray[np.int32]:
    """Number of the innermost slice at each place, -1 where there is none.

    Args:
        starts: first place of each slice, outer slices first; no slice is empty.
        ends: one past its last place.
        above: the slice just around each, -1 for none.
        n_places: places from 0.
    """
    changes = np.full(n_places + 1, -2, np.int32)
    changes[0] = -1
    changes[ends[::-1]] = above[::-1]  # of equal places the last one counts: the outermost
    changes[starts] = np.arange(len(starts))  # … the innermost
    latest = np.maximum.accumulate(np.where(changes != -2, np.arange(n_places + 1), 0))
    return changes[latest[:n_places]]
