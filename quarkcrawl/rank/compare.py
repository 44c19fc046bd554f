"""How two rankings of the same pages differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import InputError
from quarkcrawl.rank.loops import count_inversions
from quarkcrawl.rank.toplist import pages_of, urls_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    DoubleArray = NDArray[np.float64]


_DIGITS: Final = 9
"""Ranks that agree to so many digits are ties; what differs further on is rounding."""


@dataclass(frozen=True, slots=True)
class Mover:
    """A page whose rank differs.

    Args:
        url: the page.
        rank: its ranks in the first and the second ranking, each summing to 1 over the pages
            that are compared.
        position: its places in the two, from 1; pages with equal ranks share the mean of theirs.
    """

    url: str
    rank: tuple[float, float]
    position: tuple[float, float]


@dataclass(frozen=True, slots=True)
class RankingComparison:
    """What two rankings have in common.

    Args:
        pages: pages in both, which are compared.
        only: pages in only the first, and in only the second.
        kendall_tau: Kendall's tau-b of all pages; NaN for fewer than two, or if one ranking has
            all pages alike.
        overlap: for each k, the part of the first k pages that both have, 0–1.
        l1: sum of absolute differences of rank, 0–2.
        gained: pages with the highest gain from the first to the second.
        lost: pages with the highest loss.
    """

    pages: int
    only: tuple[int, int]
    kendall_tau: float
    overlap: dict[int, float]
    l1: float
    gained: tuple[Mover, ...]
    lost: tuple[Mover, ...]


def positions(ranks: DoubleArray) -> DoubleArray:
    """Place of each page, from 1; equal ranks share the mean of their places.

    >>> positions(np.array([0.2, 0.5, 0.2, 0.1])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, place, n_equal = np.unique(-_rounded(ranks), return_inverse=True, return_counts=True)
    places: DoubleArray = (np.cumsum(n_equal) - (n_equal - 1) / 2)[place]
    return places


def _rounded(ranks: DoubleArray) -> DoubleArray:
    with np.errstate(divide="ignore"):
        scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(ranks)))
    finite = np.where(np.isfinite(scale), scale, 1.0)
    return np.where(ranks > 0, np.round(ranks * finite) / finite, 0.0)


def kendall_tau(first: DoubleArray, second: DoubleArray) -> float:
    """Kendall's tau-b (1945): −1 for opposite orders, 1 for equal ones; ties are allowed for."""
    _, one, ties_one = np.unique(_rounded(first), return_inverse=True, return_counts=True)
    _, two, ties_two = np.unique(_rounded(second), return_inverse=True, return_counts=True)
    _, ties_both = np.unique(one * len(first) + two, return_counts=True)
    n_pairs, tied_both = _pairs(np.array([len(first)])), _pairs(ties_both)
    differ_one, differ_two = n_pairs - _pairs(ties_one), n_pairs - _pairs(ties_two)
    if not (differ_one and differ_two):
        return float("nan")
    order = np.lexsort((two, one))
    discordant = count_inversions(two[order] + 1, np.zeros(len(ties_two) + 1, np.int64))
    balance = differ_one + differ_two - n_pairs + tied_both - 2 * discordant
    tau = balance / math.sqrt(differ_one) / math.sqrt(differ_two)
    return min(max(tau, -1.0), 1.0)


def _pairs(counts: NDArray[np.int64]) -> int:
    """Pairs within groups of so many."""
    return int((counts * (counts - 1) // 2).sum())


def overlap_at(first: DoubleArray, second: DoubleArray, k: int) -> float:
    """Part of the first k pages of one ranking that are among the first k of the other.

    Ties are broken by the order in which the pages are given, in both rankings alike.
    """
    k = min(k, len(first))
    if not k:
        return 0.0
    one, two = (np.argsort(-_rounded(ranks), kind="stable")[:k] for ranks in (first, second))
    return len(np.intersect1d(one, two)) / k


def compare_ranks(
    first: pa.Table,
    second: pa.Table,
    *,
    ks: Sequence[int] = (10, 20, 100, 1000),
    movers: int = 10,
) -> RankingComparison:
    """Compare two rankings over the stored pages that both have.

    Args:
        first: a table with ``url``, ``rank`` and ``is_page``, see `quarkcrawl.rank.read_ranks`.
        second: another.
        ks: lengths of the top lists to compare; those longer than there are pages are left out.
        movers: how many pages to list that gained, and that lost.

    Raises:
        InputError: they have no page in common, or one has no ranks of pages.
    """
    one, two = pages_of(first), pages_of(second)
    urls_one, urls_two = urls_of(one), urls_of(two)
    place = pc.index_in(urls_one, value_set=urls_two)
    shared = pc.is_valid(place)
    urls = urls_one.filter(shared)
    n = len(urls)
    if not n:
        raise InputError("the two rankings have no page in common", where="compare")
    a = _shares(one.column("rank").filter(shared))
    b = _shares(two.column("rank").take(place.filter(shared)))
    return RankingComparison(
        pages=n,
        only=(one.num_rows - n, two.num_rows - n),
        kendall_tau=kendall_tau(a, b),
        overlap={k: overlap_at(a, b, k) for k in ks if k <= n},
        l1=float(np.abs(a - b).sum()),
        gained=_movers(urls, a, b, movers),
        lost=tuple(
            Mover(m.url, (m.rank[1], m.rank[0]), (m.position[1], m.position[0]))
            for m in _movers(urls, b, a, movers)
        ),
    )


def _shares(ranks: pa.ChunkedArray) -> DoubleArray:
    values: DoubleArray = ranks.to_numpy().astype(np.float64)
    total = float(values.sum())
    if total > 0:
        values /= total
    return values


def _movers(urls: pa.Array, a: DoubleArray, b: DoubleArray, n: int) -> tuple[Mover, ...]:
    """The pages that gained most from a to b."""
    gain = b - a
    order = np.argsort(-gain, kind="stable")[:n]
    order = order[gain[order] > 0]
    before, after = positions(a), positions(b)
    return tuple(
        Mover(
            urls[int(k)].as_py(),
            (float(a[k]), float(b[k])),
            (float(before[k]), float(after[k])),
        )
        for k in order
    )
