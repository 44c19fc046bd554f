"""Where a browser put the parts of a page, and how it drew them.

A `Layout` belongs to one `quarkcrawl.page.PageTree`: row k of the arrays of elements is node k of
the tree, row k of `Layout.run_boxes` is run k of its text. Nothing here draws; `quarkcrawl.render`
fills it from a browser, tests from numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float32]
    BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)  # no slots: shown is computed once, when asked for
class Layout:
    """The drawn page; all lengths in CSS pixels, the origin is the page's upper left corner.

    Args:
        boxes: one row a node: left edge, upper edge, width, height; NaN for what is not laid out.
        run_boxes: the same for each text run (around all its lines).
        font_px: size of the font of each node, 0 where nothing is known.
        font_weight: its weight, 400 is normal and 700 bold; 0 where nothing is known.
        color: color of the text of each node as 0xRRGGBBAA.
        background: own background of each node as 0xRRGGBBAA; AA is 0 where it has none.
        visible: nodes that are laid out and not made invisible by a style.
        width_px: width of the page.
        height_px: height of the page.
    """

    boxes: FloatArray
    run_boxes: FloatArray
    font_px: FloatArray
    font_weight: NDArray[np.int16]
    color: NDArray[np.uint32]
    background: NDArray[np.uint32]
    visible: BoolArray
    width_px: float
    height_px: float

    @cached_property
    def shown(self) -> BoolArray:
        """Nodes that cover some of the page."""
        return self.visible & (self.boxes[:, 2] > 0) & (self.boxes[:, 3] > 0)

    @cached_property
    def area(self) -> FloatArray:
        """Area of each node, 0 for what is not laid out."""
        area: FloatArray = np.nan_to_num(self.boxes[:, 2] * self.boxes[:, 3])
        return area


def union_boxes(boxes: FloatArray, group: NDArray[np.integer], n_groups: int) -> FloatArray:
    """The smallest box around the boxes of each group.

    Args:
        boxes: left edge, upper edge, width, height; rows of NaN count nothing.
        group: group of each box; -1 for none.
        n_groups: number of groups.

    Returns:
        One row a group, NaN for a group without a box.
    """
    used = np.flatnonzero((group >= 0) & ~np.isnan(boxes[:, 0]))
    corners = np.full((n_groups, 4), np.inf, np.float32)
    low = boxes[used]
    np.minimum.at(corners, group[used], np.hstack((low[:, :2], -(low[:, :2] + low[:, 2:]))))
    corners[np.isinf(corners[:, 0])] = np.nan
    return np.hstack((corners[:, :2], -corners[:, 2:] - corners[:, :2]))
