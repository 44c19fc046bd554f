"""QuarkRecognizer: which elements are blocks (thesis, section 3.1).

The thesis walks the tree upwards from its text leaves, node by node. Only S, C and B elements are
ever asked whether they are a block, so only those with text are visited here (a tenth of the
nodes), inner ones first. What an element holds is its subtree (a difference of prefix sums) less
what lower blocks have taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.segment.quark.custom import custom_nodes
from quarkcrawl.segment.quark.kernels import block_roots, class_bits, spread
from quarkcrawl.segment.quark.options import SegmentOptions
from quarkcrawl.segment.segmentation import Segmentation

if TYPE_CHECKING:
    from quarkcrawl.page import Page


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
            page: any page, however deeply nested.

        Returns:
            Its blocks, each with at least one visible character; none for a page without text.
        """
        tree, options = page.tree, self.options
        custom = custom_nodes(tree, options)
        bits, limits = class_bits(tree.tag, custom), (options.ripe_chars, options.ripe_layout_share)
        roots = block_roots(tree.end, bits, tree.hidden, tree.text_chars, *limits)
        runs = (tree.run_start, tree.run_end, tree.run_raw, tree.run_chars)
        return Segmentation(page, *spread(roots, *runs), custom)
