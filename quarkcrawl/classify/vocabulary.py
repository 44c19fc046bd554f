"""Words as features: logarithmic counts, rare words up, texts of any length alike (tf–idf).

Salton and Buckley, Term-weighting approaches in automatic text retrieval, 1988: (1 + ln tf) · idf,
each text scaled to length 1; the idf is smoothed as if one more text held every word.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Words that a model knows.

    Args:
        words: the words; their places are the columns.
        idf: weight of each.
    """

    words: tuple[str, ...]
    idf: FloatArray
    _column: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_column", {word: n for n, word in enumerate(self.words)})

    def vector(self, text: Sequence[str]) -> tuple[NDArray[np.int32], FloatArray]:
        """Columns and values of one text; empty if it has no word that is known.

        Args:
            text: its words.
        """
        column_of = self._column
        counts = Counter(column_of[word] for word in text if word in column_of)
        columns = np.fromiter(counts, np.int32, len(counts))
        n_times = np.fromiter(counts.values(), np.float32, len(counts))
        values = (1 + np.log(n_times)) * self.idf[columns]
        length = np.sqrt((values * values).sum())
        return columns, values / length if length else values

    def matrix(self, texts: Iterable[Sequence[str]]) -> csr_array:
        """The texts as rows of a sparse matrix.

        Args:
            texts: words of each.
        """
        from scipy.sparse import csr_array  # noqa: PLC0415 - only for training

        rows = [self.vector(text) for text in texts]
        ends = np.cumsum([0, *(len(columns) for columns, _ in rows)])
        columns = np.concatenate([columns for columns, _ in rows])
        values = np.concatenate([values for _, values in rows])
        return csr_array((values, columns, ends), (len(rows), len(self.words)))


def count_words(
    texts: Iterable[Sequence[str]], *, min_texts: int = 2, max_words: int = 50_000
) -> Vocabulary:
    """The vocabulary of some texts.

    Args:
        texts: words of each.
        min_texts: words of fewer texts are left out.
        max_words: most words, those of most texts; ties by the alphabet.
    """
    n_texts, seen = 0, Counter[str]()
    for text in texts:
        n_texts += 1
        seen.update(set(text))
    often = [(-count, word) for word, count in seen.items() if count >= min_texts]
    common_words = sorted(word for _, word in sorted(often)[:max_words])
    counts = np.array([seen[word] for word in common_words], np.float64)
    idf = np.log((1 + n_texts) / (1 + counts)) + 1
    return Vocabulary(tuple(common_words), idf.astype(np.float32))
