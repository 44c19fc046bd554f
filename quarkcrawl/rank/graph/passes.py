"""Passes over links: sorting by block, merging repetitions, turning the graph round.

Each is one or two linear passes with counting, which keeps memory at what goes in and comes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.rank.loops import (
    count_by_block,
    merge_runs,
    put_by_block,
    sort_blocks,
    turn_links,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


_SHORT: Final = 48
"""Links of a block up to which they are sorted by insertion."""


def by_block(source: LongArray, target: IntArray, n_blocks: int) -> tuple[LongArray, IntArray]:
    """Links sorted by their block, in the given order within each.

    Returns:
        First link of each block with the end, and the targets in that order.
    """
    # Block b is counted at b + 2, so that ptr[b + 1] can go from its first link to its end.
    ptr = np.zeros(n_blocks + 2, np.int64)
    count_by_block(source, ptr)
    ptr = np.cumsum(ptr)
    ordered = np.empty(len(target), np.int32)
    put_by_block(source, target, ptr, ordered)
    return ptr[:-1], ordered


def merge_repeats(
    ptr: LongArray, targets: IntArray, *, counted: bool = True
) -> tuple[LongArray, IntArray, IntArray | None]:
    """Sort the targets of each block and leave each once; works in place, to save memory.

    Args:
        ptr: first link of each block, and the end.
        targets: node of each link.
        counted: whether to count repetitions.

    Returns:
        First link of each block with the end, the targets, and how often each occurs in its block;
        None if no block repeats a target, or they are not to be counted.
    """
    for b in np.flatnonzero(np.diff(ptr) > _SHORT):
        targets[ptr[b] : ptr[b + 1]].sort()
    if not sort_blocks(ptr, targets):
        return ptr, targets, None
    counts = np.empty(len(targets) if counted else 0, np.int32)
    merged = np.zeros(len(ptr), np.int64)
    merge_runs(ptr, targets, counts, merged)
    return merged, targets[: merged[-1]], counts[: merged[-1]] if counted else None


def by_target(
    ptr: LongArray,
    targets: IntArray,
    counts: IntArray,
    sender: IntArray,
    n_senders: int,
    n_nodes: int,
    last: IntArray,
) -> tuple[LongArray, LongArray, IntArray]:
    """Turn links round: from blocks to nodes into from nodes to the senders of their links.

    Args:
        ptr: first link of each block.
        targets: node of each link.
        counts: repetitions of each link; empty: one each.
        sender: sender of each block, ascending; -1: its links do not count.
        n_senders: number of senders.
        n_nodes: number of nodes.
        last: to count a target once per sender: a number for each node, overwritten; empty: count
            all.

    Returns:
        Links of each sender, first incoming link of each node with the end, and the senders of
        the links that come in at each node, ascending.
    """
    sizes = np.zeros(n_senders, np.int64)
    # Node t is counted at t + 2, so that in_ptr[t + 1] can go from its first sender to its end.
    in_ptr = np.zeros(n_nodes + 2, np.int64)
    incoming = np.empty(0, np.int32)
    for filling in (False, True):
        last.fill(-1)
        turn_links(ptr, targets, counts, sender, last, sizes, in_ptr, incoming, filling)
        if not filling:
            in_ptr = np.cumsum(in_ptr)
            incoming = np.empty(in_ptr[-1], np.int32)
    return sizes, in_ptr[:-1], incoming


def link_cuts(in_ptr: LongArray, n: int) -> list[int]:
    """Nodes at which to cut so that all parts have about as many links.

    Args:
        in_ptr: first link of each node, and the end.
        n: number of parts.
    """
    ends = np.linspace(0, in_ptr[-1], n + 1)[1:-1]
    return [0, *np.searchsorted(in_ptr, ends).tolist(), len(in_ptr) - 1]
