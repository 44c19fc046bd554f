"""Size of blocks, and how far they are from the center of their page.

Without rendering, a block is as large as its text, and the blocks lie one after the other in a
single dimension, the characters of the page. With rendered boxes (a column ``block_boxes`` of the
pages table, one box a block), it is as large as its area, and the page is what the boxes cover.
Distances are at least 1 (character or pixel), so that the block in the very center has a weight.

The rest of a page, its links outside all text, counts one character (pixel) a link, and lies at
the edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.rank.loops import fill_text_geometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.rank.graph.rawtables import Boxes

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    DoubleArray = NDArray[np.float64]
    FloatArray = NDArray[np.float32]


def text_geometry(
    label_ptr: LongArray, n_chars: IntArray, rows: LongArray, ptr: LongArray
) -> tuple[FloatArray, FloatArray]:
    """Size of each block, and how far its middle is from that of its page.

    Args:
        label_ptr: first block of each row of the block tables, and the end.
        n_chars: characters of each block in them.
        rows: row of each page; -1 for none.
        ptr: first block of each page, and the end; the last block of each is its rest, which has
            no size and is half the page's length away.
    """
    size, distance = np.zeros(ptr[-1], np.float32), np.zeros(ptr[-1], np.float32)
    fill_text_geometry(label_ptr, n_chars, rows, ptr, size, distance)
    return size, distance


def box_geometry(ptr: LongArray, boxes: Boxes) -> tuple[DoubleArray, DoubleArray]:
    """Distance of each box's center from the page's, and half of each page's diagonal.

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
