"""How many sites have how many pages, and which sizes stand out (spec cwt200g, step 6b).

The number of sites of a size falls along a line on log axes (CWT200g thesis, 3.1; slope -0.68 in
2004). Families of generated sites have equal sizes and lift single points off the line.
`fit_line` with `line_outliers` is the reading of the thesis: one straight line through all points
by least squares. `outliers` is ours: what is expected at a size is learned from the sizes around
it, with the points that stand out left aside, so that a bend of the curve is no outlier and
neighboring outliers do not hide each other. `fit_widest` is for a picture of any corpus: the
likeliest power law, on the widest range of sizes on which it is one, and none where none is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


MAX_OUTLIER_PAGES = 500
"""Sizes below this are looked at: above it most sizes have one site or none."""

_WINDOW_LOG = 0.35
_LEAST_NEIGHBORS = 4
_ROUNDS = 6
_DEVIATIONS = 4.0
_LEAST_EXCESS = 5.0
_LEAST_SIZE = 10
_CHANCE = 1e-5
_LEAST_SITES = 100
_LEAST_FACTOR = 10
_TOLERANCE = 0.05
_NOISE = 0.9  # over the root of the number of sites: chance alone, with a fitted slope (Lilliefors)
_SLOPES = np.arange(0.0, 4.005, 0.01)
_STARTS = 60
_EXACT = 1000


@dataclass(frozen=True, slots=True)
class SizeHistogram:
    """Sizes that occur, ascending, and the number of sites of each."""

    pages: NDArray[np.int64]
    sites: NDArray[np.int64]

    @classmethod
    def of(cls, pages: ArrayLike) -> SizeHistogram:
        """Count the sites of each size; sizes below 1 are passed over.

        Args:
            pages: pages of each site.
        """
        values = np.asarray(pages, np.int64)
        sizes, counts = np.unique(values[values > 0], return_counts=True)
        return cls(sizes, counts.astype(np.int64))

    def dense(self, below: int = MAX_OUTLIER_PAGES) -> NDArray[np.float64]:
        """Number of sites of each size from 0 to ``below`` - 1.

        Args:
            below: first size that is left out.
        """
        full = np.zeros(below)
        inside = self.pages < below
        full[self.pages[inside]] = self.sites[inside]
        return full


@dataclass(frozen=True, slots=True)
class ZipfLine:
    """log10(sites) = ``intercept`` + ``slope`` · log10(pages)."""

    slope: float
    intercept: float

    def at(self, pages: ArrayLike) -> NDArray[np.float64]:
        """Sites that the line gives for sizes."""
        logs = np.log10(np.asarray(pages, np.float64))
        return np.asarray(10 ** (self.intercept + self.slope * logs), np.float64)


def fit_line(histogram: SizeHistogram) -> ZipfLine | None:
    """Least squares on log axes over all sizes that occur; None below two sizes.

    Args:
        histogram: how many sites have each size.
    """
    if len(histogram.pages) < 2:
        return None
    x, y = np.log10(histogram.pages), np.log10(histogram.sites)
    slope, intercept = np.polyfit(x, y, 1)
    return ZipfLine(float(slope), float(intercept))


@dataclass(frozen=True, slots=True)
class ZipfFit:
    """A power law of the sizes from ``least_pages`` to ``most_pages``.

    Args:
        line: sites of each size, on log axes.
        n_sites: sites of these sizes.
        distance: by what share of these sites the law is wrong at most, at any size, of the
            number of sites up to it (Kolmogorov and Smirnov).
    """

    line: ZipfLine
    least_pages: int
    most_pages: int
    n_sites: int
    distance: float


def fit_widest(histogram: SizeHistogram) -> ZipfFit | None:
    """The likeliest power law (Clauset, Shalizi and Newman 2009) on the widest range that it fits.

    The range ends at the largest size and begins as early as the law is wrong by 5 % of the sites
    at most, or by what chance makes of so many. None if there is no such range with 100 sites and
    sizes that differ tenfold.

    Args:
        histogram: how many sites have each size.
    """
    sites = histogram.sites
    tail_sites = sites[::-1].cumsum()[::-1]
    pages = histogram.pages
    is_enough = (tail_sites >= _LEAST_SITES) & (pages * _LEAST_FACTOR <= pages[-1:])
    starts = np.flatnonzero(is_enough)
    if len(starts) > _STARTS:
        starts = np.unique(starts[np.geomspace(1, len(starts), _STARTS).astype(int) - 1])
    for start in starts.tolist():
        fit = _likeliest(pages[start:], sites[start:])
        if fit is not None and fit.distance <= max(_TOLERANCE, _NOISE / math.sqrt(fit.n_sites)):
            return fit
    return None


def _likeliest(pages: NDArray[np.int64], sites: NDArray[np.int64]) -> ZipfFit | None:
    """The slope between 0 and -4 that makes sizes likeliest, if it lies between these."""
    n_sites, least, most = int(sites.sum()), int(pages[0]), int(pages[-1])
    totals = _power_sums(least, np.array([most]), _SLOPES)[:, 0]
    likelihood = -_SLOPES * float(sites @ np.log(pages)) - n_sites * np.log(totals)
    best = int(likelihood.argmax())
    if not 0 < best < len(_SLOPES) - 1:
        return None
    ends = np.stack([pages, pages - 1], axis=-1).ravel()
    law = (_power_sums(least, ends, _SLOPES[best : best + 1])[0] / totals[best]).reshape(-1, 2)
    seen = sites.cumsum() / n_sites
    before = np.concatenate([[0.0], seen[:-1]])
    distance = max(np.abs(seen - law[:, 0]).max(), np.abs(before - law[:, 1]).max())
    slope = -float(_SLOPES[best])
    line = ZipfLine(slope, math.log10(n_sites / totals[best]))
    return ZipfFit(line, least, most, n_sites, float(distance))


def _power_sums(
    least: int, ends: NDArray[np.int64], slopes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sums of size ** -slope over all sizes from ``least`` to each end; slopes by ends.

    Above some size the sum is an integral, whose error is far below a thousandth there.
    """
    exact_end = max(least, _EXACT)
    powers = np.arange(least, exact_end + 1.0) ** -slopes[:, None]
    sums = np.concatenate([np.zeros((len(slopes), 1)), powers.cumsum(axis=1)], axis=1)
    inside = sums[:, np.clip(ends - least + 1, 0, exact_end - least + 1)]
    exponents = 1.0 - slopes[:, None]
    is_log = np.abs(exponents) < 1e-9
    safe = np.where(is_log, 1.0, exponents)
    low, high = exact_end + 0.5, np.maximum(ends, exact_end) + 0.5
    rest = np.where(is_log, np.log(high / low), (high**safe - low**safe) / safe)
    return np.asarray(inside + rest, np.float64)


def line_outliers(histogram: SizeHistogram, *, deviations: float = 3.0) -> NDArray[np.int64]:
    """Sizes that stand above the straight line of all points, as in the thesis.

    Args:
        histogram: sites per size.
        deviations: least distance, in standard deviations of the points from the line.
    """
    line = fit_line(histogram)
    if line is None:
        return np.empty(0, np.int64)
    distance = np.log10(histogram.sites) - np.log10(line.at(histogram.pages))
    stands_out = distance > deviations * distance.std()
    is_outlier = stands_out & (histogram.pages < MAX_OUTLIER_PAGES)
    return np.asarray(histogram.pages[is_outlier], np.int64)


def expected_sites(histogram: SizeHistogram) -> NDArray[np.float64]:
    """Sites expected at each size from 0 to 499, from the sizes around it.

    The mean over the sizes within a factor of 1.4, size by size brought to the same height by
    the middle slope of the curve; sizes far above it are left out and the mean is taken again.
    """
    counts = histogram.dense()
    slope = middle_slope(counts)
    expected = np.zeros(len(counts))
    for size in range(1, len(counts)):
        expected[size] = _local_mean(counts, size, slope)
    return expected


def middle_slope(counts: NDArray[np.float64]) -> float:
    """Slope of the curve on log axes, from the median number of sites in ranges of sizes.

    Least squares over single sizes (`fit_line`) are flatter: the many sizes with one site are
    points, those with none are not.
    """
    edges = np.unique(np.geomspace(1, len(counts), 16).astype(int))
    pairs = list(pairwise(edges.tolist()))
    middles = np.array([np.median(counts[low:high]) for low, high in pairs])
    sizes = np.array([np.sqrt(low * (high - 1)) for low, high in pairs])
    is_positive = middles > 0
    if is_positive.sum() < 2:
        return 0.0
    x, y = np.log(sizes[is_positive]), np.log(middles[is_positive])
    later, earlier = np.tril_indices(len(x), -1)
    slopes = (y[later] - y[earlier]) / (x[later] - x[earlier])  # of Theil and Sen
    return min(float(np.median(slopes)), 0.0)


def _local_mean(counts: NDArray[np.float64], size: int, slope: float) -> float:
    reach = np.exp(_WINDOW_LOG)
    low = min(int(size / reach), size - _LEAST_NEIGHBORS)
    high = max(int(size * reach), size + _LEAST_NEIGHBORS)
    around = np.arange(max(low, 1), min(high, len(counts) - 1) + 1)
    weight = (around / size) ** slope  # what a neighbor has where this size has 1
    seen = counts[around]
    level = float(np.median(seen / weight))
    for _ in range(_ROUNDS):
        bound = level * weight
        is_near = seen <= bound + 3.0 * np.sqrt(bound) + 1.0
        level = float(seen[is_near].sum() / weight[is_near].sum()) if is_near.any() else level
    return level


def outliers(histogram: SizeHistogram) -> NDArray[np.int64]:
    """Sizes below 500 with clearly more sites than the sizes around them let expect.

    Clearly: at least 5 sites and 4 standard deviations more, and by chance less than once in
    100,000 sizes; the deviation is that of counting, or that of the points from the curve where
    this is larger. Below ten pages, and next to the smallest size, the curve is too rough to tell.

    Args:
        histogram: how many sites have each size.
    """
    counts, expected = histogram.dense(), expected_sites(histogram)
    excess = counts - expected
    spread = _relative_spread(counts, expected)
    deviation = np.sqrt(np.maximum(expected, 1.0) + (spread * expected) ** 2)
    is_clear = (excess >= _LEAST_EXCESS) & (excess > _DEVIATIONS * deviation)
    smallest = int(histogram.pages[0]) if len(histogram.pages) else 0
    is_clear[: max(_LEAST_SIZE, int(smallest * np.exp(_WINDOW_LOG)))] = False
    outlier_sizes = [
        size
        for size in np.flatnonzero(is_clear).tolist()
        if poisson_tail(int(counts[size]), float(expected[size])) < _CHANCE
    ]
    return np.asarray(outlier_sizes, np.int64)


def poisson_tail(least: int, mean: float) -> float:
    """Probability of at least so many where fewer are expected."""
    if not mean:
        return 0.0
    chance = 0.0
    part = math.exp(least * math.log(mean) - mean - math.lgamma(least + 1))
    while chance + part > chance:
        chance += part
        least += 1
        part *= mean / least
    return chance


def _relative_spread(counts: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Scatter of the points around the curve beyond that of counting, as a ratio."""
    many = expected >= 20
    if many.sum() < 10:
        return 0.0
    ratio = counts[many] / expected[many] - 1
    scatter = 1.4826 * float(np.median(np.abs(ratio - np.median(ratio))))
    return float(np.sqrt(max(scatter**2 - float(np.median(1 / expected[many])), 0.0)))
