"""Whether a Chinese text is written Cantonese.

Written Cantonese has particles and words that written Mandarin has not (嘅 for 的, 唔 for 不, 喺
for 在, 佢 for 他); a text in which they take the place of the Mandarin ones is Cantonese. Single
ones in a Mandarin text (a quoted sentence, a shop's name) are not enough.
"""

from __future__ import annotations

import re
from typing import Final

_CANTONESE: Final = re.compile(
    "[嘅咗喺唔佢哋嚟冇啲咁嗰嘢啱攞瞓㗎噉乜咩喇啦囉喎嘞畀俾睇諗谂揾搵咪呢]|而家|點解|点解|邊個|边个|幾多"
)
_MANDARIN: Final = re.compile("[的是不了在他她们們这這那没沒吗嗎吧]")
_SURE: Final = re.compile("[嘅咗喺哋嚟冇啲嗰嘢㗎佢唔]")
"""Characters that Mandarin texts hardly ever have; without some of them nothing is Cantonese."""

_LEAST_SURE: Final = 2
_LEAST_SHARE: Final = 0.5


def is_cantonese(text: str) -> bool:
    """Whether the words of a Chinese text are Cantonese.

    Args:
        text: Chinese text, in either script.

    >>> is_cantonese("佢哋喺香港食咗飯，唔知幾時先返嚟。"), is_cantonese("他们在香港吃了饭。")
    (True, False)
    """
    if len(_SURE.findall(text)) < _LEAST_SURE:
        return False
    n_cantonese, n_mandarin = len(_CANTONESE.findall(text)), len(_MANDARIN.findall(text))
    return n_cantonese > _LEAST_SHARE * (n_cantonese + n_mandarin)
