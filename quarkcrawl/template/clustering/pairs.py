"""All pairs of sequences that are similar enough, without looking at all pairs.

Two sequences that share at least ``s`` of the heavier one's weight share one of the rarest tokens
of each, those that come before its last ``s`` of weight (prefix filtering, Bayardo, Ma and Srikant,
WWW 2007, here for weighted bags). Pairs found so are bounded by their common bag of tokens, and
what passes is compared exactly. Nothing is lost: the result is that of comparing all pairs.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.template.clustering import loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.template.structure import SequenceSet

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


_ROOM: Final = 1024
"""Pairs that are at least looked for at once."""


class PairCounts(NamedTuple):
    """How much was pruned: pairs in all, sharing a rare token, within the bound, similar."""

    all: int
    sharing: int
    bounded: int
    similar: int


NO_PAIRS: Final = PairCounts(0, 0, 0, 0)


class Pairs(NamedTuple):
    """Pairs of sequences by number, and their similarity in parts of `lcs.ONE`."""

    a: IntArray
    b: IntArray
    similarity: IntArray
    counts: PairCounts


class _Features(NamedTuple):
    """Tokens of each sequence, the rarest first, the k-th of equal ones a feature of its own."""

    ids: NDArray[np.int32]
    weights: NDArray[np.int64]
    begin: NDArray[np.int64]
    prefix_end: NDArray[np.int64]
    posting: NDArray[np.int32]
    posting_begin: NDArray[np.int64]


def similar_pairs(items: SequenceSet, floor: int, workers: int = 1) -> Pairs:
    """Find all pairs whose similarity is at least ``floor``.

    Args:
        items: the sequences.
        floor: least similarity in parts of `quarkcrawl.template.clustering.ONE`, above 0.
        workers: threads.
    """
    n = len(items.total)
    order = np.argsort(items.total, kind="stable")  # the lighter of two comes first
    features = _features(items, order, floor)
    bounds = np.linspace(0, 1, 4 * workers + 1) ** 0.5 * n  # later ones meet more others
    edges = bounds.astype(np.int64)

    def part(k: int) -> tuple[IntArray, LongArray]:
        return _probe(edges[k], edges[k + 1], floor, items, order, features)

    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(part, range(len(edges) - 1)))
    rows = np.concatenate([np.zeros((0, 3), np.int32), *(rows for rows, _ in results)])
    sharing, bounded = np.sum([counts for _, counts in results], axis=0).tolist()
    counts = PairCounts(n * (n - 1) // 2, sharing, bounded, len(rows))
    return Pairs(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy(), counts)


def _features(items: SequenceSet, order: LongArray, floor: int) -> _Features:
    lengths = np.diff(items.begin)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    holder = np.repeat(rank, lengths)
    by_token = np.lexsort((items.tokens, holder))
    holder, tokens = holder[by_token], items.tokens[by_token].astype(np.int64)
    weights = items.weights[by_token]
    key = (tokens << 31) | _occurrence(holder, tokens)
    _, ids, n_holders = np.unique(key, return_inverse=True, return_counts=True)
    rarity = np.empty(len(n_holders), np.int64)
    rarity[np.argsort(n_holders, kind="stable")] = np.arange(len(n_holders))
    ids = rarity[ids]
    by_rarity = np.lexsort((ids, holder))
    ids, weights = ids[by_rarity].astype(np.int32), weights[by_rarity]
    begin = np.concatenate([[0], np.cumsum(lengths[order])]).astype(np.int64)
    prefix_end = np.empty(len(order), np.int64)
    loops.find_prefix_ends(begin, weights, items.total[order], floor, prefix_end)
    in_prefix = np.arange(len(ids)) < np.repeat(prefix_end, lengths[order])
    posting = holder[in_prefix].astype(np.int32)
    by_feature = np.argsort(ids[in_prefix], kind="stable")
    posting_begin = np.searchsorted(ids[in_prefix][by_feature], np.arange(len(rarity) + 1))
    return _Features(ids, weights, begin, prefix_end, posting[by_feature], posting_begin)


def _occurrence(holder: LongArray, tokens: LongArray) -> LongArray:
    """How many equal tokens of the same sequence come before each; both arrays are sorted."""
    places = np.arange(len(tokens))
    is_new = np.ones(len(tokens), np.bool_)
    is_new[1:] = (holder[1:] != holder[:-1]) | (tokens[1:] != tokens[:-1])
    return places - np.maximum.accumulate(np.where(is_new, places, 0))


def _probe(
    first: int, last: int, floor: int, items: SequenceSet, order: LongArray, features: _Features
) -> tuple[IntArray, LongArray]:
    """Similar pairs whose heavier member is in ``first … last``, and how many were looked at."""
    tokens, token_begin, token_weights, total, _ = items
    given = (tokens, token_begin, token_weights, total[order], order, *features)
    row, seen = items.row(), np.full(len(order), -1, np.int32)
    counts = np.zeros(3, np.int64)
    room = np.empty((_ROOM + len(order), 3), np.int32)
    chunks = [room[:0]]
    while first < last:
        first = loops.probe(first, last, floor, *given, row, seen, room, counts)
        chunks.append(room[: counts[2]].copy())
        counts[2] = 0
    return np.concatenate(chunks), counts[:2]
