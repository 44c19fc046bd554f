"""QuarkRecognizer: which elements are blocks (thesis, section 3.1).

The thesis walks the tree upwards from its text leaves, node by node. Only S, C and B elements are
ever asked whether they are a block, so only those with text are visited here (a tenth of the
nodes), inner ones first. What an element holds is its subtree (a difference of prefix sums) less
what lower blocks have taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import TAG_IDS, tag_flags
from quarkcrawl.segment.classes import TAG_CLASSES, TagClass
from quarkcrawl.segment.loops import find_roots, number_blocks
from quarkcrawl.segment.quark.custom import custom_nodes
from quarkcrawl.segment.quark.options import SegmentOptions
from quarkcrawl.segment.segmentation import Segmentation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    Places = NDArray[np.intp]


_DEFAULT: Final = SegmentOptions()
_FORCED, _BIG, _LAYOUT = 1, 2, 4
_BITS: Final = {TagClass.SUPER: _FORCED, TagClass.BIG: _BIG, TagClass.LAYOUT: _LAYOUT}


def _kinds_of_tags() -> ByteArray:
    """Bit of the class of each tag id."""
    flags = tag_flags([])
    for kind, bit in _BITS.items():
        names = [name for name, of in TAG_CLASSES.items() if of is kind and name in TAG_IDS]
        flags |= np.uint8(bit) * tag_flags(names)
    return flags


_KINDS: Final = _kinds_of_tags()


class QuarkRecognizer:
    """Cuts pages into blocks.

    Args:
        options: thresholds and customized tags.
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
        custom = custom_nodes(page.tree, self.options)
        roots = _block_roots(page.tree, custom, self.options)
        return Segmentation(page, *_numbered(page.tree, roots), custom)


def _block_roots(tree: PageTree, custom: BoolArray, options: SegmentOptions) -> Places:
    """Roots of the blocks in preorder."""
    n = len(tree)  # no more elements than these are around one
    levels, is_root = np.empty((4, n), np.int64), np.zeros(n, np.bool_)
    nodes = tree.end, tree.tag, _KINDS, custom, tree.hidden, tree.text_chars
    limits = options.ripe_chars, options.ripe_layout_share
    find_roots(*nodes, _FORCED, _BIG, _LAYOUT, *limits, levels, is_root)
    return is_root.nonzero()[0]


def _numbered(tree: PageTree, roots: Places) -> tuple[Places, IntArray]:
    """Root of each block in document order, and block of each run.

    A root has a visible character that is in no lower one, so each of them gets its rank.
    """
    ranked, run_block = np.empty(len(roots), np.intp), np.empty(len(tree.runs), np.int32)
    runs = tree.run_start, tree.run_end, tree.run_raw, tree.run_chars
    number_blocks(roots, *runs, np.empty((3, len(roots)), np.int32), ranked, run_block)
    return ranked, run_block
