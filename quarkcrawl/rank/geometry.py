"""Size of blocks, and how far they are from the centre of their page.

Without rendering, a block is as large as its text, and the blocks lie one after the other in a
single dimension, the characters of the page. With rendered boxes (a column ``block_boxes`` of the
pages table, one box a block), it is as large as its area, and the page is what the boxes cover.
Distances are at least 1 (character or pixel), so that the block in the very centre has a weight.

The rest of a page, its links outside all text, counts one character (pixel) a link, and lies at
the edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.rank.rawtables import Boxes

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    DoubleArray = NDArray[np.float64]

__all__ = ["box_geometry", "text_geometry"]


def text_geometry(ptr: LongArray, n_chars: IntArray) -> tuple[DoubleArray, DoubleArray]:
    """Distance of each block's middle from the middle of its page, and half of each page's length.

    Args:
        ptr: first block of each page, and the end.
        n_chars: characters of each block.
    """
    ends = np.concatenate([[0], np.cumsum(n_chars, dtype=np.int64)])
    n_blocks = np.diff(ptr)
    start = np.repeat(ends[ptr[:-1]], n_blocks)
    half = (ends[ptr[1:]] - ends[ptr[:-1]]) / 2
    middle = ends[:-1] - start + n_chars / 2
    return np.abs(middle - np.repeat(half, n_blocks)), half


def box_geometry(ptr: LongArray, boxes: Boxes) -> tuple[DoubleArray, DoubleArray]:
    """Distance of each box's centre from the page's, and half of each page's diagonal.

    Args:
        ptr: first block of each page, and the end; no page without blocks.
        boxes: box of each block.
    """
    if not len(boxes.x):
        return np.zeros(0), np.zeros(0)
    n_blocks, starts = np.diff(ptr), ptr[:-1]
    left, top = np.minimum.reduceat(boxes.x, starts), np.minimum.reduceat(boxes.y, starts)
    right = np.maximum.reduceat(boxes.x + boxes.width, starts)
    bottom = np.maximum.reduceat(boxes.y + boxes.height, starts)
    across = boxes.x + boxes.width / 2 - np.repeat((left + right) / 2, n_blocks)
    down = boxes.y + boxes.height / 2 - np.repeat((top + bottom) / 2, n_blocks)
    return np.hypot(across, down), np.hypot(right - left, bottom - top) / 2
