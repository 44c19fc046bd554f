"""The similarity side of QuarkAnalyzer: does a block share its words with the longest block?

Quark thesis, section 3.2: both texts are cut into words, stop words dropped, the common words
counted as multisets and divided by the number of words of the smaller text. Its outlook
proposes weights by inverse document frequency; `Idf` offers them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.tokens import passages, words
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MAX_COMPARED_CHARS", "Idf", "Reference", "similarity", "word_counts"]

MAX_COMPARED_CHARS: Final = 20_000
"""Longer blocks are compared by their first so many characters: cutting words takes 3 µs a
character, and a page that is one huge block must not hold up a crawl."""


@dataclass(frozen=True, slots=True)
class Idf:
    """Inverse document frequencies of words.

    Args:
        weights: ln(documents / documents with the word).
        unseen: weight of all other words.
    """

    weights: Mapping[str, float]
    unseen: float

    def __call__(self, word: str) -> float:
        """Weight of a word."""
        return self.weights.get(word, self.unseen)

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Idf:
        """Count document frequencies.

        Args:
            texts: the documents, such as the contents of a corpus's own pages.
        """
        seen: Counter[str] = Counter()
        n_texts = 0
        for text in texts:
            seen.update(word_counts(text).keys())
            n_texts += 1
        weights = {word: math.log((1 + n_texts) / count) for word, count in seen.items()}
        return cls(weights, math.log(1 + n_texts))

    def save(self, path: str | Path) -> None:
        """Write the table as JSON.

        Args:
            path: the file.
        """
        record = {"unseen": self.unseen, "weights": dict(sorted(self.weights.items()))}
        Path(path).write_text(json.dumps(record, ensure_ascii=False, indent=0) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Idf:
        """Read a table that `save` wrote.

        Args:
            path: the file.

        Raises:
            InputError: if the file is missing or is no such table.
        """
        try:
            record = json.loads(Path(path).read_text("utf-8"))
            weights = {str(word): float(weight) for word, weight in record["weights"].items()}
            return cls(weights, float(record["unseen"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"no table of IDF weights: {error!r}", where=path) from error


def word_counts(text: str) -> Counter[str]:
    """How often each word occurs, stop words left out.

    Args:
        text: any text; what is behind `MAX_COMPARED_CHARS` is not looked at.
    """
    pieces = passages(text[:MAX_COMPARED_CHARS])
    return Counter(word for piece in pieces for word in words(piece))


def similarity(text: str, other: str, idf: Idf | None = None) -> float:
    """Share of the smaller text's words that the larger has too, 0–1.

    Args:
        text: one text.
        other: the other; the order does not matter.
        idf: weights of words; every word weighs the same if None.

    Returns:
        The share; 0 if one of the texts has no words.
    """
    one, two = word_counts(text), word_counts(other)
    smaller = min(_weight(one, idf), _weight(two, idf))
    return _weight(one & two, idf) / smaller if smaller else 0.0


def _weight(counts: Counter[str], idf: Idf | None) -> float:
    if idf is None:
        return counts.total()
    return sum(idf(word) * count for word, count in counts.items())


@dataclass(slots=True)
class Reference:
    """A text that others are compared with, cut no further than a decision needs.

    Gives the same answers as `similarity`: passages that contain no wanted word add nothing to
    the common words, and how large the text is matters only until it is the larger one.

    Args:
        text: the text, usually the longest of a page.
        idf: weights of words.
    """

    text: str
    idf: Idf | None = None
    _passages: list[str] = field(init=False)
    _folded: list[str] = field(init=False)
    _cut: dict[int, Counter[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Find the passages."""
        self._passages = passages(self.text[:MAX_COMPARED_CHARS])
        self._folded = [passage.lower() for passage in self._passages]

    def is_similar(self, text: str, threshold: float) -> bool:
        """Whether the similarity is above a threshold.

        Args:
            text: the other text.
            threshold: similarity above which texts count as similar.
        """
        wanted = word_counts(text)
        size = _weight(wanted, self.idf)
        common: Counter[str] = Counter()
        for number in self._holding(wanted):
            common.update(self._words(number) & wanted)
            shared = _weight(common & wanted, self.idf)
            if shared > threshold * size:  # then it is above that of the smaller text, too
                return True
        return self._is_similar_as_smaller(_weight(common & wanted, self.idf), size, threshold)

    def _holding(self, wanted: Counter[str]) -> list[int]:
        """Passages in which a wanted word can occur."""
        numbered = enumerate(self._folded)
        return [number for number, passage in numbered if any(word in passage for word in wanted)]

    def _is_similar_as_smaller(self, shared: float, size: float, threshold: float) -> bool:
        """Judge by the reference's own size if it is the smaller one."""
        own = 0.0
        for number in range(len(self._passages)):
            own += _weight(self._words(number), self.idf)
            if own >= size:
                return False
        return shared > threshold * own

    def _words(self, number: int) -> Counter[str]:
        if number not in self._cut:
            self._cut[number] = Counter(words(self._passages[number]))
        return self._cut[number]
