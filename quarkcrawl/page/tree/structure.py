"""What one walk through a tree finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    ByteArray = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """The tree and its runs as plain arrays; nodes in preorder, runs in document order.

    Args:
        parent: parent of each node, -1 for the root.
        end: one past the last node of each subtree.
        depth: number of ancestors of each node, unbounded.
        hidden: whether browsers do not show a node.
        run_start: first run at or behind each node's start.
        run_end: one past the last run of each subtree.
        run_node: node that directly holds each run.
        run_piece: number of the piece between two breaks, table cells included.
        run_row: number of the piece between two breaks, cells of a row together.
        run_link: whether a run stands in a link.
        run_hidden: whether a run is no visible text.
        run_pre: whether a run stands in preformatted text.
    """

    parent: IntArray
    end: IntArray
    depth: IntArray
    hidden: ByteArray
    run_start: IntArray
    run_end: IntArray
    run_node: IntArray
    run_piece: IntArray
    run_row: IntArray
    run_link: ByteArray
    run_hidden: ByteArray
    run_pre: ByteArray
