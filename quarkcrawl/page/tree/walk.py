"""Walks through a tree: its structure, and where the lines of its text break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.page.loops import fill_lines, fill_structure, find_inked, flatten
from quarkcrawl.page.tree.tags import (
    BLOCK_LEVEL_TAGS,
    CELLS,
    HIDDEN_TAGS,
    PREFORMATTED_TAGS,
    tag_flags,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    TagArray = NDArray[np.int16]
    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    PlaceArray = NDArray[np.intp]
    Structure = tuple[
        IntArray, IntArray, IntArray, BoolArray, IntArray, IntArray, IntArray, BoolArray
    ]
    """Parent, end, depth and hiddenness of each node, its first run, one past its last one; then
    the node that holds each run, and whether the run is hidden."""


LINE, CELL, PREFORMATTED = 1, 2, 4
HIDDEN: Final = tag_flags(HIDDEN_TAGS)
ANCHOR: Final = tag_flags(["a"])
BREAKS: Final = (
    LINE * tag_flags(BLOCK_LEVEL_TAGS)
    + CELL * tag_flags(CELLS)
    + PREFORMATTED * tag_flags(PREFORMATTED_TAGS)
)
"""What elements do to lines as a reader sees them, see `quarkcrawl.page.tree.PageTree.lines_by`."""


def flattened(marks: IntArray, max_depth: int) -> IntArray:
    """Marks of a tree in which elements nested deeper than that are siblings at this depth.

    Each ends where the next one starts, the last one where the element at this depth ended.
    """
    flat = np.empty(len(marks), np.int32)
    flatten(marks, max_depth, flat)
    return flat


def structure(
    marks: IntArray, tag: TagArray, n_runs: int, hides: ByteArray, max_depth: int
) -> tuple[IntArray, Structure]:
    """Marks of a tree that is flattened to a depth, and its structure."""
    n = len(tag)
    stack = np.empty(n + 1, np.int32)
    parent, end, depth, run_start, run_end = np.zeros((5, n), np.int32)
    run_node, hidden = np.zeros(n_runs, np.int32), np.zeros(n, np.bool_)
    run_hidden = np.zeros(n_runs, np.bool_)
    arrays = parent, end, depth, hidden, run_start, run_end, run_node, run_hidden
    if fill_structure(marks, tag, hides, stack, *arrays) > max_depth:
        marks = flattened(marks, max_depth)
        fill_structure(marks, tag, hides, stack, *arrays)
    return marks, arrays


class RunLines(NamedTuple):
    """How the runs of a page stand in lines and links.

    Args:
        piece: number of the piece between two breaks, table cells included.
        row: number of the piece between two breaks, cells of a row together.
        linked: whether a run stands in a link.
        preformatted: whether a run stands in preformatted text.
    """

    piece: IntArray
    row: IntArray
    linked: BoolArray
    preformatted: BoolArray


def run_lines(
    marks: IntArray,
    tag: TagArray,
    hidden: BoolArray,
    n_runs: int,
    breaks: ByteArray,
    is_link: ByteArray,
) -> RunLines:
    """See `RunLines` and `quarkcrawl.page.tree.PageTree.lines_by`."""
    # One by one: taking an array apart costs as much as making two.
    piece, row = np.zeros(n_runs, np.int32), np.zeros(n_runs, np.int32)
    linked, preformatted = np.zeros(n_runs, np.bool_), np.zeros(n_runs, np.bool_)
    lines = RunLines(piece, row, linked, preformatted)
    stack = np.empty(len(tag) + 1, np.int32)
    fill_lines(marks, tag, hidden, breaks, is_link, LINE, CELL, PREFORMATTED, stack, *lines)
    return lines


def inked_before(run_chars: IntArray, runs: PlaceArray) -> PlaceArray:
    """See `quarkcrawl.page.tree.PageTree.inked_before`."""
    inked = np.empty(len(runs), np.intp)
    find_inked(run_chars, runs, inked)
    return inked
