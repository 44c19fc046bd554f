"""The compiled loops over the elements of a page: what remains of it, which records repeat.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    ActionArray = NDArray[np.int8]
    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]
    HashArray = NDArray[np.uint64]


def keep_elements(
    actions: ActionArray,
    opaque: BoolArray,
    parent: IntArray,
    end: IntArray,
    owner: IntArray,
    elements: IntArray,
) -> int:
    """See `quarkcrawl.template.structure.skeleton.simplify`; returns how many elements remain.

    ``elements`` receives node, depth, parent and end of each in four rows.
    """
    n_kept = node = 0
    while node < len(actions):
        if actions[node] == 2:
            node = end[node]
            continue
        above = owner[parent[node]] if parent[node] >= 0 else -1
        if actions[node] == 1:
            owner[node] = above
            node += 1
            continue
        elements[0, n_kept] = node
        elements[1, n_kept] = elements[1, above] + 1 if above >= 0 else 0
        elements[2, n_kept] = above
        elements[3, n_kept] = n_kept + 1
        following = end[node] if opaque[node] else node + 1
        for inside in range(node, following):
            owner[inside] = n_kept
        n_kept += 1
        node = following
    for place in range(n_kept - 1, 0, -1):
        above = elements[2, place]
        if above >= 0:
            elements[3, above] = max(elements[3, above], elements[3, place])
    return n_kept


def find_equals(
    codes: IntArray,
    parents: IntArray,
    ends: IntArray,
    only_runs: bool,  # noqa: FBT001 - compiled functions know no keyword-only arguments
    structure: HashArray,
    first: IntArray,
    slots: IntArray,
) -> None:
    """See `quarkcrawl.template.structure.repeats.find_repeats`.

    ``structure`` receives the hash of each subtree; ``slots``, a power of two long and twice as
    many as there are elements, hold -1.
    """
    multiplier = 0x9E3779B97F4A7C15
    mixer = 0xBF58476D1CE4E5B9
    ones = 0xFFFFFFFFFFFFFFFF
    for node in range(len(codes) - 1, -1, -1):
        value = int(codes[node])
        value = ((value + 1) * multiplier) & ones
        child = node + 1
        before = -1
        while child < ends[node]:
            below = int(structure[child])
            if not only_runs:
                intern(child, parents, structure, first, slots)
            elif before >= 0 and structure[before] == below:
                first[child] = first[before]
            if first[child] == child:
                value = ((value ^ below) * mixer) & ones
                value = ((value ^ (value >> 29)) * multiplier) & ones
            before = child
            child = ends[child]
        structure[node] = value ^ (value >> 29)


def intern(
    child: int, parents: IntArray, structure: HashArray, first: IntArray, slots: IntArray
) -> None:
    """Look a child up among the children before it; a slot belongs to one parent and structure."""
    multiplier = 0x9E3779B97F4A7C15
    last = len(slots) - 1
    node = int(parents[child])
    own_hash = int(structure[child])
    slot = (own_hash ^ (node * multiplier)) & last
    while slots[slot] >= 0:
        other = slots[slot]
        if structure[other] == own_hash and parents[other] == node:
            first[child] = other
            return
        slot = (slot + 1) & last
    slots[slot] = child


def merge_equals(
    first: IntArray, ends: IntArray, stands_for: IntArray, elements: IntArray, repeated: BoolArray
) -> int:
    """See `quarkcrawl.template.structure.repeats.merge`; returns how many elements are kept."""
    n_kept = 0
    for node in range(len(first)):
        if first[node] != node:
            pair(first[node], node, first, ends, stands_for)
    for node in range(len(first)):
        if stands_for[node] >= 0:
            stands_for[node] = stands_for[stands_for[node]]
        else:
            stands_for[node] = n_kept
            elements[n_kept] = node
            n_kept += 1
    for node in range(len(first)):
        if first[node] != node:
            repeated[stands_for[node]] = True
    return n_kept


def pair(model: int, copy: int, first: IntArray, ends: IntArray, partner: IntArray) -> None:
    """Walk through two equal subtrees in step, stepping over what was merged inside them."""
    a = model
    b = copy
    while a < ends[model] and b < ends[copy]:
        partner[b] = a
        a += 1
        b += 1
        while a < ends[model] and first[a] != a:
            a = ends[a]
        while b < ends[copy] and first[b] != b:
            b = ends[b]
