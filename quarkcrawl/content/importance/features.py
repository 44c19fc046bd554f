"""What the importance of a block is judged by: position, size, text and links.

The features of Song, Liu, Wen and Ma, Learning Block Importance Models for Web Pages, WWW 2004,
as far as a page that was not rendered has them: position and size are those of the text among the
characters of the page; where a browser has drawn it, also those of its box. The counts of
pictures, forms and the like are left out. They need nothing but the stored block tables, and so a
corpus is judged without reading its pages again. Ours in addition: the blocks before and after,
for a block of navigation seldom stands alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.segment import Segmentation

    Counts = NDArray[np.integer]
    Matrix = NDArray[np.float32]


FEATURES: Final = (
    "place",  # of the middle of the block's text among that of the page, 0–1
    "order",  # number of the block among those of the page, 0–1
    "centre_distance",  # of the middle from the page's, 0–1
    "log_blocks",  # of the page
    "log_page_chars",
    "log_chars",
    "share",  # of the page's characters
    "share_of_largest",  # of those of the largest block
    "share_of_plain",  # of the page's characters outside links
    "anchor_share",  # characters of links, of the block's
    "log_links",
    "link_share",  # of the page's links
    "chars_per_link",
    "before_share",  # share of the page's plain characters of the block before
    "before_anchor_share",
    "after_share",
    "after_anchor_share",
    "near_plain",  # plain characters of the five blocks around, of the page's
    "page_anchor_share",
)
"""The columns; logarithms are those of 1 and the number."""


BOX_FEATURES: Final = (
    "x",  # of the middle of the block's box on the page, 0–1
    "y",
    "width",  # of the page's
    "height",
    "area",  # of that of all boxes
    "area_of_largest",
    "first_screen",  # whether it begins on the first 900 pixels
    "screens",  # from the top to where it begins, 3.3 at most
    "window_width",  # of a window of 1280 pixels
)
"""Further columns for pages that a browser has drawn; -1 for blocks that it does not show."""

_SCREEN_PX: Final = 900
_WINDOW_PX: Final = 1280
_MOST_PX: Final = 3000


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """The block tables of some pages.

    Args:
        ptr: first block of each page, and the end.
        n_chars: characters of each block.
        n_anchor_chars: those of its links.
        n_links: its links.
    """

    ptr: NDArray[np.int64]
    n_chars: Counts
    n_anchor_chars: Counts
    n_links: Counts


def block_counts_of(segmentation: Segmentation) -> BlockCounts:
    """The block table of one page.

    Args:
        segmentation: its blocks.
    """
    cut = segmentation
    ptr = np.array([0, len(cut)], np.int64)
    return BlockCounts(ptr, cut.n_chars, cut.n_anchor_chars, cut.n_links)


def importance_features(blocks: BlockCounts) -> Matrix:
    """One row a block, one column a feature.

    Args:
        blocks: block tables.
    """
    sizes, starts = np.diff(blocks.ptr), blocks.ptr[:-1]
    page = np.repeat(np.arange(len(sizes)), sizes)
    chars, anchors, links = (
        np.asarray(counts, np.float64)
        for counts in (blocks.n_chars, blocks.n_anchor_chars, blocks.n_links)
    )
    plain = np.maximum(chars - anchors, 0)
    total, all_plain, all_links = (
        np.maximum(np.bincount(page, counts, len(sizes)), 1)[page]
        for counts in (chars, plain, links)
    )
    n_blocks = sizes[page]
    order = np.arange(len(page)) - starts[page]
    upto = np.concatenate([[0], np.cumsum(chars)])
    place = (upto[1:] - chars / 2 - upto[starts[page]]) / total
    density = anchors / np.maximum(chars, 1)
    share = plain / all_plain
    columns = (
        place,
        order / np.maximum(n_blocks - 1, 1),
        abs(place - 0.5),
        np.log1p(n_blocks),
        np.log1p(total),
        np.log1p(chars),
        chars / total,
        chars / _largest(chars, blocks.ptr)[page],
        share,
        density,
        np.log1p(links),
        links / all_links,
        np.log1p(chars / np.maximum(links, 1)),
        _shifted(share, order > 0, 1),
        _shifted(density, order > 0, 1),
        _shifted(share, order < n_blocks - 1, -1),
        _shifted(density, order < n_blocks - 1, -1),
        _around(share, blocks.ptr, page),
        1 - all_plain / total,
    )
    return np.column_stack(columns).astype(np.float32)


def box_features(ptr: NDArray[np.int64], boxes: NDArray[np.floating]) -> Matrix:
    """One row a block, one column a feature of its box.

    Args:
        ptr: first block of each page, and the end.
        boxes: left edge, upper edge, width and height of each block in pixels; NaN for none.
    """
    page = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    x, y, width, height = np.asarray(boxes, np.float64).T
    area = width * height
    right, bottom, largest = (_most(side, ptr)[page] for side in (x + width, y + height, area))
    all_area = np.maximum(np.bincount(page, np.nan_to_num(area), len(ptr) - 1), 1)[page]
    columns = (
        (x + width / 2) / right,
        (y + height / 2) / bottom,
        width / right,
        height / bottom,
        area / all_area,
        area / largest,
        np.where(np.isnan(y), np.nan, y < _SCREEN_PX),
        np.minimum(y, _MOST_PX) / _SCREEN_PX,
        width / _WINDOW_PX,
    )
    features = np.column_stack(columns)
    return np.where(np.isfinite(features), features, -1).astype(np.float32)


def _most(values: NDArray[np.float64], ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """The largest number of each page, at least 1."""
    return _largest(np.nan_to_num(values), ptr)


def _largest(values: NDArray[np.float64], ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """The largest number of each page, at least 1."""
    largest = np.ones(len(ptr) - 1)
    filled = np.flatnonzero(np.diff(ptr))  # reduceat gives an empty page the next one's
    if len(filled):
        largest[filled] = np.maximum(np.maximum.reduceat(values, ptr[filled]), 1)
    return largest


def _shifted(
    values: NDArray[np.float64], has_one: NDArray[np.bool_], by: int
) -> NDArray[np.float64]:
    """The value of the neighbor on the page; 0 where there is none."""
    return np.where(has_one, np.roll(values, by), 0.0)


def _around(
    values: NDArray[np.float64], ptr: NDArray[np.int64], page: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sum over a block, two before and two after it, as far as the page goes."""
    upto = np.concatenate([[0.0], np.cumsum(values)])
    number = np.arange(len(values))
    first = np.maximum(number - 2, ptr[:-1][page])
    last = np.minimum(number + 3, ptr[1:][page])
    sums: NDArray[np.float64] = upto[last] - upto[first]
    return sums
