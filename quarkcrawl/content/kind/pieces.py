"""How often each of many short pieces stands in a text, counted in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.kind.loops import bucket_of, count_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_MASK: Final = 1023
"""There are `_MASK` + 1 buckets for the first two characters of a piece, and as many for pieces of
one character."""


class Pieces:
    """Pieces of text that are looked for.

    Args:
        pieces: none of them empty; they may hold one another.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._codes = np.array([ord(char) for piece in pieces for char in piece], np.int32)
        self._starts = np.cumsum([0, *map(len, pieces)], dtype=np.int32)
        self._first = np.full(2 * (_MASK + 1), -1, np.int32)
        self._following = np.full(len(pieces), -1, np.int32)
        for number, piece in enumerate(pieces):
            bucket = bucket_of(ord(piece[0]), ord(piece[1]) if len(piece) > 1 else -1, _MASK)
            self._following[number] = self._first[bucket]
            self._first[bucket] = number

    def counts(self, text: str) -> NDArray[np.int32]:
        """How often each piece stands in a text, as `str.count` counts.

        Args:
            text: any text.

        >>> Pieces(["a", "aa", "ab"]).counts("aaab").tolist()
        [3, 1, 1]
        """
        counts, ends = np.zeros((2, len(self._following)), np.int32)
        tables = self._codes, self._starts, self._first, self._following
        count_pieces(text, *tables, _MASK, ends, counts)
        return counts
