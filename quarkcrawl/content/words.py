"""Word lists that come with the package, and how they are found on a page."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.segment import Segmentation

    BoolArray = NDArray[np.bool_]


_LATIN_WORD: Final = re.compile("[A-Za-z]+")


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
        words: the words. Those of ASCII letters match whole words, in either case.
    """

    __slots__ = ("_latin", "_other", "words")

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self._latin = frozenset(word.lower() for word in self.words if word.isascii())
        other = "|".join(re.escape(word) for word in self.words if not word.isascii())
        self._other = re.compile(other or "(?!)")

    def places(self, text: str) -> list[int]:
        """Where a word begins in a text, in no order.

        Args:
            text: any text.
        """
        # Two passes: one pattern for both that ignores case takes twenty times as long.
        hit_places = [hit.start() for hit in self._other.finditer(text)]
        if not self._latin.isdisjoint(map(str.lower, _LATIN_WORD.findall(text))):
            latin = _LATIN_WORD.finditer(text)
            hit_places += (hit.start() for hit in latin if hit[0].lower() in self._latin)
        return hit_places

    def blocks(self, segmentation: Segmentation, is_candidate: BoolArray) -> BoolArray:
        """Which of the wanted blocks contain one of the words within a text run.

        Args:
            segmentation: the blocks of a page.
            is_candidate: the blocks to look at.
        """
        block = segmentation.run_block
        places = segmentation.runs_in(is_candidate).nonzero()[0]
        pieces = list(map(segmentation.tree.runs.__getitem__, places.tolist()))
        starts = segmentation.tree.run_class.starts  # each run is ended there by a sign, too
        ends = (starts[places + 1] - starts[places]).cumsum()
        hits = self.places("\n".join(pieces))
        has_word = np.zeros(len(is_candidate), np.bool_)
        has_word[block[places[ends.searchsorted(hits, side="right")]]] = True
        return has_word
