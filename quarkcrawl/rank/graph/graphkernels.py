"""Compiled passes over links: sorting by block, merging repetitions, turning the graph round.

Each is one or two linear passes with counting, which keeps memory at what goes in and comes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


_SHORT: Final = 48


@compiled
def by_block(source: LongArray, target: IntArray, n_blocks: int) -> tuple[LongArray, IntArray]:
    """Links sorted by their block, in the given order within each.

    Returns:
        First link of each block with the end, and the targets in that order.
    """
    ptr = np.zeros(n_blocks + 1, np.int64)
    for k in range(len(source)):
        ptr[source[k] + 1] += 1
    for b in range(n_blocks):
        ptr[b + 1] += ptr[b]
    place = ptr[:-1].copy()
    ordered = np.empty(len(target), np.int32)
    for k in range(len(source)):
        ordered[place[source[k]]] = target[k]
        place[source[k]] += 1
    return ptr, ordered


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
    if not _sort_blocks(ptr, targets):
        return ptr, targets, None
    counts = np.empty(len(targets) if counted else 0, np.int32)
    merged = _merge_runs(ptr, targets, counts)
    return merged, targets[: merged[-1]], counts[: merged[-1]] if counted else None


@compiled
def _sort_blocks(ptr: LongArray, targets: IntArray) -> int:
    repeats = 0
    for b in range(len(ptr) - 1):
        start, end = ptr[b], ptr[b + 1]
        if end - start > _SHORT:
            targets[start:end] = np.sort(targets[start:end])
        else:  # most blocks: by insertion, without a copy
            for k in range(start + 1, end):
                target, place = targets[k], k
                while place > start and targets[place - 1] > target:
                    targets[place] = targets[place - 1]
                    place -= 1
                targets[place] = target
        for k in range(start + 1, end):
            repeats += targets[k] == targets[k - 1]
    return repeats


@compiled
def _merge_runs(ptr: LongArray, targets: IntArray, counts: IntArray) -> LongArray:
    merged = np.zeros(len(ptr), np.int64)
    n = 0
    for b in range(len(ptr) - 1):
        for k in range(ptr[b], ptr[b + 1]):
            repeated = n > merged[b] and targets[n - 1] == targets[k]
            if not repeated:
                targets[n] = targets[k]
                n += 1
            if len(counts) > 0:
                counts[n - 1] = counts[n - 1] + 1 if repeated else 1
        merged[b + 1] = n
    return merged


@compiled
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
    once = len(last) > 0
    for filling in (False, True):
        last[:] = -1
        for b in range(len(ptr) - 1):
            s = sender[b]
            if s < 0:
                continue
            for k in range(ptr[b], ptr[b + 1]):
                t = targets[k]
                if once:
                    if last[t] == s:
                        continue
                    last[t] = s
                n = 1 if once or len(counts) == 0 else counts[k]
                if filling:
                    for place in range(in_ptr[t + 1], in_ptr[t + 1] + n):
                        incoming[place] = s
                else:
                    sizes[s] += n
                in_ptr[t + 2 - filling] += n
        if not filling:
            in_ptr = np.cumsum(in_ptr)
            incoming = np.empty(in_ptr[-1], np.int32)
    return sizes, in_ptr[:-1], incoming
