"""Records that repeat under one parent, merged into one (thesis, chapter 3).

Subtrees are compared from the leaves up by a 64-bit hash of their structure after merging, so
that inner repetitions are gone before the outer ones are compared: records that differ only in
how often something repeats inside them become equal. Linear in the number of elements.
The thesis' own way, by suffix tree, is in `quarkcrawl.template.structure.suffixtree`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from quarkcrawl.kernels import compiled
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

_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_MIXER: Final = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT: Final = np.uint64(29)


class Merged(NamedTuple):
    """What is left after merging.

    Args:
        kept: elements that remain, in preorder; at most `MOST_ELEMENTS` of a page.
        repeated: which of the kept ones stand for more than one record (their root only).
        stands_for: for each element the position in ``kept`` of the one that stands for it; -1
            where that is cut off.
    """

    kept: IntArray
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
    if len(merged.kept) <= MOST_ELEMENTS:
        return merged
    is_left = merged.stands_for < MOST_ELEMENTS
    stands_for = np.where(is_left, merged.stands_for, np.int32(-1))
    return Merged(merged.kept[:MOST_ELEMENTS], merged.repeated[:MOST_ELEMENTS], stands_for)


@compiled
def find_repeats(codes: IntArray, parents: IntArray, ends: IntArray, only_runs: bool) -> IntArray:  # noqa: FBT001
    """For each element the first of its siblings that has the same structure, often itself."""
    n = len(codes)
    first = np.arange(n).astype(np.int32)
    structure = np.zeros(n, np.uint64)
    size = 8
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    for node in range(n - 1, -1, -1):
        structure[node] = _structure(
            node, codes, parents, ends, structure, first, slots, mask, only_runs
        )
    return first


@compiled
def _structure(  # noqa: PLR0913, PLR0917  (a kernel)
    node: int,
    codes: IntArray,
    parents: IntArray,
    ends: IntArray,
    structure: NDArray[np.uint64],
    first: IntArray,
    slots: IntArray,
    mask: np.uint64,
    only_runs: bool,  # noqa: FBT001
) -> np.uint64:
    """Hash of a subtree whose children are hashed already; finds the equal ones among these."""
    value = np.uint64(codes[node] + 1) * _MULTIPLIER
    child, before = node + 1, -1
    while child < ends[node]:
        if only_runs:
            if before >= 0 and structure[before] == structure[child]:
                first[child] = first[before]
        else:
            _intern(child, parents, structure, first, slots, mask)
        if first[child] == child:
            value = (value ^ structure[child]) * _MIXER
            value = (value ^ (value >> _SHIFT)) * _MULTIPLIER
        before = child
        child = ends[child]
    return value ^ (value >> _SHIFT)


@compiled
def _intern(
    child: int,
    parents: IntArray,
    structure: NDArray[np.uint64],
    first: IntArray,
    slots: IntArray,
    mask: np.uint64,
) -> None:
    """Look a child up among the children before it; a slot belongs to one parent and structure."""
    wanted, node = structure[child], parents[child]
    slot = (wanted ^ (np.uint64(node) * _MULTIPLIER)) & mask
    while slots[slot] >= 0:
        other = slots[slot]
        if structure[other] == wanted and parents[other] == node:
            first[child] = other
            return
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = child


def merge(first: IntArray, ends: IntArray) -> Merged:
    """Remove all records but the first of each kind.

    Args:
        first: see `find_repeats`.
        ends: one past the last element of each subtree.
    """
    final, repeated = _resolve(first, ends)
    is_kept = final == np.arange(len(final), dtype=np.int32)
    kept = np.flatnonzero(is_kept).astype(np.int32)
    place = np.cumsum(is_kept, dtype=np.int32) - np.int32(1)
    return Merged(kept, repeated[kept], place[final])


@compiled
def _resolve(first: IntArray, ends: IntArray) -> tuple[IntArray, BoolArray]:
    """For each element the one that stands for it in the end, and which roots repeat."""
    n = len(first)
    final = np.full(n, -1, np.int32)
    repeated = np.zeros(n, np.bool_)
    for node in range(n):
        if first[node] != node:
            _pair(first[node], node, first, ends, final)
    for node in range(n):
        final[node] = node if final[node] < 0 else final[final[node]]
    for node in range(n):
        if first[node] != node:
            repeated[final[node]] = True
    return final, repeated


@compiled
def _pair(model: int, copy: int, first: IntArray, ends: IntArray, partner: IntArray) -> None:
    """Walk through two equal subtrees in step, stepping over what was merged inside them."""
    a, b = model, copy
    while a < ends[model] and b < ends[copy]:
        partner[b] = a
        a, b = a + 1, b + 1
        while a < ends[model] and first[a] != a:
            a = ends[a]
        while b < ends[copy] and first[b] != b:
            b = ends[b]
