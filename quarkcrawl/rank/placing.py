"""Each link to its block, or to the reason why it does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - numba types the tuple when it compiles

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]

__all__ = ["REASONS", "Segments", "mark_targets", "place_links", "put_in_order"]

REASONS: Final = ("nofollow", "unknown", "self", "duplicate")
"""Why a link may not count; the block of such a link is −1 − its place here."""


class Segments(NamedTuple):
    """Stretches of links; all links of a stretch are of one page.

    Args:
        page: page that they count for.
        start: first link.
        end: one past the last.
        blocks: place of the block of the first link in the list of blocks; -1: no blocks known.
        original: of a duplicate's links, first link of the page that is kept, whose links stand in
            the same order; -1 else.
    """

    page: NDArray[Any]
    start: NDArray[Any]
    end: NDArray[Any]
    blocks: NDArray[Any]
    original: NDArray[Any]


@compiled
def mark_targets(segments: Segments, target: IntArray, skipped: BoolArray, seen: BoolArray) -> None:
    """Mark what the links of the stretches lead to; ``skipped`` ones lead nowhere."""
    for s in range(len(segments.start)):
        for k in range(segments.start[s], segments.end[s]):
            if not skipped[k]:
                seen[target[k]] = True


@compiled
def place_links(
    segments: Segments,
    target: IntArray,
    skipped: BoolArray,
    link_block: IntArray,
    block_ptr: LongArray,
    self_links: bool,  # noqa: FBT001 - numba knows no keyword-only arguments
) -> tuple[IntArray, LongArray]:
    """Find the block of each link.

    Args:
        segments: the stretches.
        target: node of each link, -1 for none.
        skipped: whether a link does not count because of nofollow.
        link_block: block of each link within its page; -1 for none.
        block_ptr: first block of each page, and the end.
        self_links: whether links of a page to itself count.

    Returns:
        Block of each link, or −1 − the place of its reason; for links in no stretch −128. And how
        many links there are for each reason.
    """
    placed = np.full(len(target), -128, np.int32)
    reasons = np.zeros(4, np.int64)
    page, start, end, blocks, original = segments
    for s in range(len(page)):
        p = page[s]
        first, rest = block_ptr[p], block_ptr[p + 1] - 1
        for k in range(start[s], end[s]):
            reason = -1
            if skipped[k]:
                reason = 0
            elif target[k] < 0:
                reason = 1
            elif target[k] == p and not self_links:
                reason = 2
            elif original[s] >= 0 and target[original[s] + k - start[s]] == target[k]:
                reason = 3
            if reason >= 0:
                placed[k] = -1 - reason
                reasons[reason] += 1
                continue
            block = rest
            if blocks[s] >= 0:
                inner = link_block[blocks[s] + k - start[s]]
                if 0 <= inner < rest - first:
                    block = first + inner
            placed[k] = block
    return placed, reasons


@compiled
def put_in_order(placed: IntArray, target: IntArray, n_blocks: int) -> tuple[LongArray, IntArray]:
    """The targets of the links that count, block by block.

    Returns:
        First link of each block with the end, and the targets.
    """
    ptr = np.zeros(n_blocks + 1, np.int64)
    for k in range(len(placed)):
        if placed[k] >= 0:
            ptr[placed[k] + 1] += 1
    for b in range(n_blocks):
        ptr[b + 1] += ptr[b]
    place = ptr[:-1].copy()
    ordered = np.empty(ptr[-1], np.int32)
    for k in range(len(placed)):
        b = placed[k]
        if b >= 0:
            ordered[place[b]] = target[k]
            place[b] += 1
    return ptr, ordered
