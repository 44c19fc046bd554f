"""One-permutation MinHash of four-grams, for comparison with the other methods.

The hashes of a text's four-grams fall into 128 bins and each bin keeps its least (Li, Owen, Zhang
2012); empty bins borrow from the next filled one, with an offset by the distance (Shrivastava, Li
2014). The share of equal bins estimates the Jaccard similarity of the sets of four-grams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.dedup.featurecode import letters_of, text_units
from quarkcrawl.dedup.loops import hash_bands, hash_grams

if TYPE_CHECKING:
    from numpy.typing import NDArray


N_BINS: Final = 128
_EMPTY: Final = 0xFFFFFFFF
_ROWS: Final = 4  # of a band: of texts with J = .85, one in 10 ** 10 shares none of 32 bands
N_BANDS: Final = N_BINS // _ROWS


def minhash(text: str) -> NDArray[np.uint32]:
    """The 128 bins of a text; white space and punctuation do not count.

    Args:
        text: any text.
    """
    letters = letters_of(text)
    bins = np.full(N_BINS, _EMPTY, np.uint32)
    full = np.empty(N_BINS, np.uint32)
    hash_grams(text_units(letters), bins, full)
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
    hash_bands(bins, len(bins) // N_BANDS, keys)
    return keys
