"""Fingerprints within k bits of another, found by bands.

If two fingerprints differ in at most k bits and are cut into k + 1 bands, at least one band is
equal (Manku et al. 2007). Each band has a table of chains of the fingerprints with its value; a
look-up walks k + 1 chains and counts the differing bits of what it meets. That is exact for any k;
with large k the bands are short, the chains long, and the look-up becomes a scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["N_BITS", "SimhashIndex", "SimhashMatch"]

N_BITS: Final = 64
_NARROWEST: Final = 4  # with shorter bands, one chain of all fingerprints is faster
_FIRST_CAPACITY: Final = 1024


class SimhashMatch(NamedTuple):
    """A fingerprint that is close enough.

    Args:
        number: when it was added, from 0.
        distance: how many bits differ.
    """

    number: int
    distance: int


@compiled
def _popcount(word: np.uint64) -> np.int64:
    x = word
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def _band(value: np.uint64, start: int, stop: int) -> np.int64:
    mask = (np.uint64(1) << np.uint64(stop - start)) - np.uint64(1)
    return np.int64((value >> np.uint64(start)) & mask)


@compiled
def _insert(
    values: NDArray[np.uint64],
    first: int,
    stop: int,
    cuts: NDArray[np.int64],
    heads: NDArray[np.int32],
    nexts: NDArray[np.int32],
) -> None:
    for number in range(first, stop):
        for band in range(len(cuts) - 1):
            place = _band(values[number], cuts[band], cuts[band + 1])
            nexts[band, number] = heads[band, place]
            heads[band, place] = number


@compiled
def _search(
    value: np.uint64,
    most: int,
    values: NDArray[np.uint64],
    cuts: NDArray[np.int64],
    heads: NDArray[np.int32],
    nexts: NDArray[np.int32],
    found: NDArray[np.int64],
) -> int:
    """Numbers within the distance, each once: at the first band it shares."""
    n_found = 0
    for band in range(len(cuts) - 1):
        number = heads[band, _band(value, cuts[band], cuts[band + 1])]
        while number >= 0:
            differing = values[number] ^ value
            if _popcount(differing) <= most:
                fresh = True
                for earlier in range(band):
                    if _band(differing, cuts[earlier], cuts[earlier + 1]) == 0:
                        fresh = False
                        break
                if fresh:
                    if n_found < len(found):
                        found[n_found] = number
                    n_found += 1
            number = nexts[band, number]
    return n_found


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
        if not 0 <= k <= N_BITS:
            raise ConfigError(f"k must be between 0 and {N_BITS}", where="SimhashIndex")
        self.k = k
        n_bands = k + 1 if N_BITS // (k + 1) >= _NARROWEST else 0
        if n_bands:
            n_bands = max(n_bands, 4)  # bands of more than 16 bits would have huge tables
            self._cuts = np.arange(n_bands + 1) * N_BITS // n_bands
        else:
            self._cuts = np.zeros(2, np.int64)
        widest = int(np.diff(self._cuts).max())
        self._heads = np.full((len(self._cuts) - 1, 1 << widest), -1, np.int32)
        self._values = np.empty(_FIRST_CAPACITY, np.uint64)
        self._nexts = np.empty((len(self._cuts) - 1, _FIRST_CAPACITY), np.int32)
        self._found = np.empty(64, np.int64)
        self._n_values = 0

    def __len__(self) -> int:
        return self._n_values

    @property
    def n_bytes(self) -> int:
        """Memory of the tables."""
        return self._heads.nbytes + self._values.nbytes + self._nexts.nbytes

    def add(self, value: int) -> int:
        """Add a fingerprint; returns its number."""
        self.extend(np.array([value], np.uint64))
        return self._n_values - 1

    def extend(self, values: NDArray[np.uint64]) -> None:
        """Add many."""
        first, stop = self._n_values, self._n_values + len(values)
        if stop > len(self._values):
            self._grow(max(stop, len(self._values) * 3 // 2))
        self._values[first:stop] = values
        _insert(self._values, first, stop, self._cuts, self._heads, self._nexts)
        self._n_values = stop

    def _grow(self, capacity: int) -> None:
        values = np.empty(capacity, np.uint64)
        nexts = np.empty((len(self._nexts), capacity), np.int32)
        values[: self._n_values] = self._values[: self._n_values]
        nexts[:, : self._n_values] = self._nexts[:, : self._n_values]
        self._values, self._nexts = values, nexts

    def find(self, value: int) -> list[SimhashMatch]:
        """All fingerprints within k bits, in the order in which they were added."""
        wanted = np.uint64(value)
        while True:
            tables = (self._values, self._cuts, self._heads, self._nexts)
            n_found = _search(wanted, self.k, *tables, self._found)
            if n_found <= len(self._found):
                break
            self._found = np.empty(2 * n_found, np.int64)
        numbers = np.sort(self._found[:n_found])
        distances = np.bitwise_count(self._values[numbers] ^ wanted)
        pairs = zip(numbers.tolist(), distances.tolist(), strict=True)
        return [SimhashMatch(number, distance) for number, distance in pairs]

    def nearest(self, value: int) -> SimhashMatch | None:
        """The closest within k bits, the earliest if there are several."""
        return min(self.find(value), key=lambda match: match.distance, default=None)
