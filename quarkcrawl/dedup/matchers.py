"""Single pass over texts by simhash or MinHash, in the form of `CodeIndex`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quarkcrawl.dedup.featurecode import code_text
from quarkcrawl.dedup.minhash import band_keys, estimated_jaccard, minhash
from quarkcrawl.dedup.simhash import SimhashIndex, simhash, simhash_of_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class WithinBits(NamedTuple):
    """Why simhash puts a text into a class: first member, number of differing bits."""

    first: int
    distance: int


class SimhashMatcher:
    """Classes by simhash: within k bits of the first member.

    Args:
        k: most differing bits.
        words: whether words are hashed instead of four-grams.
    """

    def __init__(self, k: int = 3, *, words: bool = False) -> None:
        self._index = SimhashIndex(k)
        self._hash = simhash_of_words if words else simhash
        self._firsts: list[int] = []
        self._n_texts = 0

    def add(self, text: str) -> WithinBits | None:
        """Put a text into its class; None if it is the first of a new one."""
        value = self._hash(text)
        near = self._index.nearest(value)
        number, self._n_texts = self._n_texts, self._n_texts + 1
        if near is not None:
            return WithinBits(self._firsts[near.number], near.distance)
        self._index.add(value)
        self._firsts.append(number)
        return None


class MinHashMatch(NamedTuple):
    """Why MinHash puts a text into a class: first member, estimated Jaccard similarity."""

    first: int
    jaccard: float


class MinHashIndex:
    """First members of classes by the keys of their bands.

    Args:
        jaccard: least estimated similarity.
        length_ratio: the longer text has at most this many times the Han characters.
    """

    def __init__(self, jaccard: float = 0.85, length_ratio: float = 1.10) -> None:
        self._least = jaccard
        self._most = length_ratio
        self._by_key: dict[int, list[int]] = {}
        self._firsts: list[tuple[NDArray[np.uint32], int]] = []

    def find(self, bins: NDArray[np.uint32], n_chars: int) -> MinHashMatch | None:
        """The most similar member, the first that was added if there are several.

        Args:
            bins: MinHash of the text that is looked for.
            n_chars: its length in letters and digits.
        """
        best: MinHashMatch | None = None
        keys = band_keys(bins).tolist()
        for first in sorted({first for key in keys for first in self._by_key.get(key, ())}):
            other, n_other = self._firsts[first]
            low, high = sorted((n_chars, n_other))
            if high > low * self._most:
                continue
            similarity = estimated_jaccard(bins, other)
            if similarity >= self._least and (best is None or similarity > best.jaccard):
                best = MinHashMatch(first, similarity)
        return best

    def insert(self, bins: NDArray[np.uint32], n_chars: int) -> int:
        """Add a member; returns its number.

        Args:
            bins: MinHash of the text.
            n_chars: its length in letters and digits.
        """
        number = len(self._firsts)
        self._firsts.append((bins, n_chars))
        for key in band_keys(bins).tolist():
            self._by_key.setdefault(key, []).append(number)
        return number


class MinHashMatcher:
    """Classes by MinHash: similar enough to the first member, and about as long.

    Args:
        jaccard: least estimated similarity.
        length_ratio: the longer text has at most this many times the Han characters.
    """

    def __init__(self, jaccard: float = 0.85, length_ratio: float = 1.10) -> None:
        self._index = MinHashIndex(jaccard, length_ratio)
        self._firsts: list[int] = []
        self._n_texts = 0

    def add(self, text: str) -> MinHashMatch | None:
        """Put a text into its class; None if it is the first of a new one."""
        bins, n_chars = minhash(text), code_text(text).n_chars
        found = self._index.find(bins, n_chars)
        number, self._n_texts = self._n_texts, self._n_texts + 1
        if found is not None:
            return MinHashMatch(self._firsts[found.first], found.jaccard)
        self._index.insert(bins, n_chars)
        self._firsts.append(number)
        return None
