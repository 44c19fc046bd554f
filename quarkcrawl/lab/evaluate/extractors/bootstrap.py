"""Is the difference of two macro F1 values more than chance? A paired bootstrap interval.

Both extractors are scored on the same pages, so the pages are drawn (with replacement) and the mean
difference of their F1 is taken for each draw; the interval holds the middle of those means (Efron
and Tibshirani, An Introduction to the Bootstrap, chapter 13). Pages of one host look alike; drawing
whole hosts instead of pages gives the wider, more honest interval for pages of other hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_DRAWS_AT_ONCE: Final = 1 << 22
"""Numbers drawn in one array operation: bounds the memory at 64 MB or so."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two macro values with its bootstrap interval.

    Args:
        mean: macro value of the first minus that of the second.
        low: lower end of the interval.
        high: upper end of the interval.
        p_better: share of the draws in which the first is better, ties counting half.
        n_pages: pages compared.
        n_groups: what was drawn: hosts, or pages.
    """

    mean: float
    low: float
    high: float
    p_better: float
    n_pages: int
    n_groups: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    *,
    groups: Sequence[object] | None = None,
    n_draws: int = 10_000,
    confidence: float = 0.95,
    seed: int = 2008,
) -> Difference:
    """Interval for the difference of two means over the same pages.

    Args:
        first: one value a page.
        second: one value for each of the same pages.
        groups: host of each page, to draw whole hosts; None draws pages.
        n_draws: bootstrap samples.
        confidence: share of the samples that the interval holds.
        seed: start of the random draws; the same seed gives the same interval.

    Raises:
        InputError: if there are no pages, or not the same number of values.
    """
    n_pages = len(first)
    if not n_pages or len(second) != n_pages or (groups is not None and len(groups) != n_pages):
        raise InputError("a paired bootstrap needs values and groups for the same pages")
    difference = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    sums, sizes = _by_group(difference, groups)
    means = _drawn_means(sums, sizes, n_draws, np.random.default_rng(seed))
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    better = float(np.mean(means > 0) + np.mean(means == 0) / 2)
    mean = float(difference.mean())
    return Difference(mean, float(low), float(high), better, n_pages, len(sums))


def _by_group(
    values: NDArray[np.float64], groups: Sequence[object] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if groups is None:
        return values, np.ones(len(values))
    numbers: dict[object, int] = {}
    index = np.array([numbers.setdefault(group, len(numbers)) for group in groups], np.intp)
    sums = np.bincount(index, values).astype(np.float64)
    return sums, np.bincount(index).astype(np.float64)


def _drawn_means(
    sums: NDArray[np.float64],
    sizes: NDArray[np.float64],
    n_draws: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    n_groups = len(sums)
    at_once = max(1, _DRAWS_AT_ONCE // n_groups)
    means: list[NDArray[np.float64]] = []
    for done in range(0, n_draws, at_once):
        drawn = random.integers(0, n_groups, (min(at_once, n_draws - done), n_groups))
        means.append(sums[drawn].sum(1) / sizes[drawn].sum(1))
    return np.concatenate(means)
