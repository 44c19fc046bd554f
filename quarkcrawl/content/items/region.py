"""The topic region of a page: what a method kept, what it took out, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from quarkcrawl.page.tree import covered

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.content.items.model import Picture
    from quarkcrawl.content.items.tables import TableIndex
    from quarkcrawl.page import Page, PageTree

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


class BlockRule(StrEnum):
    """Why a block of the region is noise."""

    EMPTY = "empty"
    """Its positive weight is 0."""
    LINKS = "links"
    """Its negative weight is too many times its positive weight."""
    SHORT = "short"
    """Rather negative, with little text in short pieces."""
    NAMED = "named"
    """Its class or id names something that is no topic (improved rules)."""


class PictureRule(StrEnum):
    """Why a picture of the region does not belong to the topic."""

    SMALL = "small"
    """Less wide or less high than a topic picture."""
    SHAPE = "shape"
    """Much wider than high, or much higher than wide."""
    LINKED = "linked"
    """It stands in a link."""
    SPARSE = "sparse"
    """Its size is unknown and there is hardly any text around it."""
    NAMED = "named"
    """Its size is unknown and its file is called logo, icon, avatar … (improved rules)."""
    NO_SOURCE = "no source"
    """It has no address of its own (improved rules)."""
    REPEATED = "repeated"
    """The page shows it several times (improved rules)."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicRegion:
    """Topic region of a page.

    Args:
        page: the page that numbers of nodes and text runs refer to.
        method: name of the method that found it.
        root: node of the region.
        descent: blocks on the way from the top to ``root``, each with its share of the positive
            weight of the block before it.
        runs: which text runs are topic, those of tables included.
        removed: node and rule of each block that was taken out, in document order; what lies in
            one of them is not listed.
        tables: data tables as positions in ``index.table``, nested ones left out.
        pictures: topic pictures in document order.
        dropped: node and rule of each picture of the region that was dropped.
        index: the tables of the page.
        captions: text runs that are a caption of a picture, left out of the paragraphs.
        definitions: ``dl`` elements that are data (improved rules).
    """

    page: Page
    method: str
    root: int
    descent: tuple[tuple[int, float], ...]
    runs: BoolArray
    removed: Mapping[int, BlockRule]
    tables: tuple[int, ...]
    pictures: tuple[Picture, ...]
    dropped: Mapping[int, PictureRule]
    index: TableIndex
    captions: BoolArray | None = None
    definitions: tuple[int, ...] = ()


def kept_nodes(tree: PageTree, root: int, removed: Places) -> BoolArray:
    """Nodes of a region.

    Args:
        tree: the page.
        root: node of the region.
        removed: nodes whose subtrees were taken out.
    """
    in_region = ~covered(removed, tree.end[removed], len(tree))
    in_region[:root] = False
    in_region[tree.end[root] :] = False
    return in_region


def kept_runs(tree: PageTree, root: int, removed: Places) -> BoolArray:
    """Visible text runs of a region.

    Args:
        tree: the page.
        root: node of the region.
        removed: nodes whose subtrees were taken out.
    """
    in_region = ~covered(tree.run_start[removed], tree.run_end[removed], len(tree.runs))
    in_region &= ~tree.run_raw
    in_region[: tree.run_start[root]] = False
    in_region[tree.run_end[root] :] = False
    return in_region
