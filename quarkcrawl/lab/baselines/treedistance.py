"""Tree edit distance (Zhang and Shasha 1989).

For small pages: at worst its cost grows with the fourth power of their size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.template.structure import CODE_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import TagSequence

    IntArray = NDArray[np.int32]


_MASK: Final = (1 << CODE_BITS) - 1


def tree_of(page: TagSequence) -> tuple[IntArray, IntArray, IntArray]:
    """Elements in postorder, the leftmost leaf below each, and the key roots."""
    codes = (page.tokens & _MASK).tolist()
    depths = page.depths.tolist()
    order: list[int] = []
    leftmost: list[int] = []
    stack: list[tuple[int, int, int]] = []  # (depth, code, number of the first leaf below)

    def close(down_to: int) -> None:
        while stack and stack[-1][0] >= down_to:
            _, code, first = stack.pop()
            leftmost.append(first)
            order.append(code)

    for code, depth in zip(codes, depths, strict=True):
        close(depth)
        stack.append((depth, code, len(order)))
    close(0)
    left = np.array(leftmost, np.int32)
    last = {int(leaf): number for number, leaf in enumerate(leftmost)}
    return np.array(order, np.int32), left, np.array(sorted(last.values()), np.int32)


@compiled
def tree_distance(
    codes_a: IntArray,
    left_a: IntArray,
    roots_a: IntArray,
    codes_b: IntArray,
    left_b: IntArray,
    roots_b: IntArray,
) -> int:
    """Least number of elements to delete, insert or rename to make one tree (or forest) of another.

    Args:
        codes_a: names in postorder.
        left_a: leftmost leaf below each element.
        roots_a: key roots.
        codes_b: names of the other tree.
        left_b: its leaves.
        roots_b: its key roots.
    """
    n_a, n_b = len(codes_a), len(codes_b)
    if n_a == 0 or n_b == 0:
        return max(n_a, n_b)
    trees = np.zeros((n_a, n_b), np.int32)
    forest = np.zeros((n_a + 1, n_b + 1), np.int32)
    for i in roots_a:
        for j in roots_b:
            _fill(i, j, codes_a, left_a, codes_b, left_b, trees, forest)
    return int(trees[n_a - 1, n_b - 1])


@compiled
def _fill(
    i: int,
    j: int,
    codes_a: IntArray,
    left_a: IntArray,
    codes_b: IntArray,
    left_b: IntArray,
    trees: NDArray[np.int32],
    forest: NDArray[np.int32],
) -> None:
    first_a, first_b = left_a[i], left_b[j]
    for a in range(first_a, i + 2):
        forest[a, first_b] = a - first_a
    for b in range(first_b, j + 2):
        forest[first_a, b] = b - first_b
    for a in range(first_a, i + 1):
        for b in range(first_b, j + 1):
            least = min(forest[a, b + 1], forest[a + 1, b]) + 1
            if left_a[a] == first_a and left_b[b] == first_b:
                changed = forest[a, b] + (codes_a[a] != codes_b[b])
                forest[a + 1, b + 1] = min(least, changed)
                trees[a, b] = forest[a + 1, b + 1]
            else:
                moved = forest[left_a[a], left_b[b]] + trees[a, b]
                forest[a + 1, b + 1] = min(least, moved)
