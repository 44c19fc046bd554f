"""Cut a page into blocks (Quark, chapter 3 of the thesis).

`QuarkRecognizer` decides, from the bottom of the tree upwards, which elements are roots of blocks:
S elements and customized ones (C) at once, B elements when what lower blocks have left of them is
long enough or laid out richly enough, ``html`` in any case, so that no visible character is lost.
An element becomes a block only if a visible character is left for it: hidden elements (scripts,
``head`` with ``title``) never do, an empty S element does not either. Each text run belongs to
the lowest block around it; blocks are disjoint though their roots nest. A block's place in
document order is that of its first run with a visible character, so a block that surrounds others
stands before those that its own text precedes, and nowhere else.

A `Segmentation` holds the blocks as arrays, a `Block` is a view of one of them. `lines_of` turns
runs into text as a reader sees it. `VipsSegmenter` cuts pages that a browser has drawn by what
they look like instead.
"""

from quarkcrawl.errors import ConfigError
from quarkcrawl.segment.boxes import block_boxes
from quarkcrawl.segment.classes import HTML5_TAGS, TAG_CLASSES, THESIS_TAGS, TagClass, tag_class
from quarkcrawl.segment.lines import LineReader, lines_of
from quarkcrawl.segment.nesting import Nesting, innermost, nest
from quarkcrawl.segment.quark import QuarkRecognizer, SegmentOptions
from quarkcrawl.segment.segmentation import CONTENT_KINDS, Block, Kind, Segmentation
from quarkcrawl.segment.shared import segmentation_of
from quarkcrawl.segment.show import INK, KIND_COLORS, KIND_NAMES, escape, shortened
from quarkcrawl.segment.sources import PageLike, as_page
from quarkcrawl.segment.spans import BlockSpans, Span, block_spans
from quarkcrawl.segment.vips import VipsOptions, VipsSegmenter, VisualBlock, VisualSegmentation

__all__ = [
    "CONTENT_KINDS",
    "HTML5_TAGS",
    "INK",
    "KIND_COLORS",
    "KIND_NAMES",
    "TAG_CLASSES",
    "THESIS_TAGS",
    "Block",
    "BlockSpans",
    "Kind",
    "LineReader",
    "Nesting",
    "PageLike",
    "QuarkRecognizer",
    "SegmentOptions",
    "Segmentation",
    "Span",
    "TagClass",
    "VipsOptions",
    "VipsSegmenter",
    "VisualBlock",
    "VisualSegmentation",
    "as_page",
    "block_boxes",
    "block_spans",
    "escape",
    "innermost",
    "lines_of",
    "nest",
    "segment",
    "segmentation_of",
    "shortened",
    "tag_class",
]


def segment(page_or_html: PageLike, url: str = "", method: str = "quark") -> list[Block]:
    """Cut a page into blocks; no text and no bytes raise.

    Args:
        page_or_html: a page, its text or its bytes.
        url: address of the page, where only text or bytes are given.
        method: ``"quark"``, or ``"vips"`` for the visual blocks of a rendered page.

    Returns:
        The blocks in document order, not labeled.

    Raises:
        ConfigError: no method has this name.
        InputError: ``"vips"`` for a page that was not rendered (`quarkcrawl.render`).

    >>> [block.text for block in segment("<h1>天网</h1><p>北京大学")]
    ['天网', '北京大学']
    """
    page = as_page(page_or_html, url)
    if method == "vips":
        return list(VipsSegmenter().segment(page))
    if method != "quark":
        raise ConfigError(f"no method is called {method!r}; quark and vips are", where="segment")
    return list(QuarkRecognizer().recognize(page))
