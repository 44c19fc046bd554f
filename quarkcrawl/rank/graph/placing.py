"""Each link into its block, unless there is a reason why it does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from quarkcrawl.rank.loops import sort_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    # Block b is counted at b + 2, so that ptr[b + 1] can go from its first link to its end.
    ptr = np.zeros(block_ptr[-1] + 2, np.int64)
    reasons = np.zeros(len(REASONS), np.int64)
    given = (*segments, *links, skips, link_block, block_ptr, self_links)
    sort_links(*given, ptr, np.empty(0, np.int32), reasons, False)
    ptr = np.cumsum(ptr)
    ordered = np.empty(ptr[-1], np.int32)
    sort_links(*given, ptr, ordered, reasons, True)
    return ptr[:-1], ordered, reasons
