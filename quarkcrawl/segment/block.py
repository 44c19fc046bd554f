"""One block: a view of a row of the arrays of its segmentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.segment.markup import block_html
from quarkcrawl.segment.show import blocks_html

if TYPE_CHECKING:
    from quarkcrawl.segment.classes import TagClass
    from quarkcrawl.segment.segmentation import Kind, Segmentation
    from quarkcrawl.segment.spans import Span


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page; everything but its number is looked up when asked for.

    Args:
        segmentation: the blocks of the page.
        number: place of this block among them, in document order.
    """

    segmentation: Segmentation
    number: int

    @property
    def root(self) -> int:
        """Number of the root node in ``page.tree``."""
        return int(self.segmentation.root[self.number])

    @property
    def tag(self) -> str:
        """Element name of the root."""
        return self.segmentation.tags[self.number]

    @property
    def tag_class(self) -> TagClass:
        """Class of the root: C where it was customised, else that of its name."""
        return self.segmentation.tag_classes[self.number]

    @property
    def path(self) -> str:
        """XPath of the root, such as ``/html/body/div[2]``."""
        return self.segmentation.tree.path(self.root)

    @property
    def kind(self) -> Kind | None:
        """``"content"``, ``"rel_link"`` or ``"noise"``; None as long as nobody has told."""
        return self.segmentation.kinds[self.number]

    @property
    def text(self) -> str:
        """The block's own text in lines."""
        blocks = self.segmentation
        if "texts" in vars(blocks):
            return blocks.texts[self.number]
        return blocks.line_reader.text_of(blocks.runs_of(self.number))

    @property
    def html(self) -> str:
        """The block's own markup, written anew: without lower blocks and hidden elements."""
        return block_html(self.segmentation, self.number)

    @property
    def spans(self) -> list[Span]:
        """Where the block's text stands in the source (costs a second parse of the page)."""
        return self.segmentation.spans.of(self.number)

    @property
    def n_unlocated_runs(self) -> int:
        """Visible runs of the block that are in none of its spans."""
        return int(self.segmentation.spans.n_unlocated[self.number])

    @property
    def n_chars(self) -> int:
        """Visible characters, white space not counted."""
        return int(self.segmentation.n_chars[self.number])

    @property
    def n_anchor_chars(self) -> int:
        """Visible characters in links."""
        return int(self.segmentation.n_anchor_chars[self.number])

    @property
    def n_links(self) -> int:
        """Links (``a`` elements with ``href``)."""
        return int(self.segmentation.n_links[self.number])

    @property
    def n_images(self) -> int:
        """Images."""
        return int(self.segmentation.n_images[self.number])

    @property
    def n_punctuation(self) -> int:
        """Punctuation marks."""
        return int(self.segmentation.n_punctuation[self.number])

    @property
    def has_custom(self) -> bool:
        """Whether an element of class C is in the block."""
        return bool(self.segmentation.has_custom[self.number])

    def _repr_html_(self) -> str:
        return blocks_html([self])

    def __repr__(self) -> str:
        return f"<Block {self.number} {self.path} {self.n_chars} characters, kind {self.kind}>"
