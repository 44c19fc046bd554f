"""Text to tree: one parse as browsers do it, laid out as arrays in preorder."""

from importlib import import_module
from typing import TYPE_CHECKING

from quarkcrawl.page.tree.layout import Layout, union_boxes
from quarkcrawl.page.tree.nodearrays import covered, prefix_sums
from quarkcrawl.page.tree.parse import Attributes, parse_events, without_foreign_templates
from quarkcrawl.page.tree.structure import Structure
from quarkcrawl.page.tree.tags import (
    HIDDEN_TAGS,
    MAX_TAG_ID,
    RAW_TEXT_TAGS,
    TAG_IDS,
    TAG_NAMES,
    VOID_TAGS,
)
from quarkcrawl.page.tree.tree import MAX_DEPTH, PageTree

if TYPE_CHECKING:
    from quarkcrawl.page.tree.walk import (
        CELL,
        LINE,
        PREFORMATTED,
        fill,
        read_structure,
        tag_flags,
    )

__all__ = [
    "CELL",
    "HIDDEN_TAGS",
    "LINE",
    "MAX_DEPTH",
    "MAX_TAG_ID",
    "PREFORMATTED",
    "RAW_TEXT_TAGS",
    "TAG_IDS",
    "TAG_NAMES",
    "VOID_TAGS",
    "Attributes",
    "Layout",
    "PageTree",
    "Structure",
    "covered",
    "fill",
    "parse_events",
    "prefix_sums",
    "read_structure",
    "tag_flags",
    "union_boxes",
    "without_foreign_templates",
]

_WALK = {"CELL", "LINE", "PREFORMATTED", "fill", "read_structure", "tag_flags"}
"""Names whose module loads numba (.3 s), which not every process needs."""


def __getattr__(name: str) -> object:
    if name in _WALK:
        return getattr(import_module("quarkcrawl.page.tree.walk"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
