"""Each link into its block, unless there is a reason why it does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - numba types the tuple when it compiles

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]


REASONS: Final = ("nofollow", "unknown", "self", "duplicate")
"""Why a link may not count."""


class Segments(NamedTuple):
    """Stretches of links; all links of a stretch are of one page.

    Args:
        page: page that they count for.
        start: first link.
        end: one past the last.
        blocks: place of the block of the first link in the list of blocks; -1: no blocks known.
        original: for a duplicate's links: first link of the page that is kept, whose links stand in
            the same order; -1 else.
    """

    page: NDArray[Any]
    start: NDArray[Any]
    end: NDArray[Any]
    blocks: NDArray[Any]
    original: NDArray[Any]


@compiled
def mark_targets(
    segments: Segments,
    links: tuple[IntArray, BoolArray],
    skips: bool,  # noqa: FBT001 - numba knows no keyword-only arguments
    counts_for: IntArray,
    seen: BoolArray,
) -> None:
    """Mark the URLs that links of the stretches count for; see `place_links`."""
    target, nofollow = links
    for s in range(len(segments.start)):
        for k in range(segments.start[s], segments.end[s]):
            if target[k] >= 0 and not (skips and nofollow[k]):
                seen[counts_for[target[k]]] = True


@compiled
def renumber(target: IntArray, number: IntArray) -> None:
    """Replace each number by another one, in place; -1 stays."""
    for k in range(len(target)):
        if target[k] >= 0:
            target[k] = number[target[k]]


@compiled
def _reason(
    target: IntArray,
    segments: Segments,
    s: int,
    k: int,
    self_links: bool,  # noqa: FBT001
) -> int:
    """Why link k of stretch s does not count, nofollow aside; -1 if it does."""
    if target[k] < 0:
        return 1
    if target[k] == segments.page[s] and not self_links:
        return 2
    original = segments.original[s]
    if original >= 0 and target[original + k - segments.start[s]] == target[k]:
        return 3
    return -1


@compiled
def place_links(
    segments: Segments,
    links: tuple[IntArray, BoolArray],
    skips: bool,  # noqa: FBT001
    link_block: IntArray,
    block_ptr: LongArray,
    self_links: bool,  # noqa: FBT001
) -> tuple[LongArray, IntArray, LongArray]:
    """The targets of the links that count, block by block: counted first, then put in place.

    Args:
        segments: the stretches.
        links: node of each link, -1 for none, and whether it is marked nofollow.
        skips: whether links marked so do not count.
        link_block: block of each link within its page; -1 for none.
        block_ptr: first block of each page, and the end.
        self_links: whether links of a page to itself count.

    Returns:
        First link of each block with the end, the targets, and how many links do not count for
        each reason.
    """
    target, nofollow = links
    page, start, end, blocks, _ = segments
    # Block b is counted at b + 2, so that ptr[b + 1] can go from its first link to its end.
    ptr = np.zeros(block_ptr[-1] + 2, np.int64)
    reasons = np.zeros(4, np.int64)
    ordered = np.empty(0, np.int32)
    for filling in (False, True):
        for s in range(len(page)):
            p = page[s]
            first, rest = block_ptr[p], block_ptr[p + 1] - 1
            for k in range(start[s], end[s]):
                reason = 0 if skips and nofollow[k] else _reason(target, segments, s, k, self_links)
                if reason >= 0:
                    reasons[reason] += not filling
                    continue
                block = rest
                if blocks[s] >= 0:
                    inner = link_block[blocks[s] + k - start[s]]
                    block = first + inner if 0 <= inner < rest - first else rest
                if filling:
                    ordered[ptr[block + 1]] = target[k]
                ptr[block + 2 - filling] += 1
        if not filling:
            ptr = np.cumsum(ptr)
            ordered = np.empty(ptr[-1], np.int32)
    return ptr[:-1], ordered, reasons
