"""Single pass over texts by any method: each joins the class of a first member, or founds one.

A method reads a text into a sketch and looks for its class in an index of first members: feature
codes (`quarkcrawl.dedup.codeindex`), simhash, or MinHash.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from quarkcrawl.dedup.featurecode import code_text
from quarkcrawl.dedup.minhash import N_BINS, band_keys, estimated_jaccard, minhash
from quarkcrawl.dedup.simhash import SimhashIndex, check_k, hamming

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    MinHashSketch = tuple[NDArray[np.uint32], int]


class Match(NamedTuple):
    """The class a text belongs to.

    Args:
        first: number of the first member.
        rank: how good the match is, less is better; of equals the earlier first member is taken.
        why: codes in common, bits that differ, or bins in common.
    """

    first: int
    rank: float
    why: int


class Index(Protocol):
    """First members of classes, by the sketches of one method."""

    def __len__(self) -> int:
        """How many there are."""

    def find(self, sketch: Any) -> Match | None:
        """The class a text belongs to.

        Args:
            sketch: what the method keeps of the text.
        """

    def insert(self, sketch: Any, number: int) -> None:
        """Let a text be the first of a class.

        Args:
            sketch: what the method keeps of the text.
            number: number of the text, larger than those before.
        """

    def reason(self, why: int) -> str:
        """Why a text is in its class, in a word (see `Grouping`).

        Args:
            why: what a `Match` says.
        """


@dataclass(frozen=True, slots=True)
class Matcher:
    """A method with the first members that it has met.

    Args:
        sketch: what the method keeps of a text.
        index: the first members.
    """

    sketch: Callable[[str], Any]
    index: Index

    def match(self, text: str, number: int) -> Match | None:
        """Put a text into its class; None if it is the first of a new one.

        Args:
            text: content of a page.
            number: number of the text, larger than those before.
        """
        sketch = self.sketch(text)
        match = self.index.find(sketch)
        if match is None:
            self.index.insert(sketch, number)
        return match


_LISTED: Final = 100


class SimhashClasses:
    """First members by simhash: at most k bits differ.

    A list while there are few, for most components of a corpus have two texts; then an index.

    Args:
        k: most differing bits.
    """

    def __init__(self, k: int = 3) -> None:
        check_k(k)
        self._k = k
        self._index: SimhashIndex | None = None
        self._numbers: list[int] = []
        self._values: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def find(self, sketch: int) -> Match | None:
        """The first member with the fewest differing bits."""
        if self._index is None:
            near = ((hamming(value, sketch), at) for at, value in enumerate(self._values))
            distance, at = min(near, default=(self._k + 1, 0))
        else:
            at, distance = self._index.nearest(sketch) or (0, self._k + 1)
        return None if distance > self._k else Match(self._numbers[at], distance, distance)

    def insert(self, sketch: int, number: int) -> None:
        """Add a first member."""
        self._numbers.append(number)
        if self._index is not None:
            self._index.add(sketch)
            return
        self._values.append(sketch)
        if len(self._values) == _LISTED:
            self._index = SimhashIndex(self._k)
            self._index.extend(np.array(self._values, np.uint64))
            self._values = []

    def reason(self, why: int) -> str:
        """``simhash:3``: so many bits differ."""
        return f"simhash:{why}"


class MinHashIndex:
    """First members by the keys of their bands; sketches are MinHash and length.

    Args:
        jaccard: least estimated similarity.
        length_ratio: the longer text has at most this many times the Han characters.
    """

    def __init__(self, jaccard: float = 0.85, length_ratio: float = 1.10) -> None:
        self._least = jaccard
        self._most = length_ratio
        self._by_key: dict[int, list[int]] = {}
        self._firsts: dict[int, MinHashSketch] = {}

    def __len__(self) -> int:
        return len(self._firsts)

    def find(self, sketch: MinHashSketch) -> Match | None:
        """The most similar first member of about the same length."""
        best: Match | None = None
        bins, n_chars = sketch
        keys = band_keys(bins).tolist()
        for first in sorted({first for key in keys for first in self._by_key.get(key, ())}):
            other, n_other = self._firsts[first]
            low, high = sorted((n_chars, n_other))
            if high > low * self._most:
                continue
            similarity = estimated_jaccard(bins, other)
            if similarity >= self._least and (best is None or -similarity < best.rank):
                best = Match(first, -similarity, round(similarity * N_BINS))
        return best

    def insert(self, sketch: MinHashSketch, number: int) -> None:
        """Add a first member."""
        self._firsts[number] = sketch
        for key in band_keys(sketch[0]).tolist():
            self._by_key.setdefault(key, []).append(number)

    def reason(self, why: int) -> str:
        """``minhash:0.93``: the estimated similarity."""
        return f"minhash:{why / N_BINS:.2f}"


def minhash_sketch(text: str) -> MinHashSketch:
    """MinHash of a text, and its length in Han characters."""
    return minhash(text), code_text(text).n_chars
