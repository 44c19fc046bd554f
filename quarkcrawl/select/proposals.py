"""Spam families: domains whose hosts are too much alike in size (spec cwt200g, step 6b).

The hosts behind the outlying sizes are grouped by registered domain. A domain is proposed with one
of two kinds of evidence:

``outlier_sizes``
    at least half of its hosts have an outlying size, where chance gives far fewer. So the thesis
    found its families, by hand.
``one_size``
    at least half of its hosts lie within one narrow range of sizes (a quarter wide), or nearly all
    within a factor of about two. These are families too small, or at sizes too frequent, to lift a
    point off the line; the thesis looked for them by reading the list of sites.

Chance is the binomial tail under the curve of all sites. A hosting service with many honest sites
has them in all sizes, and is not proposed. Sizes that a later step drops anyway (below ten pages),
where the curve is rough and most honest sites are, are no evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.page.urls import registered_domain
from quarkcrawl.select.zipf import (
    MAX_OUTLIER_PAGES,
    SizeHistogram,
    expected_sites,
    line_outliers,
    outliers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


OutlierMethod = Literal["default", "outlier-sizes", "line"]
"""How families of sites are found."""

OUTLIER_METHODS: Final[tuple[str, ...]] = get_args(OutlierMethod)
SAMPLE_SITES = 5
LEAST_HOSTS: Final = 5
_LEAST_SHARE: Final = 0.5
_CHANCE: Final = 1e-6
_RANGES: Final = ((1.25, 0.5, _CHANCE), (2.2, 0.85, 1e-10))
"""Widths of a range of sizes, as ratios; share of a family's hosts that must lie in it; chance."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A domain that looks like a family of generated sites.

    Args:
        domain: registered domain.
        hosts: its hosts among those that are left.
        alike: hosts of the sizes that speak against it.
        low_pages: smallest of these sizes.
        high_pages: largest of these sizes.
        evidence: ``outlier_sizes`` or ``one_size``.
        chance: probability of so many alike among so many hosts by chance.
        samples: up to five sites for a person to look at.
    """

    domain: str
    hosts: int
    alike: int
    low_pages: int
    high_pages: int
    evidence: str
    chance: float
    samples: tuple[str, ...]


def check_outlier_method(method: str) -> None:
    """See that there is such a method.

    Raises:
        ConfigError: there is none.
    """
    if method not in OUTLIER_METHODS:
        there_are = ", ".join(OUTLIER_METHODS)
        raise ConfigError(f"no method {method!r}; there are {there_are}", where="outliers")


def propose(
    hosts: Sequence[str],
    pages: Sequence[int],
    *,
    method: str = "default",
    least_pages: int = 10,
    seed: int = 0,
) -> list[Proposal]:
    """Find domains that look like families of generated sites.

    Args:
        hosts: host keys that are left after the steps before.
        pages: pages of each.
        method: ``default``; ``outlier-sizes`` without the second kind of evidence; ``line``, the
            same with outliers from one straight line, the reading of the thesis.
        least_pages: smaller sizes are no evidence.
        seed: decides which five sites are drawn.

    Returns:
        Proposals, the one with the most hosts first.

    Raises:
        ConfigError: unknown method.
    """
    check_outlier_method(method)
    sizes = np.asarray(pages, np.int64)
    curve = _Curve.of(sizes, method, least_pages)
    proposals = []
    for domain, family in _families(hosts, sizes).items():
        members = np.array(family)
        own = np.sort(sizes[members])
        verdict = _by_outliers(own, curve)
        if verdict is None and method == "default":
            verdict = _by_one_size(own, curve)
        if verdict is None:
            continue
        evidence, alike, chance = verdict
        inside = members[np.isin(sizes[members], alike)]
        samples = _drawn([hosts[index] for index in inside.tolist()], seed)
        low, high = int(alike.min()), int(alike.max())
        proposals.append(
            Proposal(domain, len(own), len(alike), low, high, evidence, chance, samples)
        )
    return sorted(proposals, key=lambda one: (-one.hosts, one.domain))


@dataclass(frozen=True, slots=True)
class _Curve:
    """What is expected: share of sites of each size below 500, summed; which sizes stand out."""

    least_pages: int
    summed: NDArray[np.float64]
    is_outlier: NDArray[np.bool_]

    @classmethod
    def of(cls, sizes: NDArray[np.int64], method: str, least_pages: int) -> _Curve:
        histogram = SizeHistogram.of(sizes)
        outlier_sizes = line_outliers(histogram) if method == "line" else outliers(histogram)
        expected = expected_sites(histogram)
        total = expected.sum() + np.count_nonzero(sizes >= MAX_OUTLIER_PAGES)
        is_outlier = np.zeros(MAX_OUTLIER_PAGES, np.bool_)
        is_outlier[outlier_sizes[outlier_sizes >= least_pages]] = True
        return cls(
            least_pages, np.concatenate([[0.0], np.cumsum(expected / max(total, 1.0))]), is_outlier
        )

    def outlier_share(self) -> float:
        return float(np.diff(self.summed)[self.is_outlier].sum())

    def share(self, low: int, high: int) -> float:
        """Share of sites with ``low`` to ``high`` pages."""
        return float(self.summed[min(high + 1, MAX_OUTLIER_PAGES)] - self.summed[low])

    def evidence(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sizes among ``own``, ascending, that can be evidence."""
        return own[(own >= self.least_pages) & (own < MAX_OUTLIER_PAGES)]


def _families(hosts: Sequence[str], sizes: NDArray[np.int64]) -> dict[str, list[int]]:
    """Indices of the hosts of each registered domain that has enough of them."""
    families: dict[str, list[int]] = {}
    for index, host in enumerate(hosts):
        if sizes[index] > 0:
            families.setdefault(registered_domain(host), []).append(index)
    return {name: members for name, members in families.items() if len(members) >= LEAST_HOSTS}


_Found = tuple[str, "NDArray[np.int64]", float]
"""Kind of evidence, the sizes that are it, the chance of so many."""


def _by_outliers(own: NDArray[np.int64], curve: _Curve) -> _Found | None:
    """Hosts of outlying sizes."""
    sizes = curve.evidence(own)
    alike = sizes[curve.is_outlier[sizes]]
    chance = binomial_tail(len(alike), len(own), curve.outlier_share())
    convinces = _is_many(len(alike), len(own), _LEAST_SHARE) and chance < _CHANCE
    return ("outlier_sizes", alike, chance) if convinces else None


def _by_one_size(own: NDArray[np.int64], curve: _Curve) -> _Found | None:
    """Hosts within the narrow range of sizes that has most of them."""
    sizes = curve.evidence(own)
    for width, share, least_chance in _RANGES:
        ends = np.searchsorted(sizes, np.maximum(sizes * width, sizes + 1), "right")
        counts = ends - np.arange(len(sizes))
        if not _is_many(int(counts.max(initial=0)), len(own), share):
            continue
        at = int(np.argmax(counts))
        alike = sizes[at : ends[at]]
        chance = binomial_tail(len(alike), len(own), curve.share(int(alike[0]), int(alike[-1])))
        if chance * len(own) < least_chance:  # any of the hosts could begin the range
            return "one_size", alike, min(1.0, chance * len(own))
    return None


def _is_many(alike: int, total: int, share: float) -> bool:
    return alike >= LEAST_HOSTS and alike >= share * total


def binomial_tail(successes: int, trials: int, probability: float) -> float:
    """Probability of at least so many successes."""
    if probability >= 1:
        return 1.0
    log_yes, log_no = math.log(max(probability, 1e-9)), math.log1p(-max(probability, 1e-9))
    orders = math.lgamma(trials + 1)
    parts = (
        math.exp(
            orders - math.lgamma(n + 1) - math.lgamma(trials - n + 1)
            + n * log_yes + (trials - n) * log_no
        )
        for n in range(successes, trials + 1)
    )  # fmt: skip
    return min(math.fsum(parts), 1.0)


def _drawn(names: list[str], seed: int) -> tuple[str, ...]:
    """Five names, the same for the same seed, whatever else is in the list."""

    def draw(name: str) -> bytes:
        return blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()

    return tuple(sorted(sorted(names, key=draw)[:SAMPLE_SITES]))
