"""Text to tree: one parse as browsers do it, laid out as arrays in preorder."""

from quarkcrawl.page.tree.css import CssFinder, check_css
from quarkcrawl.page.tree.layout import Layout, union_boxes
from quarkcrawl.page.tree.nodearrays import covered, prefix_sums
from quarkcrawl.page.tree.parse import Attributes, parse_events, without_foreign_templates
from quarkcrawl.page.tree.tags import (
    BLOCK_LEVEL_TAGS,
    CELLS,
    HIDDEN_TAGS,
    MAX_TAG_ID,
    PREFORMATTED_TAGS,
    RAW_TEXT_TAGS,
    TAG_IDS,
    TAG_NAMES,
    VOID_TAGS,
    tag_flags,
)
from quarkcrawl.page.tree.tree import MAX_DEPTH, PageTree
from quarkcrawl.page.tree.walk import CELL, LINE, PREFORMATTED, RunLines

__all__ = [
    "BLOCK_LEVEL_TAGS",
    "CELL",
    "CELLS",
    "HIDDEN_TAGS",
    "LINE",
    "MAX_DEPTH",
    "MAX_TAG_ID",
    "PREFORMATTED",
    "PREFORMATTED_TAGS",
    "RAW_TEXT_TAGS",
    "TAG_IDS",
    "TAG_NAMES",
    "VOID_TAGS",
    "Attributes",
    "CssFinder",
    "Layout",
    "PageTree",
    "RunLines",
    "check_css",
    "covered",
    "parse_events",
    "prefix_sums",
    "tag_flags",
    "union_boxes",
    "without_foreign_templates",
]
