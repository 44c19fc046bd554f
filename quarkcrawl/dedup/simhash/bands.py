"""Which bits of fingerprints to compare: masks for finding all pairs within k bits.

Cut 64 bits into k + r blocks: two values that differ in at most k bits agree on at least r of
them (Manku, Jain, Das Sarma 2007, section 3). So each choice of r blocks is a mask, and values
that are near agree on all bits of some mask. With larger r there are more masks and fewer values
that agree by chance; which r is cheapest depends on how many values there are.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.dedup.loops import flatten, link_near
from quarkcrawl.dedup.simhash.index import N_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray


_ONES: Final = np.bitwise_count(np.arange(1 << 13, dtype=np.uint16))
_MOST_MASKS: Final = 128
_ROW_COST: Final = 200.0  # of writing, reading and sorting a row, in comparisons


def band_masks(k: int, n_values: int) -> NDArray[np.uint64]:
    """Masks of which at least one finds any two values within k bits.

    Args:
        k: most differing bits, 0 to 64.
        n_values: how many values there are.
    """
    _, r = min((_cost(k, r, n_values), r) for r in range(N_BITS - k + 1))
    cuts = [N_BITS * block // max(k + r, 1) for block in range(k + r + 1)]
    blocks = [(1 << stop) - (1 << start) for start, stop in pairwise(cuts)]
    return np.array([sum(masks) for masks in combinations(blocks, r)], np.uint64)


def _cost(k: int, r: int, n_values: int) -> float:
    """Of finding the pairs, for a value, in comparisons."""
    n_masks = comb(k + r, r)
    if n_masks > _MOST_MASKS:
        return float("inf")
    n_bits = N_BITS * r // max(k + r, 1)
    return n_masks * (_ROW_COST + n_values / 2.0 ** (n_bits + 1))


def masked_keys(values: NDArray[np.uint64], masks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Search keys of values, a row each: near values share at least one.

    Args:
        values: simhashes.
        masks: bits of each search key.
    """
    mixed = (values[:, None] & masks) ^ np.arange(len(masks), dtype=np.uint64)[::-1] * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    keys: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return keys


_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


def near_links(
    keys: NDArray[np.uint64], values: NDArray[np.uint64], numbers: NDArray[np.uint32], k: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Pairs of numbers that connect whatever is within k bits and shares a key.

    Not all pairs: as few as are needed that two texts are connected by a chain of them if they
    are by a chain of near ones.

    Args:
        keys: one a row, as `masked_keys` gives them.
        values: the fingerprint of the row.
        numbers: the text of the row.
        k: most differing bits.
    """
    order = np.lexsort((values, keys))
    parents = np.arange(len(order), dtype=np.uint32)
    link_near(keys[order], values[order], k, _ONES, parents, np.empty_like(parents))
    flatten(parents)
    numbers = numbers[order]
    linked = parents != np.arange(len(order), dtype=np.uint32)
    return numbers[parents[linked]], numbers[linked]
