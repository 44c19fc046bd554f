"""QuarkRecognizer: which elements are blocks (thesis, section 3.1).

The thesis walks the tree upwards from its text leaves, node by node. Only S, C and B elements are
ever asked whether they are a block, so only those with text are visited here (a tenth of the
nodes), inner ones first. What an element holds is its subtree (a difference of prefix sums) less
what lower blocks have taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page import prepare_trees
from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.segment.classes import TagClass, class_masks
from quarkcrawl.segment.nesting import innermost, nest
from quarkcrawl.segment.quark.custom import custom_nodes
from quarkcrawl.segment.quark.options import SegmentOptions
from quarkcrawl.segment.segmentation import Segmentation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_DEFAULT: Final = SegmentOptions()

_in_loops: Callable[[Page, BoolArray, SegmentOptions], Segmentation | None] | None = None


def use_compiled_loops() -> None:
    """From now on read and cut pages in compiled loops: the same blocks in half the time.

    Loading them takes about a second of CPU and 80 MiB, which pays from about a thousand pages on.
    """
    global _in_loops  # noqa: PLW0603  (a process has many pages to come, or has not)
    from quarkcrawl.segment.quark import kernels  # noqa: PLC0415  (loads numba)

    _in_loops = kernels.recognize
    prepare_trees(kernels.prepare)


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
            page: any page, however deeply nested.

        Returns:
            Its blocks, each with at least one visible character; none for a page without text.
        """
        tree = page.tree
        custom = custom_nodes(tree, self.options)
        found = _in_loops and _in_loops(page, custom, self.options)
        if found is not None:
            return found
        roots, above = self._roots(tree, custom)
        run_block = innermost(tree.run_start[roots], tree.run_end[roots], above, len(tree.runs))
        run_block[tree.run_raw] = -1
        place = _in_document_order(run_block, tree.run_chars, len(roots))
        run_block = np.append(place, -1).astype(np.int32)[run_block]
        root = np.empty_like(roots)
        root[place] = roots
        return Segmentation(page, root, run_block, custom)

    def _roots(self, tree: PageTree, custom: BoolArray) -> tuple[Places, Places]:
        """Roots of the blocks, in preorder, and the block just around each, -1 for none."""
        masks = class_masks(tree.tag)
        is_big = masks[TagClass.BIG]
        forced = masks[TagClass.SUPER] | custom
        forced[0] = True
        asked = ((forced | is_big) & (tree.text_chars > 0)).nonzero()[0]
        ends, shown = tree.end[asked], ~tree.hidden
        n_layout = prefix_sums(masks[TagClass.LAYOUT] & shown)
        n_big = prefix_sums(is_big & shown)
        held = np.stack((tree.text_chars[asked], n_layout[ends], n_big[ends]))
        held[1:] -= n_layout[asked], n_big[asked]
        above = nest(asked, ends).above.tolist()
        ripe = self._ripe(held.tolist(), forced[asked].tolist(), above)
        return asked[ripe], np.array(_above_of_ripe(ripe, above), np.intp)

    def _ripe(self, held: list[list[int]], forced: list[bool], above: list[int]) -> list[bool]:
        """Which of the asked elements become blocks.

        A loop over lists: a page has about a hundred such elements, for which array operations
        level by level take five times as long, and loading a compiled kernel as long as ten
        thousand pages.

        Args:
            held: visible characters, L nodes and B nodes in the subtree of each element.
            forced: elements that are blocks whatever they hold.
            above: the asked element just around each, always before it; -1 for none.
        """
        limit, share = self.options.ripe_chars, self.options.ripe_layout_share
        chars, layouts, bigs = held
        ripe = [False] * len(chars)
        # What blocks below have taken; the last entry is for what is above all.
        less_chars, less_layouts, less_bigs = ([0] * (len(chars) + 1) for _ in held)
        for number in range(len(chars) - 1, -1, -1):
            around, taken = above[number], less_chars[number]
            rest = chars[number] - taken
            if rest > 0:
                layout = layouts[number] - less_layouts[number]
                both = layout + bigs[number] - less_bigs[number]
                if forced[number] or rest > limit or layout > share * both:
                    ripe[number] = True
                    less_chars[around] += chars[number]
                    less_layouts[around] += layouts[number]
                    less_bigs[around] += bigs[number]
                    continue
            if taken:
                less_chars[around] += taken
                less_layouts[around] += less_layouts[number]
                less_bigs[around] += less_bigs[number]
        return ripe


def _above_of_ripe(ripe: list[bool], above: list[int]) -> list[int]:
    """Of each ripe element the number, among the ripe ones, of the one just around it.

    Args:
        ripe: which elements are ripe.
        above: the element just around each, always before it; -1 for none.
    """
    nearest = [-1] * (len(ripe) + 1)  # at or around each; the last entry is for what is above all
    found: list[int] = []
    for number, is_ripe in enumerate(ripe):
        around = nearest[above[number]]
        nearest[number] = len(found) if is_ripe else around
        if is_ripe:
            found.append(around)
    return found


def _in_document_order(
    run_block: NDArray[np.int32], run_chars: NDArray[np.int32], n_blocks: int
) -> Places:
    """Rank of each block by its first run with a visible character."""
    visible = run_chars.nonzero()[0]
    first = np.zeros(n_blocks, np.intp)
    first[run_block[visible[::-1]]] = visible[::-1]
    place = np.empty(n_blocks, np.intp)
    place[first.argsort()] = np.arange(n_blocks)
    return place
