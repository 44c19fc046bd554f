"""Heaviest common subsequence of two sequences, and the similarity it gives (thesis, chapter 4).

Equal ends are cut off first, which is exact because equal tokens have equal weights; two rows of
memory; most of what is alike is found near the diagonal (a band, with a proof that nothing
heavier lies outside); a comparison that can no longer reach what is asked of it stops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.template.clustering import loops
from quarkcrawl.template.clustering.loops import ratio
from quarkcrawl.template.structure import token_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import TagSequence

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


ONE: Final = loops.one()
"""Similarities are whole numbers of this part inside, so that sums of them are exact."""


def similarity(a: TagSequence, b: TagSequence, weight: str = "inverse") -> float:
    """Weight of the heaviest common subsequence over the weight of the heavier page, 0–1.

    Args:
        a: a page.
        b: another.
        weight: one of `quarkcrawl.template.structure.weights.WEIGHTS`.

    Returns:
        1 for equal sequences only; an empty one is like no other but an empty one.
    """
    heavy_a, heavy_b = token_weights(a.tokens, weight), token_weights(b.tokens, weight)
    most = max(int(heavy_a.sum()), int(heavy_b.sum()))
    return ratio(common_weight(a.tokens, b.tokens, heavy_a, 0), most) / ONE


def similarity_bound(a: TagSequence, b: TagSequence, weight: str = "inverse") -> float:
    """An upper bound of `similarity` that ignores the order of elements.

    Args:
        a: a sequence.
        b: another.
        weight: one of `quarkcrawl.template.structure.weights.WEIGHTS`.
    """
    most = max(int(token_weights(s.tokens, weight).sum()) for s in (a, b))
    tokens, n_a = np.unique(a.tokens, return_counts=True)
    others, n_b = np.unique(b.tokens, return_counts=True)
    shared, place_a, place_b = np.intersect1d(tokens, others, return_indices=True)
    n_both = np.minimum(n_a[place_a], n_b[place_b])
    return ratio(int((token_weights(shared, weight) * n_both).sum()), most) / ONE


def common_weight(a: IntArray, b: IntArray, weights_a: LongArray, least: int) -> int:
    """Weight of the heaviest common subsequence; -1 as soon as it must be below ``least``.

    Args:
        a: tokens.
        b: tokens.
        weights_a: weight of each token of ``a``.
        least: what the caller wants to know about; 0 for the weight in any case.
    """
    row = np.empty(len(b) + 1, np.int64)
    return loops.common_weight(a, 0, len(a), b, 0, len(b), weights_a, least, row)


def align(a: IntArray, b: IntArray, weights_a: LongArray) -> tuple[IntArray, IntArray]:
    """Positions of one heaviest common subsequence in both sequences.

    Of several, the one is taken that a walk back from the ends finds which prefers a match, then
    a step in ``a``, then a step in ``b``. Takes a byte for each pair of elements before the equal
    ends.

    Args:
        a: tokens.
        b: tokens.
        weights_a: weight of each token of ``a``.
    """
    places = np.empty((2, min(len(a), len(b))), np.int32)
    is_step = np.empty(len(a) * len(b), np.bool_)  # what is not written takes no memory
    start = loops.align(a, b, weights_a, np.zeros(len(b) + 1, np.int64), is_step, places)
    return places[0, start:], places[1, start:]
