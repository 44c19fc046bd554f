"""One-permutation MinHash of four-grams, for comparison with the other methods.

The hashes of a text's four-grams fall into 128 bins and each bin keeps its least (Li, Owen, Zhang
2012); empty bins borrow from the next filled one, with an offset by the distance (Shrivastava, Li
2014). The share of equal bins estimates the Jaccard similarity of the sets of four-grams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.dedup.featurecode import letters_of, text_units
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


N_BINS: Final = 128
_EMPTY: Final = 0xFFFFFFFF
_ROWS: Final = 4  # of a band: of texts with J = .85, one in 10 ** 10 shares none of 32 bands
N_BANDS: Final = N_BINS // _ROWS


@compiled
def _mix(value: np.uint64) -> np.uint64:
    x = value
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def _fill(units: NDArray[np.uint32], bins: NDArray[np.uint32]) -> None:
    n_units = len(units)
    for start in range(max(n_units - 3, 1)):
        mixed = np.uint64(0)
        for place in range(start, min(start + 4, n_units)):
            mixed = (mixed ^ np.uint64(units[place])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        mixed = _mix(mixed)
        kept = mixed & np.uint64(127)
        bins[kept] = min(bins[kept], np.uint32(mixed >> np.uint64(33)))


@compiled
def _borrow(bins: NDArray[np.uint32], full: NDArray[np.uint32]) -> None:
    for place in range(128):
        for offset in range(128):
            found = bins[(place + offset) & 127]
            if found != np.uint32(0xFFFFFFFF):
                full[place] = found + np.uint32(offset) * np.uint32(0x9E3779B1)
                break


@compiled
def _band_keys(bins: NDArray[np.uint32], keys: NDArray[np.uint64]) -> None:
    n_rows = len(bins) // len(keys)
    for band in range(len(keys)):
        mixed = np.uint64(band + 1)
        for row in range(n_rows):
            mixed = _mix(mixed ^ np.uint64(bins[band * n_rows + row]))
        keys[band] = mixed


def minhash(text: str) -> NDArray[np.uint32]:
    """The 128 bins of a text; white space and punctuation do not count.

    Args:
        text: any text.
    """
    letters = letters_of(text)
    bins = np.full(N_BINS, _EMPTY, np.uint32)
    _fill(text_units(letters), bins)
    full = np.empty(N_BINS, np.uint32)
    _borrow(bins, full)
    return full


def estimated_jaccard(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> float:
    """Share of equal bins."""
    return float((first == second).mean())


def band_keys(bins: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Keys for looking up texts that are likely similar: they share at least one.

    Args:
        bins: MinHash of a text.
    """
    keys = np.empty(N_BANDS, np.uint64)
    _band_keys(bins, keys)
    return keys
