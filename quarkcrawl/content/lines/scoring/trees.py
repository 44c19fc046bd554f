"""Boosted decision trees as flat arrays: stored without pickle, evaluated without scikit-learn.

The trees of a model lie behind one another. An inner node is a column and the place of its left
child in one number, and a threshold; the right child follows the left one. A leaf is the number
-1 and a value that is added to the score. A line's probability is the logistic function of its
score. Most lines of a page are far from being content; they are given up after the first trees.

Trees are not walked (each step would wait for the one before) but asked all of their questions, for
many rows at once (QuickScorer; Lucchese and others, SIGIR 2015): a row starts with all leaves, each
threshold that it exceeds takes away those on the left, and the first one left is where a walk ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.lines.scoring.loops import add_scores, leaf_slot, number_leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    WeightArray = NDArray[np.float32]
    IntArray = NDArray[np.int32]
    BitArray = NDArray[np.uint32]


COLUMN_SHIFT: Final = 16
"""A node's column stands above that many bits for the place of its left child."""

LEFT_MASK: Final = (1 << COLUMN_SHIFT) - 1
"""The bits of a node that hold the place of its left child."""

LEAF: Final = -1

MAX_LEAVES: Final = 32
"""So many leaves of a tree have a bit each."""

_N_ROWS: Final = 48
"""So many rows are asked at once."""


class _Questions(NamedTuple):
    """The inner nodes, one row a tree, filled up to an even number by such that change nothing.

    Args:
        columns: the columns that are asked for, each once.
        column: place in ``columns``.
        threshold: what a row must exceed to go right.
        masks: bits of the leaves that then stay.
        leaves: values of each tree's leaves, each where `leaf_slot` says of its bit.
    """

    columns: IntArray
    column: IntArray
    threshold: WeightArray
    masks: BitArray
    leaves: Matrix


@dataclass(frozen=True, eq=False)  # no slots: the questions are worked out once, when asked for
class Trees:
    """A boosted model.

    Args:
        roots: place of each tree's root.
        node: column and place of the left child, or `LEAF`.
        value: threshold (left if not greater), or value of a leaf.
        start: score before the first tree.
        n_first: after so many trees, rows that score below ``give_up`` are left as they are.
        give_up: see there; minus infinity to ask all trees about all rows.
    """

    roots: IntArray
    node: IntArray
    value: NDArray[np.float32]
    start: float
    n_first: int = 0
    give_up: float = -np.inf

    def check(self, n_columns: int) -> None:
        """Refuse trees that lead out of their arrays or in a circle: the kernel checks nothing.

        Args:
            n_columns: columns of the matrices that they are asked about.

        Raises:
            ValueError: the arrays are no such trees, or a tree has too many leaves.
        """
        inner = np.flatnonzero(self.node != LEAF)
        left, column = self.node[inner] & LEFT_MASK, self.node[inner] >> COLUMN_SHIFT
        n_nodes = len(self.node)
        is_sound = (
            [array.dtype for array in (self.roots, self.node, self.value)]
            == [np.int32, np.int32, np.float32]
            and self.roots.ndim == 1
            and self.node.shape == self.value.shape == (n_nodes,)
            and bool((left > inner).all())
            and bool(((column >= 0) & (column < n_columns)).all())
            # each node is a root, a left child or a right one
            and np.array_equal(np.sort([*self.roots, *left, *left + 1]), np.arange(n_nodes))
        )
        if not is_sound:
            raise ValueError("trees lead out of their arrays")
        _ = self._questions

    @cached_property
    def _questions(self) -> _Questions:
        tree, n_leaves, first_leaf = numbered = np.empty((3, len(self.node)), np.int32)
        number_leaves(self.roots, self.node, COLUMN_SHIFT, MAX_LEAVES, *numbered)
        if (n_leaves > MAX_LEAVES).any():
            raise ValueError(f"a tree has more than {MAX_LEAVES} leaves")
        inner = np.flatnonzero(self.node != LEAF)
        inner = inner[tree[inner].argsort(kind="stable")]
        left = self.node[inner] & LEFT_MASK
        n_asked = np.bincount(tree[inner], minlength=len(self.roots))
        rank = np.arange(len(inner)) - np.repeat(n_asked.cumsum() - n_asked, n_asked)
        shape, at = (len(self.roots), -(-n_asked.max(initial=0) // 2) * 2), (tree[inner], rank)
        column, masks = np.zeros(shape, np.int32), np.zeros(shape, np.uint32)
        threshold = np.full(shape, np.inf, np.float32)
        columns, column[at] = np.unique(self.node[inner] >> COLUMN_SHIFT, return_inverse=True)
        threshold[at] = self.value[inner]
        one = np.int64(1)
        masks[at] = (~(((one << n_leaves[left]) - 1) << first_leaf[left])).astype(np.uint32)
        ends = np.flatnonzero(self.node == LEAF)
        leaves = np.zeros((len(self.roots), MAX_LEAVES), np.float32)
        slots = [leaf_slot(1 << leaf) for leaf in first_leaf[ends].tolist()]
        leaves[tree[ends], slots] = self.value[ends]
        return _Questions(columns, column, threshold, masks, leaves)

    def scores(self, matrix: Matrix) -> NDArray[np.float64]:
        """Score of each row, by the compiled kernel."""
        splits, n_trees = self._questions, len(self.roots)
        total, matrix = np.full(len(matrix), self.start), np.ascontiguousarray(matrix)
        values = np.empty((len(splits.columns), _N_ROWS), np.float32)
        room = values, np.empty(_N_ROWS, np.uint32), np.empty(_N_ROWS)
        n_first, rows = min(self.n_first, n_trees), np.arange(len(matrix))
        add_scores(matrix, rows, 0, n_first, *splits, *room, total)
        rows = (total >= self.give_up).nonzero()[0]
        add_scores(matrix, rows, n_first, n_trees, *splits, *room, total)
        return total

    def probabilities(self, matrix: Matrix) -> NDArray[np.float64]:
        """Probability of each row, 0–1."""
        return 1 / (1 + np.exp(-self.scores(matrix)))
