"""Where the blocks of a rendered page were drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.page.tree import union_boxes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.segment.segmentation import Segmentation


def block_boxes(segmentation: Segmentation) -> NDArray[np.float32] | None:
    """The box around the visible text of each block, in CSS pixels.

    Args:
        segmentation: the blocks of a page.

    Returns:
        One row a block: left edge, upper edge, width, height; NaN for a block that the browser
        does not show. None for a page that was not rendered (``page.layout``).
    """
    layout = segmentation.page.layout
    if layout is None:
        return None
    tree = segmentation.tree
    counted = (tree.run_chars > 0) & layout.visible[tree.run_node]
    group = np.where(counted, segmentation.run_block, -1)
    return union_boxes(layout.run_boxes, group, len(segmentation))
