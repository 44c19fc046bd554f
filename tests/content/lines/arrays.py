"""Boosted trees by array operations: what the compiled loop is compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quarkcrawl.content.lines.scoring import COLUMN_SHIFT, LEAF, LEFT_MASK, Trees


def scores_by_arrays(trees: Trees, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
    """Score of each row: all rows go down one tree together."""
    total = np.full(len(matrix), trees.start)
    rows = np.arange(len(matrix))
    for number, root in enumerate(trees.roots.tolist()):
        if number == trees.n_first:
            rows = np.flatnonzero(total >= trees.give_up)
        place = np.full(len(rows), root)
        while (inner := trees.node[place] != LEAF).any():
            at = place[inner]
            asked = matrix[rows[inner], trees.node[at] >> COLUMN_SHIFT]
            left = trees.node[at] & LEFT_MASK
            place[inner] = left + (asked > trees.value[at])
        total[rows] += trees.value[place]
    return total
