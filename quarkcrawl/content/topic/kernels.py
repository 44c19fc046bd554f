"""Where telling words and dates can begin, in a compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.topic.vocabulary import BEGINS, DIGIT, ENGLISH_STEMS, MARK, SECOND
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.intp]


_GAP: Final = ord(" ")


def _key(before: str, behind: str) -> int:
    """The last two letters before a gap and the first two behind it as one number."""
    far, near = map(ord, before[-2:])
    first, second = map(ord, behind[:2])
    return far << 48 | near << 32 | first << 16 | second


_GAPS: Final = tuple(_key(*stem.split(" ")) for stem in ENGLISH_STEMS)
_NEAR: Final = tuple(sorted({ord(stem.split(" ")[0][-1]) for stem in ENGLISH_STEMS}))


@compiled
def _may_be_english(codes: NDArray[np.unsignedinteger], gap: int) -> bool:
    """Whether the letters around a blank are those around the gap of words that lead on."""
    if gap < 2 or gap + 2 >= len(codes) or codes[gap - 1] not in _NEAR:
        return False
    before = np.int64(codes[gap - 2]) << 48 | np.int64(codes[gap - 1]) << 32
    return (before | np.int64(codes[gap + 1]) << 16 | np.int64(codes[gap + 2])) in _GAPS


@compiled
def beginnings(
    codes: NDArray[np.unsignedinteger], table: NDArray[np.uint8]
) -> tuple[Places, Places, bool]:
    """Where Chinese words can begin, digits before a mark and a digit, and if English ones may be.

    Args:
        codes: code of each character.
        table: what each code is; the last entry stands for all that are not in it.
    """
    last = len(table) - 1
    words, dates = np.empty(len(codes), np.intp), np.empty(len(codes), np.intp)
    n_words = n_dates = before = between = 0
    has_english = False
    for place in range(len(codes)):
        code = codes[place]
        if code == _GAP and not has_english:
            has_english = _may_be_english(codes, place)
        kind = table[min(code, last)]
        if kind & SECOND and between & BEGINS:
            words[n_words] = place - 1
            n_words += 1
        if kind & DIGIT and between & MARK and before & DIGIT:
            dates[n_dates] = place - 2
            n_dates += 1
        before, between = between, kind
    return words[:n_words].copy(), dates[:n_dates].copy(), has_english
