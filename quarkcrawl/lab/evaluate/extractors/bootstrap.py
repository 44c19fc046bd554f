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
    from collections.abc import Iterator, Sequence

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
    number = _numbers(groups, n_pages)
    sums, sizes = np.bincount(number, difference), np.bincount(number)
    means = [drawn @ sums / (drawn @ sizes) for drawn in _draws(len(sizes), n_draws, seed)]
    return _compared(float(difference.mean()), np.concatenate(means), confidence, number)


def macro_difference(
    truth: Sequence[str],
    first: Sequence[str],
    second: Sequence[str],
    *,
    groups: Sequence[object] | None = None,
    n_draws: int = 2000,
    seed: int = 2008,
) -> Difference:
    """Macro F1 of the classes that one model gave to pages minus that of another.

    Macro F1 is no mean over pages, so it is computed anew for each draw.

    Args:
        truth: class of each page.
        first: classes that one model gave to the same pages.
        second: classes that the other model gave to them.
        groups: site of each page, to draw whole sites; None draws pages.
        n_draws: bootstrap samples.
        seed: start of the random draws; the same seed gives the same interval.
    """
    number = _numbers(groups, len(truth))

    def macro(predictions: Sequence[str], times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Macro F1 where each page counts so many times, a row a draw."""
        total, n_classes = np.zeros(len(times)), np.zeros(len(times))
        for name in sorted(set(truth)):
            is_truth, is_found = (
                np.array([one == name for one in of]) for of in (truth, predictions)
            )
            both, true, taken = (times @ mask for mask in (is_truth & is_found, is_truth, is_found))
            total += np.where(true > 0, 2 * both / np.maximum(true + taken, 1), 0)
            n_classes += true > 0  # a class of which no page was drawn has no F1
        return total / np.maximum(n_classes, 1)

    def difference(times: NDArray[np.int64]) -> NDArray[np.float64]:
        return macro(first, times) - macro(second, times)

    draws = _draws(int(number.max()) + 1, n_draws, seed)
    values = np.concatenate([difference(drawn[:, number]) for drawn in draws])
    once = np.ones((1, len(truth)), np.int64)
    return _compared(float(difference(once)[0]), values, 0.95, number)


def _numbers(groups: Sequence[object] | None, n_pages: int) -> NDArray[np.intp]:
    """Number of each page's group, by first appearance; each page its own without groups."""
    if groups is None:
        return np.arange(n_pages)
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], np.intp)


def _draws(n_groups: int, n_draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """How often each group is in each draw: a row a draw, some rows at a time."""
    random = np.random.default_rng(seed)
    at_once = max(1, _DRAWS_AT_ONCE // n_groups)
    for done in range(0, n_draws, at_once):
        n_rows = min(at_once, n_draws - done)
        drawn = random.integers(0, n_groups, (n_rows, n_groups))
        drawn += np.arange(n_rows)[:, None] * n_groups
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n_groups)
        yield counts.reshape(n_rows, n_groups)


def _compared(
    value: float, draws: NDArray[np.float64], confidence: float, number: NDArray[np.intp]
) -> Difference:
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    better = float(np.mean(draws > 0) + np.mean(draws == 0) / 2)
    return Difference(value, low, high, better, len(number), int(number.max()) + 1)
