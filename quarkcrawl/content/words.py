"""Word lists that come with the package, and how they are found on a page."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.page.tree import prefix_sums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.segment import Segmentation

    BoolArray = NDArray[np.bool_]

__all__ = ["WordFinder", "noise_words", "read_words", "stop_words"]


def read_words(name: str) -> tuple[str, ...]:
    """Words of a list shipped beside this module, in file order.

    Args:
        name: file name; words are separated by white space, ``#`` starts a comment line.
    """
    text = files(__package__).joinpath(name).read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return tuple(word for line in lines for word in line.split())


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing of a text's topic: they are left out of comparisons."""
    return frozenset(read_words("stop_words.txt"))


@cache
def noise_words() -> WordFinder:
    """Finder of the words that are common in short noise blocks and rare in content."""
    return WordFinder(read_words("noise_words.txt"))


class WordFinder:
    """Tells which blocks contain one of some words.

    Args:
        words: the words; ASCII letters match in either case.
    """

    __slots__ = ("_find", "words")

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        pattern = "|".join(map(re.escape, self.words)) or "(?!)"
        self._find = re.compile(pattern, re.IGNORECASE).finditer

    def blocks(self, segmentation: Segmentation, wanted: BoolArray) -> BoolArray:
        """Which of the wanted blocks contain one of the words, also across text runs.

        Args:
            segmentation: the blocks of a page.
            wanted: the blocks to look at.
        """
        block = segmentation.run_block
        places = np.flatnonzero((block >= 0) & np.append(wanted, False)[block])
        places = places[np.argsort(block[places], kind="stable")]  # a block's runs side by side
        pieces = list(map(segmentation.page.tree.runs.__getitem__, places.tolist()))
        ends = prefix_sums(np.fromiter(map(len, pieces), np.int64, len(pieces)))[1:]
        hits = [(hit.start(), hit.end() - 1) for hit in self._find("".join(pieces))]
        found = np.zeros(len(wanted), np.bool_)
        if hits:
            first, last = block[places[np.searchsorted(ends, np.array(hits), side="right")]].T
            found[first[first == last]] = True
        return found
