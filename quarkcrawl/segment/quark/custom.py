"""Customized tags (class C; Quark thesis, 3.1): by name, or by what their text says."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.segment.classes import class_masks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree
    from quarkcrawl.segment.quark.options import SegmentOptions


MAX_PATTERN_CHARS: Final = 500
"""Elements with more visible characters than this are not searched for patterns. They are meant
for a line between headline and body; without a bound every ancestor of that line, up to ``html``,
would match as well and be searched once for each level of the page."""


def custom_nodes(tree: PageTree, options: SegmentOptions) -> NDArray[np.bool_]:
    """Which nodes are of class C.

    Args:
        tree: the page.
        options: names and patterns.
    """
    custom = np.zeros(len(tree), np.bool_)
    custom[tree.places(*options.custom_tags)] = True
    if options.custom_patterns:
        searches = [re.compile(pattern).search for pattern in options.custom_patterns]
        texts = _texts(tree)
        custom[[node for node, text in texts if any(search(text) for search in searches)]] = True
    return custom


def _texts(tree: PageTree) -> Iterator[tuple[int, str]]:
    """S, B and L nodes with few characters, and their text with white space folded."""
    eligible = np.logical_or.reduce(list(class_masks(tree.tag).values()))
    eligible &= (tree.text_chars > 0) & (tree.text_chars <= MAX_PATTERN_CHARS)
    nodes = np.flatnonzero(eligible)
    visible = np.flatnonzero(tree.run_chars)
    pieces = _pieces(tree, visible)
    n_before = prefix_sums(tree.run_chars > 0)
    first = n_before[tree.run_start[nodes]].tolist()
    last = n_before[tree.run_end[nodes]].tolist()

    @cache
    def text(start: int, end: int) -> str:
        return " ".join("".join(pieces[start:end]).split())

    yield from zip(nodes.tolist(), map(text, first, last), strict=True)


def _pieces(tree: PageTree, visible: NDArray[np.intp]) -> list[str]:
    """Visible runs, each with a space in front where white-space runs lie before it."""
    runs = tree.runs
    gaps = (np.diff(visible, prepend=-1) > 1).tolist()
    return [
        (" " if gap else "") + _folded(runs[number])
        for number, gap in zip(visible.tolist(), gaps, strict=True)
    ]


def _folded(run: str) -> str:
    """White space inside and at the ends of a run, each piece as one space."""
    inner = " ".join(run.split())
    return (" " if run[0].isspace() else "") + inner + (" " if run[-1].isspace() else "")
