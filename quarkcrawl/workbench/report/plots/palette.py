"""Colours for a map of blocks: neighbors differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.segment import Segmentation


MAP_COLORS: Final = (
    "#ffd08f",
    "#a3dcff",
    "#c3ee9e",
    "#ffb3cc",
    "#d6c4ff",
    "#fff08a",
    "#98e6d5",
    "#dfcdb2",
)
"""Backgrounds on which dark text has a contrast of at least 11 : 1."""

_NEAR: Final = 3
"""Blocks that far apart in reading order may touch on the screen (cells of a table)."""


def block_order(segmentation: Segmentation) -> NDArray[np.int64]:
    """The blocks of the visible runs in reading order, one entry a stretch of runs.

    A block that surrounds others comes again after each of them.

    Args:
        segmentation: the blocks of a page.
    """
    seen = segmentation.run_block[segmentation.tree.run_chars > 0]
    blocks = seen[seen >= 0].astype(np.int64)
    is_new = np.ones(len(blocks), np.bool_)
    is_new[1:] = blocks[1:] != blocks[:-1]
    return blocks[is_new]


def map_colors(segmentation: Segmentation) -> list[int]:
    """A color for each block, an index into `MAP_COLOURS`.

    Blocks that follow each other, also with one or two others between them, and a block and the
    one around it get different colors as long as the colors suffice; direct neighbors in reading
    order come first. Colors are taken in turn, so that all of them are in use.

    Args:
        segmentation: the blocks of a page.
    """
    n_blocks = len(segmentation)
    near = _neighbors(segmentation)
    colors = [-1] * n_blocks
    turn = 0
    for block in dict.fromkeys([*block_order(segmentation).tolist(), *range(n_blocks)]):
        colors[block] = _free_color(near[block], colors, turn)
        turn = colors[block] + 1
    return colors


def _neighbors(segmentation: Segmentation) -> list[dict[int, int]]:
    """For each block its neighbors and how far away they are."""
    near: list[dict[int, int]] = [{} for _ in range(len(segmentation))]
    order = block_order(segmentation)
    roots = segmentation.root
    above = segmentation.node_block[np.maximum(segmentation.tree.parent[roots], 0)]
    pairs = [(1, list(range(len(roots))), above.tolist())]
    pairs += [(gap, order[:-gap].tolist(), order[gap:].tolist()) for gap in range(1, _NEAR + 1)]
    for gap, ones, others in pairs:
        for one, other in zip(ones, others, strict=True):
            if one != other and other >= 0:
                near[one][other] = min(gap, near[one].get(other, gap))
                near[other][one] = min(gap, near[other].get(one, gap))
    return near


def _free_color(near: dict[int, int], colors: list[int], turn: int) -> int:
    """The next color in turn that no neighbor has; if there is none, one that is far away."""
    distance = [_NEAR + 1] * len(MAP_COLORS)
    for block, gap in near.items():
        if colors[block] >= 0:
            distance[colors[block]] = min(distance[colors[block]], gap)
    n_colors = len(MAP_COLORS)
    in_turn = [(turn + step) % n_colors for step in range(n_colors)]
    return max(in_turn, key=lambda color: distance[color])
