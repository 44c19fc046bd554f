"""From the browser's nodes to the nodes and runs of the parsed page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page import Page, PageTree
from quarkcrawl.page.tree import Layout, union_boxes
from quarkcrawl.render.serialize import MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.render.serialize import Serialized
    from quarkcrawl.render.snapshot import DomSnapshot, FlatNode

    LongArray = NDArray[np.int64]
    FloatArray = NDArray[np.float32]


_COLOR: Final = re.compile(r"rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)")
_NOWHERE: Final = (np.nan, np.nan, np.nan, np.nan)


def lay_out(page: Page, written: Serialized, snapshot: DomSnapshot) -> Layout:
    """Boxes and styles of the nodes and runs of a page.

    Args:
        page: made of ``written.html``.
        written: the page as text.
        snapshot: where it comes from.
    """
    marked = PageTree.parse(written.marked)
    numbers = _node_numbers(marked)
    run_boxes = _run_boxes(marked, numbers, written.texts)
    node_rows = _matching(page.tree.tags, marked.tags)
    run_rows = _matching(page.tree.runs, marked.runs)
    nodes = [written.nodes.get(number) for number in numbers[node_rows].tolist()]
    nodes = [node if row >= 0 else None for node, row in zip(nodes, node_rows, strict=True)]
    styles = [node.styles if node is not None and node.styles else _NO_STYLES for node in nodes]
    return Layout(
        boxes=np.array([_box(node) for node in nodes], np.float32).reshape(-1, 4),
        run_boxes=np.vstack((run_boxes, np.full((1, 4), np.nan, np.float32)))[run_rows],
        font_px=np.array([float(style[0].removesuffix("px")) for style in styles], np.float32),
        font_weight=np.array([int(float(style[1])) for style in styles], np.int16),
        color=np.array([_rgba(style[2]) for style in styles], np.uint32),
        background=np.array([_rgba(style[3]) for style in styles], np.uint32),
        visible=np.array([style[4] == "visible" for style in styles], np.bool_),
        width_px=float(snapshot.width_px),
        height_px=float(snapshot.height_px),
    )


_NO_STYLES: Final = ("0px", "0", "", "", "")


def _box(node: FlatNode | None) -> tuple[float, float, float, float]:
    return _NOWHERE if node is None or node.box is None else node.box


@lru_cache(4096)
def _rgba(text: str) -> int:
    match = _COLOR.fullmatch(text)
    if match is None:
        return 0
    red, green, blue = (min(255, int(part)) for part in match.groups()[:3])
    alpha = round(255 * min(1.0, float(match[4]))) if match[4] else 255
    return red << 24 | green << 16 | blue << 8 | alpha


def _node_numbers(tree: PageTree) -> LongArray:
    """The browser's number of each parsed node, -1 for those that the parser has added."""
    marks = (tree.attr(node, MARK) or "-1" for node in range(len(tree)))
    return np.fromiter((int(mark) for mark in marks), np.int64, len(tree))


def _run_boxes(
    tree: PageTree, numbers: LongArray, texts: Sequence[tuple[FlatNode, int, int]]
) -> FloatArray:
    """Box of each run: of the text nodes with its parent behind the same element.

    A run for which none is found has the box of nothing; white space often has none.
    """
    keys = _run_keys(tree, numbers)
    names, groups = np.unique(keys, axis=0, return_inverse=True)
    rows = {tuple(name): row for row, name in enumerate(names.tolist())}
    boxes = np.array([node.box for node, _, _ in texts], np.float32).reshape(-1, 4)
    group = np.array([rows.get((parent, before), -1) for _, parent, before in texts], np.intp)
    united = union_boxes(boxes, group, len(names))
    return united[groups.reshape(-1)] if len(keys) else np.zeros((0, 4), np.float32)


def _run_keys(tree: PageTree, numbers: LongArray) -> LongArray:
    """The browser's numbers of each run's parent and of the element before it (-1: none)."""
    run_node = tree.run_node.astype(np.int64)
    started = np.searchsorted(tree.run_start, np.arange(len(tree.runs)), side="right") - 1
    before = started.astype(np.int64)
    while True:
        above = tree.parent[before]
        deeper = (before != run_node) & (above != run_node)
        if not deeper.any():
            break
        before[deeper] = above[deeper]
    last = np.where(before == run_node, -1, numbers[before])
    return np.stack((numbers[run_node], last), axis=1)


def _matching(names: Sequence[str], marked: Sequence[str]) -> LongArray:
    """Row in the marked parse of each row of the plain one, -1 where that cannot be told.

    Both are equal but for pages with more than three equal formatting elements open at a time,
    which the marks make unequal; there only what comes before and after is known.
    """
    n, n_marked = len(names), len(marked)
    if n == n_marked and names == marked:
        return np.arange(n)
    first = next((k for k, (a, b) in enumerate(zip(names, marked, strict=False)) if a != b), None)
    first = min(n, n_marked) if first is None else first
    last = 0
    bound = min(n, n_marked) - first
    while last < bound and names[n - 1 - last] == marked[n_marked - 1 - last]:
        last += 1
    rows = np.full(n, -1, np.int64)
    rows[:first] = np.arange(first)
    rows[n - last :] = np.arange(n_marked - last, n_marked)
    return rows
