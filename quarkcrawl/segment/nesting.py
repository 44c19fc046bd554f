"""Nested slices: which one holds which, and which is the innermost at each place.

A set of elements is a set of slices that nest or are apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quarkcrawl.segment.loops import fill_innermost

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
    outer = keys.searchsorted((level - 1) * n + numbers) - 1
    return Nesting(level, np.where(level > 0, order[outer], -1), order)


def innermost(
    starts: NDArray[np.integer], ends: NDArray[np.integer], n_places: int
) -> NDArray[np.int32]:
    """Number of the innermost slice at each place, -1 where there is none.

    Args:
        starts: first place of each slice, outer slices first; no slice is empty.
        ends: one past its last place.
        n_places: places from 0.
    """
    innermost_starts = np.empty(n_places, np.int32)
    fill_innermost(
        np.array(starts, np.int32), np.ascontiguousarray(ends, np.int32), innermost_starts
    )
    return innermost_starts
