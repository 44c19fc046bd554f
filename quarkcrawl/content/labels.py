"""Block kinds for methods that find content without cutting blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.related import related_blocks
from quarkcrawl.segment import segmentation_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page
    from quarkcrawl.segment import Kind, Segmentation

    BoolArray = NDArray[np.bool_]


_KINDS: Final[tuple[Kind, ...]] = ("noise", "rel_link", "content")


def kinds_of(content: BoolArray, related: BoolArray) -> list[Kind]:
    """Kind of each block, from two masks; content wins."""
    return [_KINDS[number] for number in np.maximum(2 * content, related).tolist()]


def label_by_runs(page: Page, runs: BoolArray) -> Segmentation:
    """Label the Quark blocks of a page: content where most text is in the given runs."""
    segmentation = segmentation_of(page)
    inside = np.where(runs, page.tree.run_chars, 0)
    n_inside = np.bincount(segmentation.run_block + 1, inside, len(segmentation) + 1)[1:]
    content = 2 * n_inside > segmentation.n_chars
    return segmentation.with_kinds(kinds_of(content, related_blocks(segmentation, content)))
