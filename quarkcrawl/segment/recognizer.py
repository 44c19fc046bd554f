"""QuarkRecognizer: which elements are blocks (thesis, section 3.1).

The thesis walks the tree upwards from its text leaves, node by node. Only S, C and B elements are
ever asked whether they are a block, so only those with text are visited here (a tenth of the
nodes), inner ones first. What an element holds is its subtree (a difference of prefix sums) less
what lower blocks have taken.
"""

from __future__ import annotations

from operator import add, sub
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
        is_big = masks[TagClass.BIG]
        forced = masks[TagClass.SUPER] | custom
        forced[0] = True
        asked = np.flatnonzero((forced | is_big) & (tree.text_chars > 0))
        n_layout = tree.over_nodes((masks[TagClass.LAYOUT] & ~tree.hidden).view(np.int8))
        n_big = tree.over_nodes((is_big & ~tree.hidden).view(np.int8))
        holds = zip(*(of[asked].tolist() for of in (tree.text_chars, n_layout, n_big)), strict=True)
        above = nest(asked, tree.end[asked]).above.tolist()
        return asked[self._ripe(list(holds), forced[asked].tolist(), above)]

    def _ripe(
        self, holds: list[tuple[int, int, int]], forced: list[bool], above: list[int]
    ) -> list[bool]:
        """Which of the asked elements become blocks.

        A loop over lists: a page has about a hundred such elements, for which array operations
        level by level take five times as long, and loading a compiled kernel as long as ten
        thousand pages.

        Args:
            holds: visible characters, L nodes and B nodes in the subtree of each element.
            forced: elements that are blocks whatever they hold.
            above: the asked element just around each, always before it; -1 for none.
        """
        limit, share = self.options.ripe_chars, self.options.ripe_layout_share
        ripe = [False] * len(holds)
        taken: list[tuple[int, ...]] = [(0, 0, 0)] * len(holds)  # by the blocks below
        for number in range(len(holds) - 1, -1, -1):
            lower = taken[number]
            chars, layout, big = map(sub, holds[number], lower)
            if chars > 0 and (forced[number] or chars > limit or layout > share * (layout + big)):
                ripe[number] = True
                lower = holds[number]
            if number:
                around = above[number]
                taken[around] = tuple(map(add, taken[around], lower))
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
