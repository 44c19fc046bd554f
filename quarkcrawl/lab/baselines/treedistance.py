"""Tree edit distance (Zhang and Shasha 1989).

For small pages: at worst its cost grows with the fourth power of their size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - numba types the tuple when it compiles

from quarkcrawl.kernels import compiled
from quarkcrawl.template.structure import CODE_BITS

if TYPE_CHECKING:
    from quarkcrawl.template.structure import TagSequence

    IntArray = NDArray[np.int32]


_MASK: Final = (1 << CODE_BITS) - 1


class TagTree(NamedTuple):
    """A tree (or forest) in postorder.

    Args:
        codes: names.
        left: leftmost leaf below each element.
        roots: key roots.
    """

    codes: NDArray[np.int32]
    left: NDArray[np.int32]
    roots: NDArray[np.int32]


def tree_of(page: TagSequence) -> TagTree:
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
    return TagTree(np.array(order, np.int32), left, np.array(sorted(last.values()), np.int32))


@compiled
def tree_distance(one: TagTree, other: TagTree) -> int:
    """Least number of elements to delete, insert or rename to make one tree of another."""
    n_a, n_b = len(one.codes), len(other.codes)
    if n_a == 0 or n_b == 0:
        return max(n_a, n_b)
    trees = np.zeros((n_a, n_b), np.int32)
    forest = np.zeros((n_a + 1, n_b + 1), np.int32)
    for i in one.roots:
        for j in other.roots:
            _fill(i, j, one, other, trees, forest)
    return int(trees[n_a - 1, n_b - 1])


@compiled
def _fill(i: int, j: int, one: TagTree, other: TagTree, trees: IntArray, forest: IntArray) -> None:
    codes_a, left_a, _ = one
    codes_b, left_b, _ = other
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
