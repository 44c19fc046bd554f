"""Fingerprints within k bits of another, found by bands.

If two fingerprints differ in at most k bits and are cut into k + 1 bands, at least one band is
equal (Manku et al. 2007). For each band all fingerprints are kept sorted by it, so that those with
one value of the band stand side by side and are compared as fast as memory can be read. What has
been added since the last sort hangs in chains, one for each value of a band; when the chains have
grown long, everything is sorted anew. That is exact for any k; with large k the bands are short and
the look-up becomes a scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.dedup.loops import chain, find_near, sort_bands
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray


N_BITS: Final = 64
_NARROWEST: Final = 4  # with shorter bands, one list of all fingerprints is faster
_FIRST_CAPACITY: Final = 1024


class SimhashMatch(NamedTuple):
    """A fingerprint that is close enough.

    Args:
        number: when it was added, from 0.
        distance: how many bits differ.
    """

    number: int
    distance: int


def check_k(k: int) -> None:
    """Refuse a number of differing bits that there cannot be."""
    if not 0 <= k <= N_BITS:
        raise ConfigError(f"k must be between 0 and {N_BITS}", where="SimhashIndex")


class SimhashIndex:
    """A growing set of fingerprints.

    >>> index = SimhashIndex(k=3)
    >>> index.add(0b1111), index.find(0b1001), index.find(0)
    (0, [SimhashMatch(number=0, distance=2)], [])

    Args:
        k: most bits in which two fingerprints may differ, 0 to 64.

    Raises:
        ConfigError: k is not in that range.
    """

    def __init__(self, k: int = 3) -> None:
        check_k(k)
        self.k = k
        self._cuts = _cuts(k)
        self._values = np.empty(_FIRST_CAPACITY, np.uint64)
        self._found = np.empty(64, np.int64)
        self._n_values = 0
        self._sort_all()

    def __len__(self) -> int:
        return self._n_values

    @property
    def n_bytes(self) -> int:
        """Memory of the tables."""
        tables = (self._values, self._starts, self._ordered, self._numbers, self._heads)
        return self._nexts.nbytes + sum(table.nbytes for table in tables)

    def add(self, value: int) -> int:
        """Add a fingerprint; returns its number.

        Args:
            value: a fingerprint of 64 bits.
        """
        self.extend(np.array([value], np.uint64))
        return self._n_values - 1

    def extend(self, values: NDArray[np.uint64]) -> None:
        """Add many.

        Args:
            values: fingerprints of 64 bits.
        """
        first, stop = self._n_values, self._n_values + len(values)
        if stop > len(self._values):
            grown = np.empty(max(stop, len(self._values) * 3 // 2), np.uint64)
            grown[:first] = self._values[:first]
            self._values = grown
        self._values[first:stop] = values
        self._n_values = stop
        if stop - self._n_sorted > self._nexts.shape[1]:
            self._sort_all()
        else:
            chained, base = self._values[self._n_sorted : stop], self._n_sorted
            chain(chained, first - base, self._cuts, self._heads, self._nexts)

    def _sort_all(self) -> None:
        """Sort what there is, and leave room for half as much in the chains."""
        n_bands, widest = len(self._cuts) - 1, int(np.diff(self._cuts).max())
        n_values = self._n_sorted = self._n_values
        self._starts = np.zeros((n_bands, (1 << widest) + 1), np.int64)
        self._ordered = np.empty((n_bands, n_values), np.uint64)
        self._numbers = np.empty((n_bands, n_values), np.uint32)
        values = self._values[:n_values]
        ends = np.empty((1 << widest) + 1, np.int64)
        sort_bands(values, self._cuts, self._starts, ends, self._ordered, self._numbers)
        self._heads = np.full((n_bands, 1 << widest), -1, np.int64)
        self._nexts = np.empty((n_bands, max(_FIRST_CAPACITY, n_values // 2)), np.int64)

    def find(self, value: int) -> list[SimhashMatch]:
        """All fingerprints within k bits, in the order in which they were added.

        Args:
            value: a fingerprint of 64 bits.
        """
        numbers = self._search(value)
        numbers.sort()
        pairs = zip(numbers.tolist(), self._values[numbers].tolist(), strict=True)
        return [SimhashMatch(number, (near ^ value).bit_count()) for number, near in pairs]

    def _search(self, value: int) -> NDArray[np.int64]:
        """Numbers of what is near: among what is sorted, then in the chains."""
        in_order = (self._starts, self._ordered, self._numbers)
        in_chains = (self._values[self._n_sorted : self._n_values], self._heads, self._nexts)
        while True:
            matches = self._found
            n_found = find_near(value, self.k, self._cuts, *in_order, *in_chains, matches)
            if n_found <= len(matches):
                return matches[:n_found]
            self._found = np.empty(2 * n_found, np.int64)

    def nearest(self, value: int) -> SimhashMatch | None:
        """The closest within k bits, the earliest if there are several.

        Args:
            value: a fingerprint of 64 bits.
        """
        return min(self.find(value), key=lambda match: match.distance, default=None)


def _cuts(k: int) -> NDArray[np.uint64]:
    """Where the bands begin and end: k + 1 bands, or one without bits if they were too short."""
    if N_BITS // (k + 1) < _NARROWEST:
        return np.zeros(2, np.uint64)
    n_bands = max(k + 1, 4)  # bands of more than 16 bits would have huge tables
    return np.arange(n_bands + 1, dtype=np.uint64) * N_BITS // n_bands
