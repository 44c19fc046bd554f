"""Paths from the root to each element, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.template.structure import CODE_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    HashArray = NDArray[np.uint64]


_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_MIXER: Final = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT: Final = np.uint64(29)
_BITS: Final = CODE_BITS


@compiled
def paths(tokens: IntArray) -> HashArray:
    """A hash of the path to each element of a sequence.

    Args:
        tokens: elements with their depths, in preorder.
    """
    found = np.zeros(len(tokens), np.uint64)
    open_paths = np.zeros(1 << 10, np.uint64)
    for place in range(len(tokens)):
        depth = tokens[place] >> _BITS
        above = open_paths[depth - 1] if depth > 0 else _SHIFT
        value = (above ^ np.uint64(tokens[place])) * _MULTIPLIER
        found[place] = value ^ (value >> _SHIFT)
        open_paths[depth] = found[place]
    return found


@compiled
def shingles(found: HashArray, width: int) -> HashArray:
    """A hash of each window of paths that follow each other; of one window if there are fewer.

    Args:
        found: the paths.
        width: paths in a window.
    """
    n = max(1, len(found) - width + 1) if len(found) else 0
    made = np.zeros(n, np.uint64)
    for place in range(n):
        value = _SHIFT
        for step in range(place, min(place + width, len(found))):
            value = (value ^ found[step]) * _MIXER
            value ^= value >> _SHIFT
        made[place] = value
    return made


def sketch(hashes: HashArray, size: int) -> HashArray:
    """The smallest of the distinct hashes.

    Args:
        hashes: any hashes.
        size: how many at most.
    """
    return np.unique(hashes)[:size]
