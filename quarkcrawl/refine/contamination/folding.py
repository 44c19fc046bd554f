"""Texts as units that do not depend on how they are written, each with its place in the text.

A unit is a word of a language that puts spaces between words, or one character of a language that
does not. Characters are compared in Unicode's form NFKD, to which two texts are equal if and only
if they are in NFKC, without regard to case; it is worked out for each character by itself, so that
places are kept. Punctuation, symbols and white space only end words; apostrophes and characters
that nobody sees do not even that.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.refine.contamination.loops import find_units

if TYPE_CHECKING:
    from numpy.typing import NDArray


_N_CODES: Final = 0x110000
_UNKNOWN: Final = 255
_ENDS_WORD, _CHARACTER, _IN_WORD = range(3)
_APOSTROPHES: Final = frozenset("'\u2019\u02bc\uff07")

_WITHOUT_SPACES: Final = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x312F),  # Han radicals, kana, Bopomofo
    (0x31A0, 0x9FFF),  # Bopomofo, strokes, kana, Han
    (0xF900, 0xFAFF),  # Han
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # Han
)
"""Blocks of scripts that put no spaces between words."""


@dataclass(frozen=True, slots=True)
class Units:
    """Units of a text.

    Args:
        folded: characters that are compared, with a space behind each word.
        places: where each unit begins there; the length of it all is the last.
        starts: where each begins in the text.
        ends: the character behind it.
        hashes: equal for equal units.
        is_word: 1 for words, 0 for single characters.
    """

    folded: NDArray[np.uint32]
    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    is_word: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.hashes)


class Folding:
    """What characters are compared by, worked out when a character is seen the first time."""

    def __init__(self) -> None:
        self._first = np.zeros(_N_CODES, np.uint32)
        self._n = np.full(_N_CODES, _UNKNOWN, np.uint8)
        self._pool = np.zeros(1 << 12, np.uint32)
        self._kinds = np.zeros(1 << 12, np.uint8)
        self._n_pool = 0
        self._room: dict[str, NDArray[Any]] = {}

    def units(self, text: str) -> Units:
        """The units of a text; arrays are valid until the next call, for they share memory."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        counts = self._n[codes]
        if (counts == _UNKNOWN).any():
            self._learn(np.unique(codes[counts == _UNKNOWN]).tolist())
            counts = self._n[codes]
        room = self._of_size(2 * (len(codes) + int(counts.sum(dtype=np.int64))) + 2)
        n = find_units(
            codes,
            self._first,
            self._n,
            self._pool,
            self._kinds,
            room["folded"],
            room["places"],
            room["starts"],
            room["ends"],
            room["hashes"],
            room["is_word"],
        )
        places = room["places"][: n + 1]
        return Units(
            room["folded"][: places[n]],
            places,
            room["starts"][:n],
            room["ends"][:n],
            room["hashes"][:n],
            room["is_word"][:n],
        )

    def _of_size(self, n: int) -> dict[str, NDArray[Any]]:
        if len(self._room.get("folded", ())) < n:
            kinds = {"folded": "u4", "places": "i8", "starts": "i8", "ends": "i8"}
            kinds |= {"hashes": "u8", "is_word": "u1"}
            self._room = {name: np.empty(n * 5 // 4, kind) for name, kind in kinds.items()}
        return self._room

    def _learn(self, codes: list[int]) -> None:
        for code in codes:
            parts = _folded(chr(code))
            if self._n_pool + len(parts) > len(self._pool):
                self._pool = np.concatenate([self._pool, np.zeros_like(self._pool)])
                self._kinds = np.concatenate([self._kinds, np.zeros_like(self._kinds)])
            self._first[code], self._n[code] = self._n_pool, len(parts)
            for part in parts:
                self._pool[self._n_pool], self._kinds[self._n_pool] = ord(part), _kind(part)
                self._n_pool += 1


def _folded(char: str) -> str:
    """What a character is compared by."""
    decomposed = unicodedata.normalize("NFKD", char)
    folded = unicodedata.normalize("NFKD", decomposed.casefold())
    return "".join(
        part
        for part in folded
        if part not in _APOSTROPHES and (unicodedata.category(part) != "Cf" or part == "\u200b")
    )


def _kind(char: str) -> int:
    if unicodedata.category(char)[0] not in "LNM":
        return _ENDS_WORD
    code = ord(char)
    is_single = any(first <= code <= last for first, last in _WITHOUT_SPACES)
    return _CHARACTER if is_single else _IN_WORD
