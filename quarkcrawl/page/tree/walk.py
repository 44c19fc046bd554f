"""Compiled walks through a tree: its structure, and where the lines of its text break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.kernels import compiled
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


LINE, CELL, PREFORMATTED = 1, 2, 4
HIDDEN: Final = tag_flags(HIDDEN_TAGS)
ANCHOR: Final = tag_flags(["a"])
BREAKS: Final = (
    LINE * tag_flags(BLOCK_LEVEL_TAGS)
    + CELL * tag_flags(CELLS)
    + PREFORMATTED * tag_flags(PREFORMATTED_TAGS)
)
"""What elements do to lines as a reader sees them, see `quarkcrawl.page.tree.PageTree.lines_by`."""


@compiled
def flattened(marks: IntArray, max_depth: int) -> IntArray:
    """Marks of a tree in which elements nested deeper than that are siblings at this depth.

    Each ends where the next one starts, the last one where the element at this depth ended.
    """
    level = deepest = 0
    for mark in marks:
        level += 1 if mark >= 0 else -1
        deepest = max(deepest, level)
    if deepest <= max_depth + 1:
        return marks
    flat = np.empty(len(marks), np.int32)
    n = level = 0
    for mark in marks:
        if mark < 0:
            level -= 1
        elif level > max_depth:
            flat[n] = ~mark
            n += 1
        if mark >= 0 or level <= max_depth:
            flat[n] = mark
            n += 1
        if mark >= 0:
            level += 1
    return flat


@compiled
def structure(
    marks: IntArray, tag: TagArray, n_runs: int, hides: ByteArray
) -> tuple[IntArray, IntArray, IntArray, BoolArray, IntArray, IntArray, IntArray, BoolArray]:
    """Parent, end, depth and hiddenness of each node, its first run, one past its last one.

    The last two are the node that holds each run, and whether the run is hidden.
    """
    n = len(tag)
    parent, end, depth = np.full(n, -1, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    hidden = np.zeros(n, np.bool_)
    run_start, run_end = np.zeros(n, np.int32), np.zeros(n, np.int32)
    run_node, run_hidden = np.zeros(n_runs, np.int32), np.zeros(n_runs, np.bool_)
    stack = np.zeros(n + 1, np.int32)
    top = node = done = n_hidden = 0
    for mark in marks:
        here = mark if mark >= 0 else ~mark
        while done < here:
            run_node[done] = stack[top - 1] if top > 0 else 0
            run_hidden[done] = n_hidden > 0
            done += 1
        if mark >= 0:
            parent[node] = stack[top - 1] if top > 0 else -1
            depth[node], run_start[node] = top, here
            n_hidden += hides[tag[node]]
            hidden[node] = n_hidden > 0
            stack[top] = node
            top += 1
            node += 1
        else:
            top -= 1
            ended = stack[top]
            end[ended], run_end[ended] = node, here
            n_hidden -= hides[tag[ended]]
    return parent, end, depth, hidden, run_start, run_end, run_node, run_hidden


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


@compiled
def run_lines(
    marks: IntArray, tag: TagArray, n_runs: int, breaks: ByteArray, is_link: ByteArray
) -> tuple[IntArray, IntArray, BoolArray, BoolArray]:
    """See `RunLines` and `quarkcrawl.page.tree.PageTree.lines_by`."""
    run_piece, run_row = np.zeros(n_runs, np.int32), np.zeros(n_runs, np.int32)
    linked, preformatted = np.zeros(n_runs, np.bool_), np.zeros(n_runs, np.bool_)
    stack = np.zeros(len(tag) + 1, np.int32)
    top = node = done = piece = row = n_links = n_pre = 0
    for mark in marks:
        here = mark if mark >= 0 else ~mark
        while done < here:
            run_piece[done], run_row[done] = piece, row
            linked[done], preformatted[done] = n_links > 0, n_pre > 0
            done += 1
        step = 1 if mark >= 0 else -1
        if step > 0:
            this = node
            stack[top] = node
            top += 1
            node += 1
        else:
            top -= 1
            this = stack[top]
        kind = breaks[tag[this]]
        piece += (kind & (LINE | CELL)) != 0
        row += kind & LINE
        n_pre += step * ((kind & PREFORMATTED) != 0)
        n_links += step * is_link[this]
    return run_piece, run_row, linked, preformatted


@compiled
def inked_before(run_chars: IntArray, runs: PlaceArray) -> PlaceArray:
    """See `quarkcrawl.page.tree.PageTree.inked_before`."""
    found = np.empty(len(runs), np.intp)
    for number in range(len(runs)):
        run = runs[number] - 1
        while run >= 0 and not run_chars[run]:
            run -= 1
        found[number] = run
    return found
