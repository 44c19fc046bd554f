"""Tree edit distance (Zhang and Shasha 1989).

For small pages: at worst its cost grows with the fourth power of their size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.lab.baselines.loops import fill_distances
from quarkcrawl.template.structure import CODE_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import TagSequence


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


def tree_distance(one: TagTree, other: TagTree) -> int:
    """Least number of elements to delete, insert or rename to make one tree of another."""
    n_a, n_b = len(one.codes), len(other.codes)
    if n_a == 0 or n_b == 0:
        return max(n_a, n_b)
    trees = np.zeros((n_a, n_b), np.int32)
    fill_distances(*one, *other, trees, np.zeros((n_a + 1, n_b + 1), np.int32))
    return int(trees[-1, -1])
