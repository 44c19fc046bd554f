"""What kinds of characters a text consists of."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_HAN, _KANA, _HANGUL, _LATIN, _LETTER, _DIGIT, _SPACE, _SYMBOL = range(8)
_RANGES: Final = (
    (_HAN, 0x3400, 0x4DC0), (_HAN, 0x4E00, 0xA000), (_HAN, 0xF900, 0xFB00), (_HAN, 0x3005, 0x3008),
    (_KANA, 0x3041, 0x3100), (_KANA, 0x31F0, 0x3200), (_KANA, 0xFF66, 0xFF9E),
    (_HANGUL, 0xAC00, 0xD7A4), (_HANGUL, 0x1100, 0x1200), (_HANGUL, 0x3131, 0x318F),
    (_LATIN, 0x41, 0x5B), (_LATIN, 0x61, 0x7B), (_LATIN, 0xC0, 0x250), (_LATIN, 0xFF21, 0xFF3B),
    (_LATIN, 0xFF41, 0xFF5B), (_SYMBOL, 0xD7, 0xD8), (_SYMBOL, 0xF7, 0xF8),
    (_SYMBOL, 0x30FB, 0x30FC),  # the dot between names, in Chinese texts, too
)  # fmt: skip


def _table() -> NDArray[np.uint8]:
    """The kind of each character of the basic plane."""
    kinds = np.full(0x10000, _SYMBOL, np.uint8)
    for code in range(0x10000):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kinds[code] = _LETTER
        elif category == "Nd":
            kinds[code] = _DIGIT
        elif category[0] == "Z" or 9 <= code <= 13:
            kinds[code] = _SPACE
    for kind, start, end in _RANGES:
        kinds[start:end] = kind
    return kinds


_KINDS: Final = _table()


@dataclass(frozen=True, slots=True)
class CharacterShares:
    """Shares of the characters of a text, white space left out.

    Args:
        n_chars: characters, white space left out.
        han: Chinese characters, 0 to 1, as all that follow.
        kana: Japanese syllables.
        hangul: Korean syllables.
        latin: Latin letters.
        letter: letters of other scripts.
        digit: decimal digits, full-width ones among them.
        symbol: punctuation and all that is none of these.
    """

    n_chars: int
    han: float = 0.0
    kana: float = 0.0
    hangul: float = 0.0
    latin: float = 0.0
    letter: float = 0.0
    digit: float = 0.0
    symbol: float = 0.0


def character_shares(text: str) -> CharacterShares:
    """Count the kinds of characters.

    Args:
        text: any text.

    >>> shares = character_shares("天网 2026")
    >>> shares.n_chars, round(shares.han, 2), round(shares.digit, 2)
    (6, 0.33, 0.67)
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_beyond = codes > 0xFFFF
    kinds = _KINDS[np.where(is_beyond, 0, codes)]
    if is_beyond.any():  # rare Han is up there, and what stands for feelings
        beyond = codes[is_beyond]
        is_han = (beyond >= 0x20000) & (beyond < 0x33480)
        kinds[is_beyond] = np.where(is_han, _HAN, _SYMBOL)
    counts = np.bincount(kinds, minlength=8)
    n_chars = len(codes) - int(counts[_SPACE])
    if not n_chars:
        return CharacterShares(0)
    shares = (counts / n_chars).tolist()
    return CharacterShares(
        n_chars,
        han=shares[_HAN],
        kana=shares[_KANA],
        hangul=shares[_HANGUL],
        latin=shares[_LATIN],
        letter=shares[_LETTER],
        digit=shares[_DIGIT],
        symbol=shares[_SYMBOL],
    )
