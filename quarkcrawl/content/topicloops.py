"""Where telling words and dates can begin, in a compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.topicwords import BEFORE_GAP, BEGINS, BEHIND_GAP, DIGIT, MARK
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.intp]

__all__ = ["beginnings"]

_GAP: Final = ord(" ")


@compiled
def beginnings(
    codes: NDArray[np.unsignedinteger], table: NDArray[np.uint8]
) -> tuple[Places, Places, bool]:
    """See `quarkcrawl.content.topicwords._beginnings`.

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
        if code == _GAP and 0 < place < len(codes) - 1 and not has_english:
            has_english = codes[place - 1] in BEFORE_GAP and codes[place + 1] in BEHIND_GAP
        kind = table[min(code, last)]
        if kind == BEGINS:
            words[n_words] = place
            n_words += 1
        elif kind == DIGIT and between == MARK and before == DIGIT:
            dates[n_dates] = place - 2
            n_dates += 1
        before, between = between, kind
    return words[:n_words].copy(), dates[:n_dates].copy(), has_english
