"""Records that repeat under one parent, merged into one (thesis, chapter 3).

Subtrees are compared from the leaves up by a 64-bit hash of their structure after merging, so
that inner repetitions are gone before the outer ones are compared: records that differ only in
how often something repeats inside them become equal. Linear in the number of elements.
The thesis' own way, by suffix tree, is in `quarkcrawl.template.structure.suffixtree`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from quarkcrawl.template.structure.loops import find_equals, merge_equals
from quarkcrawl.template.structure.suffixtree import suffix_tree_repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure.skeleton import Skeleton

    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]


Repeats = Literal["all", "run", "none", "suffix-tree"]

REPEATS: Final[tuple[Repeats, ...]] = ("all", "run", "none", "suffix-tree")
"""How repeats are found: all equal subtrees under one parent, only those that follow each other,
none at all, or the thesis' algorithm."""

MOST_ELEMENTS: Final = 4000
"""Longer sequences are cut, since to compare two takes the product of their lengths: a host could
send pages that take minutes each. The longest of 4,099 development pages has 1,353."""


class Merged(NamedTuple):
    """What is left after merging.

    Args:
        elements: those that remain, in preorder; at most `MOST_ELEMENTS` of a page.
        repeated: which of these stand for more than one record (their root only).
        stands_for: for each element the position in ``elements`` of the one that stands for it; -1
            where that is cut off.
    """

    elements: IntArray
    repeated: BoolArray
    stands_for: IntArray


def repeats_of(skeleton: Skeleton, mode: Repeats = "all") -> Merged:
    """Merge the repeated records of a page.

    Args:
        skeleton: the simplified page.
        mode: see `REPEATS`.
    """
    if mode == "suffix-tree":
        first = suffix_tree_repeats(skeleton)
    elif mode == "none":
        first = np.arange(len(skeleton), dtype=np.int32)
    else:
        only_runs = mode == "run"
        first = find_repeats(skeleton.code, skeleton.parent, skeleton.end, only_runs)
    return _bounded(merge(first, skeleton.end))


def _bounded(merged: Merged) -> Merged:
    """The first elements of a page without end; what is above each of them is among them."""
    if len(merged.elements) <= MOST_ELEMENTS:
        return merged
    is_left = merged.stands_for < MOST_ELEMENTS
    stands_for = np.where(is_left, merged.stands_for, np.int32(-1))
    return Merged(merged.elements[:MOST_ELEMENTS], merged.repeated[:MOST_ELEMENTS], stands_for)


def find_repeats(codes: IntArray, parents: IntArray, ends: IntArray, only_runs: bool) -> IntArray:  # noqa: FBT001
    """For each element the first of its siblings that has the same structure, often itself."""
    n = len(codes)
    first = np.arange(n, dtype=np.int32)
    slots = np.full(max(8, 1 << (2 * n - 1).bit_length()), -1, np.int32)
    find_equals(codes, parents, ends, only_runs, np.empty(n, np.uint64), first, slots)
    return first


def merge(first: IntArray, ends: IntArray) -> Merged:
    """Remove all records but the first of each kind.

    Args:
        first: see `find_repeats`.
        ends: one past the last element of each subtree.
    """
    n = len(first)
    stands_for, elements = np.full(n, -1, np.int32), np.empty(n, np.int32)
    repeated = np.zeros(n, np.bool_)
    n_kept = merge_equals(first, ends, stands_for, elements, repeated)
    return Merged(elements[:n_kept].copy(), repeated[:n_kept].copy(), stands_for)
