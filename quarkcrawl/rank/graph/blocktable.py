"""The blocks of the pages of a graph, from the block tables of the rows that they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.rank.graph.geometry import box_geometry, text_geometry
from quarkcrawl.rank.graph.graph import PageBlocks
from quarkcrawl.rank.graph.rawtables import Boxes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.rank.graph.rawtables import Labels

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    DoubleArray = NDArray[np.float64]


_REST_IMPORTANCE: Final = 0.5
"""Of the links outside all blocks, as QuarkRank weighs them."""


def ragged(ptr: LongArray, rows: LongArray) -> tuple[LongArray, LongArray]:
    """The items of some rows of a list column, one row after the other.

    Args:
        ptr: first item of each row, and the end.
        rows: the rows; -1 for an empty one.

    Returns:
        Number of items of each row, and the place of each item.
    """
    padded = np.append(np.diff(ptr), 0)
    sizes = padded[rows]
    first = np.append(ptr[:-1], 0)[rows]
    ends = np.cumsum(sizes)
    places = np.arange(int(ends[-1]) if len(ends) else 0)
    places += np.repeat(first - (ends - sizes), sizes)
    return sizes, places


def block_counts(labels: Labels, rows: LongArray) -> LongArray:
    """First block of each page, and the end, with one more a page for its rest.

    Args:
        labels: block tables.
        rows: row of each page in them, -1 for none.
    """
    n_blocks = np.append(np.diff(labels.ptr), 0)[rows] + 1
    return np.concatenate([[0], np.cumsum(n_blocks)]).astype(np.int64)


def block_table(labels: Labels, rows: LongArray, n_links: LongArray) -> PageBlocks:
    """Blocks of pages.

    Args:
        labels: block tables.
        rows: row of each page in them, -1 for none.
        n_links: links of each block, rests included.
    """
    ptr = block_counts(labels, rows)
    rest = ptr[1:] - 1
    real = np.ones(int(ptr[-1]), bool)
    real[rest] = False
    is_content = np.zeros(len(real), bool)
    is_content[real] = labels.is_content[ragged(labels.ptr, rows)[1]]
    size, distance = text_geometry(labels.ptr, labels.n_chars, rows, ptr)
    size[rest] = n_links[rest]
    _with_boxes(labels, rows, ptr, size, distance)
    importance = None
    if len(labels.importance) == labels.ptr[-1]:
        importance = np.full(len(real), _REST_IMPORTANCE, np.float32)
        importance[real] = labels.importance[ragged(labels.ptr, rows)[1]]
    return PageBlocks(ptr, is_content, size, np.maximum(distance, 1, out=distance), importance)


def _with_boxes(
    labels: Labels,
    rows: LongArray,
    ptr: LongArray,
    size: NDArray[np.float32],
    distance: NDArray[np.float32],
) -> None:
    """Put the rendered boxes in where a page has one for each of its blocks."""
    n_boxes, n_blocks = np.append(np.diff(labels.box_ptr), 0)[rows], np.diff(ptr) - 1
    pages = np.flatnonzero((n_boxes == n_blocks) & (n_boxes > 0))
    if not len(pages):
        return
    n_boxes, places = ragged(labels.box_ptr, rows[pages])
    boxes = labels.boxes
    drawn = Boxes(*(side[places] for side in (boxes.x, boxes.y, boxes.width, boxes.height)))
    starts = np.concatenate([[0], np.cumsum(n_boxes)])
    away, half = box_geometry(starts, drawn)
    _, into = ragged(ptr, pages)
    is_rest = np.isin(into, ptr[pages + 1] - 1)
    size[into[~is_rest]] = drawn.width * drawn.height
    distance[into[~is_rest]] = away
    distance[ptr[pages + 1] - 1] = half
