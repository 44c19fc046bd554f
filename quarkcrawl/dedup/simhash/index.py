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

from quarkcrawl.errors import ConfigError
from quarkcrawl.kernels import compiled

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


@compiled
def popcount(word: np.uint64) -> np.int64:
    """How many bits are set."""
    x = word
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def _band(value: np.uint64, start: int, stop: int) -> np.int64:
    if stop == start:
        return np.int64(0)
    mask = (np.uint64(1) << np.uint64(stop - start)) - np.uint64(1)
    return np.int64((value >> np.uint64(start)) & mask)


@compiled
def _chain(
    values: NDArray[np.uint64],
    first: int,
    cuts: NDArray[np.int64],
    heads: NDArray[np.int64],
    nexts: NDArray[np.int64],
) -> None:
    """Hang values into the chains, from the number ``first`` on."""
    for number in range(first, len(values)):
        for band in range(len(cuts) - 1):
            place = _band(values[number], cuts[band], cuts[band + 1])
            nexts[band, number] = heads[band, place]
            heads[band, place] = number


@compiled
def _sort(
    values: NDArray[np.uint64],
    cuts: NDArray[np.int64],
    starts: NDArray[np.int64],
    ordered: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
) -> None:
    """Counting sort by each band."""
    for band in range(len(cuts) - 1):
        for value in values:
            starts[band, _band(value, cuts[band], cuts[band + 1]) + 1] += 1
        for place in range(1, starts.shape[1]):
            starts[band, place] += starts[band, place - 1]
        ends = starts[band].copy()
        for number in range(len(values)):
            bucket = _band(values[number], cuts[band], cuts[band + 1])
            ordered[band, ends[bucket]] = values[number]
            numbers[band, ends[bucket]] = number
            ends[bucket] += 1


@compiled
def _take(
    number: int,
    differing: np.uint64,
    most: int,
    band: int,
    cuts: NDArray[np.int64],
    found: NDArray[np.int64],
    n_found: int,
) -> int:
    """Note a fingerprint that is near, at the first of the bands in which it is equal.

    Returns:
        How many are found now; they may be more than there is room for.
    """
    if popcount(differing) > most:
        return n_found
    for earlier in range(band):
        if _band(differing, cuts[earlier], cuts[earlier + 1]) == 0:
            return n_found
    if n_found < len(found):
        found[n_found] = number
    return n_found + 1


@compiled
def _search(
    value: np.uint64,
    most: int,
    cuts: NDArray[np.int64],
    in_order: tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint32]],
    in_chains: tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]],
    found: NDArray[np.int64],
) -> int:
    """Find what is near among what is sorted and in the chains."""
    starts, ordered, numbers = in_order
    chained, heads, nexts = in_chains
    n_found, n_sorted = 0, numbers.shape[1]
    for band in range(len(cuts) - 1):
        place = _band(value, cuts[band], cuts[band + 1])
        for at in range(starts[band, place], starts[band, place + 1]):
            differing = ordered[band, at] ^ value
            n_found = _take(numbers[band, at], differing, most, band, cuts, found, n_found)
        number = heads[band, place]
        while number >= 0:
            differing = chained[number] ^ value
            n_found = _take(n_sorted + number, differing, most, band, cuts, found, n_found)
            number = nexts[band, number]
    return n_found


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
            _chain(chained, first - base, self._cuts, self._heads, self._nexts)

    def _sort_all(self) -> None:
        """Sort what there is, and leave room for half as much in the chains."""
        n_bands, widest = len(self._cuts) - 1, int(np.diff(self._cuts).max())
        n_values = self._n_sorted = self._n_values
        self._starts = np.zeros((n_bands, (1 << widest) + 1), np.int64)
        self._ordered = np.empty((n_bands, n_values), np.uint64)
        self._numbers = np.empty((n_bands, n_values), np.uint32)
        values = self._values[:n_values]
        _sort(values, self._cuts, self._starts, self._ordered, self._numbers)
        self._heads = np.full((n_bands, 1 << widest), -1, np.int64)
        self._nexts = np.empty((n_bands, max(_FIRST_CAPACITY, n_values // 2)), np.int64)

    def find(self, value: int) -> list[SimhashMatch]:
        """All fingerprints within k bits, in the order in which they were added.

        Args:
            value: a fingerprint of 64 bits.
        """
        wanted = np.uint64(value)
        numbers = np.sort(self._search(wanted))
        distances = np.bitwise_count(self._values[numbers] ^ wanted)
        pairs = zip(numbers.tolist(), distances.tolist(), strict=True)
        return [SimhashMatch(number, distance) for number, distance in pairs]

    def _search(self, wanted: np.uint64) -> NDArray[np.int64]:
        """Numbers of what is near: among what is sorted, then in the chains."""
        in_order = (self._starts, self._ordered, self._numbers)
        in_chains = (self._values[self._n_sorted : self._n_values], self._heads, self._nexts)
        while True:
            found = self._found
            n_found = _search(wanted, self.k, self._cuts, in_order, in_chains, found)
            if n_found <= len(found):
                return found[:n_found]
            self._found = np.empty(2 * n_found, np.int64)

    def nearest(self, value: int) -> SimhashMatch | None:
        """The closest within k bits, the earliest if there are several.

        Args:
            value: a fingerprint of 64 bits.
        """
        return min(self.find(value), key=lambda match: match.distance, default=None)


def _cuts(k: int) -> NDArray[np.int64]:
    """Where the bands begin and end: k + 1 bands, or one without bits if they were too short."""
    if N_BITS // (k + 1) < _NARROWEST:
        return np.zeros(2, np.int64)
    n_bands = max(k + 1, 4)  # bands of more than 16 bits would have huge tables
    return np.arange(n_bands + 1) * N_BITS // n_bands
