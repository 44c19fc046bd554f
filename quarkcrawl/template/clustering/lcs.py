"""Heaviest common subsequence of two sequences, and the similarity it gives (thesis, chapter 4).

Equal ends are cut off first, which is exact because equal tokens have equal weights; two rows of
memory; most of what is alike is found near the diagonal (a band, with a proof that nothing
heavier lies outside); a comparison that can no longer reach what is asked of it stops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.template.structure import token_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import TagSequence

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]


ONE: Final = 1 << 24
"""Similarities are whole numbers of this part inside, so that sums of them are exact."""

_BAND: Final = 5


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


@compiled
def ratio(common: int, most: int) -> int:
    """Similarity from weights, in parts of `ONE`; two empty sequences are equal."""
    return common * ONE // most if most > 0 else ONE


@compiled
def needed(floor: int, most: int) -> int:
    """Least common weight whose `ratio` is at least ``floor``."""
    return -(-floor * most // ONE)


@compiled
def common_weight(a: IntArray, b: IntArray, weights_a: LongArray, least: int) -> int:
    """Weight of the heaviest common subsequence; -1 as soon as it must be below ``least``.

    Args:
        a: tokens.
        b: tokens.
        weights_a: weight of each token of ``a``.
        least: what the caller wants to know about; 0 for the weight in any case.
    """
    n_a, n_b, head, ends = len(a), len(b), 0, 0
    while head < n_a and head < n_b and a[head] == b[head]:
        ends += weights_a[head]
        head += 1
    while n_a > head and n_b > head and a[n_a - 1] == b[n_b - 1]:
        n_a, n_b = n_a - 1, n_b - 1
        ends += weights_a[n_a]
    if head in (n_a, n_b):
        return ends if ends >= least else -1
    return _middle_weight(a[head:n_a], b[head:n_b], weights_a[head:n_a], ends, least)


@compiled
def _middle_weight(a: IntArray, b: IntArray, weights: LongArray, ends: int, least: int) -> int:
    """The weight where the ends differ: first near the diagonal, then wherever it may be.

    A path that leaves a band around the diagonal passes over so many tokens of ``a`` that it can
    weigh no more than what is left of them; what is found inside is often at least that.
    """
    rest = weights.sum()
    surplus = max(0, len(a) - len(b))
    spare = min(len(a), len(b))
    if spare > 3 * _BAND:
        inside = ends + _banded(a, b, weights)
        outside = ends + rest - (surplus + _BAND + 1) * weights.min()
        if inside >= outside:
            return inside if inside >= least else -1
        if max(inside, outside) < least:
            return -1
    row = np.zeros(len(b) + 1, np.int64)
    for i in range(len(a)):
        if ends + row[-1] + rest < least:
            return -1
        rest -= weights[i]
        _next_row(row, b, a[i], weights[i])
    return ends + row[-1] if ends + row[-1] >= least else -1


@compiled
def _banded(a: IntArray, b: IntArray, weights: LongArray) -> int:
    """Weight of the heaviest common subsequence near the diagonal."""
    n_a, n_b = len(a), len(b)
    low, high = min(0, n_b - n_a) - _BAND, max(0, n_b - n_a) + _BAND
    row = np.zeros(n_b + 1, np.int64)
    for i in range(n_a):
        token, weight = a[i], weights[i]
        first, last = max(0, i + low), min(n_b, i + high + 1)
        diagonal = row[first]
        before = row[first]
        for j in range(first, last):
            above = row[j + 1]
            value = diagonal + weight if b[j] == token else max(above, before)
            row[j + 1] = before = value
            diagonal = above
        if last < n_b:
            row[last + 1] = row[last]
    return int(row[n_b])


@compiled
def _next_row(row: LongArray, b: IntArray, token: int, weight: int) -> None:
    diagonal = row[0]
    for j in range(len(b)):
        above = row[j + 1]
        if b[j] == token:
            row[j + 1] = diagonal + weight
        elif row[j] > above:
            row[j + 1] = row[j]
        diagonal = above


@compiled
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
    i, j, n = len(a), len(b), 0
    places_a = np.empty(min(i, j), np.int32)
    places_b = np.empty(min(i, j), np.int32)
    while i > 0 and j > 0 and a[i - 1] == b[j - 1]:
        i, j = i - 1, j - 1
        places_a[n], places_b[n] = i, j
        n += 1
    steps_in_a = _steps_in_a(a[:i], b[:j], weights_a)
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            i, j = i - 1, j - 1
            places_a[n], places_b[n] = i, j
            n += 1
        elif steps_in_a[i - 1, j - 1]:
            i -= 1
        else:
            j -= 1
    return places_a[:n][::-1].copy(), places_b[:n][::-1].copy()


@compiled
def _steps_in_a(a: IntArray, b: IntArray, weights_a: LongArray) -> BoolArray:
    """For each pair of elements that differ whether nothing is lost without that of ``a``."""
    steps = np.empty((len(a), len(b)), np.bool_)
    row = np.zeros(len(b) + 1, np.int64)
    for i in range(len(a)):
        diagonal = row[0]
        for j in range(len(b)):
            above = row[j + 1]
            steps[i, j] = above >= row[j]
            row[j + 1] = diagonal + weights_a[i] if a[i] == b[j] else max(above, row[j])
            diagonal = above
    return steps
