"""The compiled loops of the measures: hashes of paths, and the distance of trees.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    HashArray = NDArray[np.uint64]


_LONG: Final = 0xFFFFFFFFFFFFFFFF
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_MIXER: Final = 0xBF58476D1CE4E5B9
_SHIFT: Final = 29


def hash_paths(
    tokens: IntArray, code_bits: int, open_paths: HashArray, path_hashes: HashArray
) -> None:
    """Hash the path to each element; ``open_paths`` has room for each depth."""
    for place in range(len(tokens)):
        token = int(tokens[place])
        depth = token >> code_bits
        value = int(open_paths[depth - 1]) if depth > 0 else _SHIFT
        value = ((value ^ token) * _MULTIPLIER) & _LONG
        value ^= value >> _SHIFT
        path_hashes[place] = value
        open_paths[depth] = value


def hash_windows(path_hashes: HashArray, width: int, window_hashes: HashArray) -> None:
    """Hash each window of paths that follow each other."""
    for place in range(len(window_hashes)):
        value = _SHIFT
        for at in range(place, min(place + width, len(path_hashes))):
            path = int(path_hashes[at])
            value = ((value ^ path) * _MIXER) & _LONG
            value ^= value >> _SHIFT
        window_hashes[place] = value


def fill_distances(
    codes_a: IntArray,
    left_a: IntArray,
    roots_a: IntArray,
    codes_b: IntArray,
    left_b: IntArray,
    roots_b: IntArray,
    trees: IntArray,
    forest: IntArray,
) -> None:
    """Fill in the distance of all pairs of subtrees; ``forest`` is one wider either way."""
    for root_a in roots_a:
        for root_b in roots_b:
            first_a = left_a[root_a]
            first_b = left_b[root_b]
            for a in range(first_a, root_a + 2):
                forest[a, first_b] = a - first_a
            for b in range(first_b, root_b + 2):
                forest[first_a, b] = b - first_b
            for a in range(first_a, root_a + 1):
                for b in range(first_b, root_b + 1):
                    least = min(forest[a, b + 1], forest[a + 1, b]) + 1
                    if left_a[a] == first_a and left_b[b] == first_b:
                        changed = forest[a, b] + (codes_a[a] != codes_b[b])
                        trees[a, b] = forest[a + 1, b + 1] = min(least, changed)
                    else:
                        moved = forest[left_a[a], left_b[b]] + trees[a, b]
                        forest[a + 1, b + 1] = min(least, moved)
