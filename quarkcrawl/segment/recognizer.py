"""QuarkRecognizer: which elements are blocks (thesis, section 3.1).

The thesis walks the tree upwards from its text leaves, node by node. Only S, C and B elements are
ever asked whether they are a block, so here all of these on one level of nesting are asked at
once, deepest first; what an element holds is its subtree (a difference of prefix sums) less what
lower blocks have taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.segment.classes import TagClass, class_masks
from quarkcrawl.segment.custom import custom_nodes
from quarkcrawl.segment.nesting import innermost, nest
from quarkcrawl.segment.options import SegmentOptions
from quarkcrawl.segment.segmentation import Segmentation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]

__all__ = ["QuarkRecognizer"]

_DEFAULT: Final = SegmentOptions()


class QuarkRecognizer:
    """Cuts pages into blocks.

    Args:
        options: thresholds and customised tags.
    """

    __slots__ = ("options",)

    def __init__(self, options: SegmentOptions = _DEFAULT) -> None:
        self.options = options

    def recognize(self, page: Page) -> Segmentation:
        """Cut a page; never raises.

        Args:
            page: the page.

        Returns:
            Its blocks, each with at least one visible character; none for a page without text.
        """
        tree = page.tree
        custom = custom_nodes(tree, self.options)
        roots = self._roots(tree, custom)
        above = nest(roots, tree.end[roots]).above
        run_block = innermost(tree.run_start[roots], tree.run_end[roots], above, len(tree.runs))
        run_block[tree.run_raw] = -1
        place = _in_document_order(run_block, tree.run_chars, len(roots))
        run_block = np.append(place, -1).astype(np.int32)[run_block]
        root = np.empty_like(roots)
        root[place] = roots
        return Segmentation(page, root, run_block, custom)

    def _roots(self, tree: PageTree, custom: BoolArray) -> NDArray[np.intp]:
        """Roots of the blocks, in preorder."""
        masks = class_masks(tree.tag)
        is_big, is_layout = masks[TagClass.BIG], masks[TagClass.LAYOUT]
        forced = masks[TagClass.SUPER] | custom
        forced[0] = True
        asked = np.flatnonzero((forced | is_big) & (tree.text_chars > 0))
        holds = np.array(
            [
                tree.text_chars[asked],
                tree.over_nodes((is_layout & ~tree.hidden).view(np.int8))[asked],
                tree.over_nodes((is_big & ~tree.hidden).view(np.int8))[asked],
            ]
        )
        return asked[self._ripe(holds, forced[asked], asked, tree.end[asked])]

    def _ripe(
        self, holds: Counts, forced: BoolArray, starts: NDArray[np.intp], ends: NDArray[np.int32]
    ) -> BoolArray:
        """Which of the elements become blocks.

        Args:
            holds: three rows, visible characters, L nodes and B nodes in each subtree.
            forced: elements that are blocks whatever they hold.
            starts: the elements.
            ends: one past the subtree of each.
        """
        level, above, order = nest(starts, ends)
        ripe = np.zeros(len(starts), np.bool_)
        rest = holds.copy()
        edges = np.cumsum(np.bincount(level)).tolist()
        for first, last in zip([0, *edges][-2::-1], edges[::-1], strict=True):
            here = order[first:last]
            chars, n_layout, n_big = rest[:, here]
            share = self.options.ripe_layout_share
            enough = chars > self.options.ripe_chars
            is_ripe = enough | (n_layout > share * (n_layout + n_big)) | forced[here]
            ripe[here] = is_ripe = is_ripe & (chars > 0)
            if first:
                taken = holds[:, here] - np.where(is_ripe, 0, rest[:, here])
                for row, less in zip(rest, taken, strict=True):
                    np.subtract.at(row, above[here], less)
        return ripe


def _in_document_order(
    run_block: NDArray[np.int32], run_chars: NDArray[np.int32], n_blocks: int
) -> NDArray[np.intp]:
    """Rank of each block by its first run with a visible character."""
    visible = np.flatnonzero(run_chars)
    first = np.zeros(n_blocks, np.intp)
    first[run_block[visible[::-1]]] = visible[::-1]
    place = np.empty(n_blocks, np.intp)
    place[np.argsort(first)] = np.arange(n_blocks)
    return place
