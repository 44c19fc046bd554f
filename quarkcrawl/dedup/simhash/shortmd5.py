"""MD5 of the four-grams of a text, sixteen at a time, and the sums of their bits.

The simhash package hashes each four-gram of a text with MD5 (RFC 1321) and keeps the last eight
bytes. Four characters are at most sixteen bytes of UTF-8, hence one block of MD5; the kernel walks
through the 64 steps with sixteen blocks side by side, which the compiler turns into vector code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.dedup.loops import sum_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SINES: Final = np.floor(np.abs(np.sin(np.arange(1, 65))) * 2.0**32).astype(np.uint32)
_TURNS: Final = np.repeat(
    np.array([[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]], np.uint32), 4, 0
).ravel()


def _places() -> NDArray[np.int64]:
    """Where the bits of the last two words of a digest stand in it, read as one number."""
    bit = np.arange(32)
    place = 8 * (bit // 8) + 7 - bit % 8  # from the first byte of the word, highest bit first
    return np.concatenate([place, 32 + place])


_PLACES: Final = _places()


def four_gram_bits(text: str) -> tuple[NDArray[np.int64], int]:
    """Add up the last 64 bits of the MD5 of all four-grams; a shorter text is one shorter gram.

    Returns:
        How many digests have each bit set, the highest bit first, and the number of digests.
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    counts = np.zeros(64, np.int64)
    n_grams = sum_bits(data, _SINES, _TURNS, counts)
    ordered = np.empty(64, np.int64)
    ordered[_PLACES] = counts
    return ordered, n_grams
