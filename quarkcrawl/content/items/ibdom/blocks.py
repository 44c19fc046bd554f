"""Blocks of a page that nest, and the way down through them (IB-DOM, 2008: the topic region)."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.page.tree import prefix_sums
from quarkcrawl.segment import Nesting, nest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


class Blocks:
    """Some elements of a page as blocks; ``body`` (``html`` in a frameset) is the first.

    Args:
        tree: the page.
        is_block: which nodes are blocks; hidden ones are left out.

    Attributes:
        tree: the page.
        node: root of each block, ascending.
        end: one past the subtree of each.
    """

    def __init__(self, tree: PageTree, is_block: BoolArray) -> None:
        self.tree = tree
        top = (tree.nodes("body") or [0])[0]
        is_own_block = is_block & ~tree.hidden
        is_own_block[:top] = False
        is_own_block[tree.end[top] :] = False
        is_own_block[top] = True
        self.node: Places = np.flatnonzero(is_own_block)
        self.end = tree.end[self.node]

    def __len__(self) -> int:
        return len(self.node)

    @cached_property
    def nesting(self) -> Nesting:
        """How the blocks nest."""
        return nest(self.node, self.end)

    def around(self, nodes: Places) -> Places:
        """Position of the innermost block around each of some nodes inside the first block.

        Args:
            nodes: numbers of nodes in the page's tree, in any order.
        """
        place = np.searchsorted(self.node, nodes, side="right") - 1
        while True:
            outside = self.end[place] <= nodes
            outside &= place > 0
            if not outside.any():
                return place
            place[outside] = self.nesting.above[place[outside]]

    @cached_property
    def n_chars(self) -> Counts:
        """Visible characters of each block."""
        return self.over_runs(self.tree.run_chars)

    def n_inside(self, nodes: Places) -> Counts:
        """How many of some nodes lie in each block.

        Args:
            nodes: the nodes, ascending.
        """
        return np.searchsorted(nodes, self.end) - np.searchsorted(nodes, self.node)

    def over_runs(self, values: NDArray[np.integer] | BoolArray) -> Counts:
        """Sum of a quantity of text runs over each block.

        Args:
            values: one entry a run.
        """
        total = prefix_sums(values)
        return total[self.tree.run_end[self.node]] - total[self.tree.run_start[self.node]]

    def chars_around(self, nodes: Places) -> Counts:
        """Visible characters of the innermost block around each node or of the block around that.

        Args:
            nodes: numbers of nodes in the page's tree, in any order; they lie in the first block.

        Returns:
            The larger number of the two, which is that of the outer block.
        """
        return self.n_chars[np.maximum(self.nesting.above[self.around(nodes)], 0)]


def descend(blocks: Blocks, weight: Counts, share: float) -> list[int]:
    """Blocks on the way down to the topic region, the last one is the region.

    Args:
        blocks: the blocks of the page.
        weight: what each block holds of the topic, with all blocks inside it.
        share: a child must hold more than this part of its parent's weight, 0–1, to be gone into.

    Returns:
        Positions of the blocks; where several children hold enough, the first of them is taken.
    """
    above = blocks.nesting.above
    holds = np.flatnonzero((weight > share * weight[above]) & (above >= 0))[::-1]
    following = np.full(len(blocks), -1, np.intp)
    following[above[holds]] = holds
    path = [0]
    while following[path[-1]] >= 0:
        path.append(int(following[path[-1]]))
    return path


def shares(blocks: Blocks, weight: Counts, path: list[int]) -> tuple[tuple[int, float], ...]:
    """Nodes of a descent, each with its share of the weight of the block before it.

    Args:
        blocks: the blocks of the page.
        weight: what each block holds, as `descend` was given it.
        path: positions of the blocks, as `descend` returns them.
    """
    weights = weight[path].tolist()
    parts = [after / before for before, after in itertools.pairwise(weights)]
    return tuple(zip(blocks.node[path].tolist(), [1.0, *parts], strict=True))
