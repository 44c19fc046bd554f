"""One compiled walk through a tree: structure, links, hidden text and line breaks, all at once.

`PageTree` works the same out array by array as it is asked, which one page is better served by:
loading numba takes as long as a thousand pages. Where many pages are to come, `fill` has it done
beforehand for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.page.text import PUNCTUATION, SPACE, STOP, char_classes
from quarkcrawl.page.tree.folding import Folding
from quarkcrawl.page.tree.structure import Structure
from quarkcrawl.page.tree.tags import HIDDEN_TAGS, MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.page.tree.tree import PageTree

    IntArray = NDArray[np.int32]
    SumArray = NDArray[np.int64]
    ByteArray = NDArray[np.uint8]


LINE, CELL, PREFORMATTED = 1, 2, 4


def tag_flags(names: Iterable[str]) -> ByteArray:
    """For each tag id 1 if it is one of these names, else 0.

    Args:
        names: element names, all of them known.
    """
    flags = np.zeros(MAX_TAG_ID + 1, np.uint8)
    flags[[TAG_IDS[name] for name in names]] = 1
    return flags


_HIDDEN: Final = tag_flags(HIDDEN_TAGS)
_ANCHOR: Final = tag_flags(["a"])


@compiled
def _walk(
    marks: IntArray,
    tag: NDArray[np.int16],
    n_runs: int,
    breaks: ByteArray,
    hidden: ByteArray,
    is_link: ByteArray,
) -> tuple[
    IntArray,
    IntArray,
    IntArray,
    ByteArray,
    IntArray,
    IntArray,
    IntArray,
    IntArray,
    IntArray,
    ByteArray,
    ByteArray,
    ByteArray,
]:
    n = len(tag)
    parent, end, depth = np.full(n, -1, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    node_hidden = np.zeros(n, np.uint8)
    run_start, run_end = np.zeros(n, np.int32), np.zeros(n, np.int32)
    run_node = np.zeros(n_runs, np.int32)
    run_piece, run_row = np.zeros(n_runs, np.int32), np.zeros(n_runs, np.int32)
    run_link, run_hidden = np.zeros(n_runs, np.uint8), np.zeros(n_runs, np.uint8)
    run_pre = np.zeros(n_runs, np.uint8)
    stack = np.zeros(n + 1, np.int32)
    top = node = done = piece = row = n_links = n_hidden = n_pre = 0
    for mark in marks:
        here = mark if mark >= 0 else ~mark
        while done < here:
            run_node[done] = stack[top - 1] if top > 0 else 0
            run_piece[done], run_row[done] = piece, row
            run_link[done], run_hidden[done] = n_links > 0, n_hidden > 0
            run_pre[done] = n_pre > 0
            done += 1
        step = 1 if mark >= 0 else -1
        if step > 0:
            this = node
            parent[this] = stack[top - 1] if top > 0 else -1
            depth[this] = top
            run_start[this] = here
            stack[top] = this
            top += 1
            node += 1
        else:
            top -= 1
            this = stack[top]
            end[this] = node
            run_end[this] = here
        kind = tag[this]
        piece += (breaks[kind] & (LINE | CELL)) != 0
        row += breaks[kind] & LINE
        if breaks[kind] & PREFORMATTED:
            n_pre += step
        n_links += step * is_link[this]
        n_hidden += step * hidden[kind]
        if step > 0:
            node_hidden[this] = n_hidden > 0
    return (
        parent,
        end,
        depth,
        node_hidden,
        run_start,
        run_end,
        run_node,
        run_piece,
        run_row,
        run_link,
        run_hidden,
        run_pre,
    )


def read_structure(tree: PageTree, is_link: ByteArray, breaks: ByteArray) -> Structure:
    """Walk through a page.

    Args:
        tree: the page.
        is_link: 1 for each node that counts as a link.
        breaks: by tag id `LINE` for what starts and ends a line, `CELL` for table cells, and
            `PREFORMATTED` besides for what keeps its white space.
    """
    return Structure(*_walk(tree.marks, tree.tag, len(tree.runs), breaks, _HIDDEN, is_link))


@compiled
def _count_chars(
    codes: NDArray[np.unsignedinteger], classes: ByteArray, counted: NDArray[np.intp], n_runs: int
) -> tuple[IntArray, IntArray, IntArray, IntArray, bool]:
    """Of each run characters that are not white space, punctuation marks, stops, and its place.

    The place is where the run starts in ``codes``; one that is not counted is empty there. The
    last value is whether there are halves of surrogate pairs, which are no characters.
    """
    inked, marks = np.zeros(n_runs, np.int32), np.zeros(n_runs, np.int32)
    stops, starts = np.zeros(n_runs, np.int32), np.zeros(n_runs + 1, np.int32)
    last, has_halves = len(classes) - 1, False
    done = number = n_inked = n_marks = n_stops = 0
    for place in range(len(codes)):
        code = codes[place]
        if code:
            kind = classes[min(code, last)]
            n_inked += (kind & SPACE) == 0
            n_marks += (kind & PUNCTUATION) != 0
            n_stops += (kind & STOP) != 0
            has_halves |= 0xD800 <= code <= 0xDFFF
        else:
            run = counted[number]
            inked[run], marks[run], stops[run] = n_inked, n_marks, n_stops
            n_inked = n_marks = n_stops = 0
            starts[done + 1 : run + 1] = starts[done]
            starts[run + 1] = place + 1
            done = run + 1
            number += 1
    starts[done + 1 :] = starts[done]
    return inked, marks, stops, starts, has_halves


@compiled
def _over_subtrees(
    start: IntArray, end: IntArray, chars: IntArray, linked: ByteArray
) -> tuple[SumArray, SumArray]:
    """Characters in each subtree, and those of them in links."""
    total, anchor = np.zeros(len(chars) + 1, np.int64), np.zeros(len(chars) + 1, np.int64)
    for run in range(len(chars)):
        total[run + 1] = total[run] + chars[run]
        anchor[run + 1] = anchor[run] + chars[run] * linked[run]
    n = len(start)
    inside, inside_anchor = np.empty(n, np.int64), np.empty(n, np.int64)
    for node in range(n):
        inside[node] = total[end[node]] - total[start[node]]
        inside_anchor[node] = anchor[end[node]] - anchor[start[node]]
    return inside, inside_anchor


def fill(tree: PageTree, breaks: ByteArray) -> Structure | None:
    """Work out what the analysis of a page will ask of its tree.

    Args:
        tree: the page.
        breaks: see `read_structure`.

    Returns:
        The structure, with every ``a`` as a link; None, and nothing done, for a page nested
        deeper than `MAX_DEPTH`, whose deepest elements `PageTree` makes siblings.
    """
    found = read_structure(tree, _ANCHOR.take(tree.tag), breaks)
    if not tree.know(found):
        return None
    tree.structure = found
    chars = tree.run_class
    found_chars = _count_chars(chars.codes, char_classes(), chars.counted, len(tree.runs))
    counts, starts, has_halves = found_chars[:3], *found_chars[3:]
    chars.know(*counts, starts)
    sums = _over_subtrees(found.run_start, found.run_end, counts[0], found.run_link)
    if chars.is_exact and not has_halves:
        lines = (found.run_piece, found.run_row, found.run_pre)
        tree.folding = Folding(chars.codes, starts, counts[0], *lines)
    known = {"run_chars": counts[0], "text_chars": sums[0], "anchor_chars": sums[1]}
    vars(tree).update(known, run_anchor=found.run_link.view(np.bool_))
    return found
