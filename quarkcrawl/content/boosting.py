"""Boosted decision trees as flat arrays: stored without pickle, evaluated without scikit-learn.

The trees of a model lie behind one another. Each node has the column it asks, a threshold and the
place of its left child; the right child follows that. A leaf asks nothing (column -1), and its
value is added to the score. A line's probability is the logistic function of its score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = ["Trees", "score_kernel"]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """A boosted model.

    Args:
        roots: place of each tree's root.
        column: column that each node asks, -1 for a leaf.
        left: place of the left child, of the right one minus 1; 0 for a leaf.
        value: threshold (left if not greater), or value of a leaf.
        start: score before the first tree.
    """

    roots: NDArray[np.int32]
    column: NDArray[np.int16]
    left: NDArray[np.int32]
    value: NDArray[np.float32]
    start: float

    def scores(self, matrix: Matrix) -> NDArray[np.float64]:
        """Score of each row, by the compiled kernel."""
        return score_kernel(matrix, self.roots, self.column, self.left, self.value, self.start)

    def scores_numpy(self, matrix: Matrix) -> NDArray[np.float64]:
        """The same scores by array operations only."""
        rows = np.arange(len(matrix))
        total = np.full(len(matrix), self.start)
        for root in self.roots.tolist():
            place = np.full(len(matrix), root)
            while (inner := self.column[place] >= 0).any():
                at = place[inner]
                right = matrix[rows[inner], self.column[at]] > self.value[at]
                place[inner] = self.left[at] + right
            total += self.value[place]
        return total

    def probabilities(self, matrix: Matrix) -> NDArray[np.float64]:
        """Probability of each row, 0–1."""
        return 1 / (1 + np.exp(-self.scores(matrix)))


@compiled
def score_kernel(
    matrix: Matrix,
    roots: NDArray[np.int32],
    column: NDArray[np.int16],
    left: NDArray[np.int32],
    value: NDArray[np.float32],
    start: float,
) -> NDArray[np.float64]:
    """Score of each row of a matrix; see `Trees`. Tree by tree, so that each stays in the cache."""
    n = len(matrix)
    total = np.full(n, start)
    for root in roots:
        for row in range(n):
            place = root
            while column[place] >= 0:
                place = left[place] + (matrix[row, column[place]] > value[place])
            total[row] += value[place]
    return total
