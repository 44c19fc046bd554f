"""Whether a Chinese text is written in simplified or traditional characters.

Which characters belong to one script alone is taken from the character sets of the two: GB 2312
(mainland, 1980) has no traditional forms, the first plane of Big5 (Taiwan, 1984) no simplified
ones. Characters of both, and such as neither has, say nothing.
"""

from __future__ import annotations

import re
from typing import Final, Literal

HanScript = Literal["Hans", "Hant", "mixed"]

_BIG5_COMMON: Final = range(0xA440, 0xC67F)  # the first plane: the 5,401 most used characters
_LEAST_CHARS: Final = 2
_MIXED: Final = 0.2
"""Above this share of the rarer script a text counts as mixed: quotations and names in the other
script are below."""

_NEUTRAL: Final = "着裡麽麼龢囧喆堃"
"""Characters that both scripts use, whatever the character sets say: of another word, or in the
Hong Kong way of writing."""


def _only() -> tuple[str, str]:
    """Characters of simplified and of traditional texts alone."""
    simplified, traditional = [], []
    for code in range(0x4E00, 0xA000):
        sign = chr(code)
        if sign in _NEUTRAL:
            continue
        gb, big5 = _encoded(sign, "gb2312"), _encoded(sign, "big5")
        if gb and not big5:
            simplified.append(sign)
        elif big5 and not gb and int.from_bytes(big5) in _BIG5_COMMON:
            traditional.append(sign)
    return "".join(simplified), "".join(traditional)


def _encoded(sign: str, charset: str) -> bytes:
    return sign.encode(charset, "ignore")


_SIMPLIFIED, _TRADITIONAL = (re.compile(f"[{signs}]") for signs in _only())


def han_script(text: str) -> HanScript | None:
    """The script of a Chinese text; None if too few characters tell.

    Args:
        text: Chinese text.

    >>> han_script("北京大学网络实验室"), han_script("臺灣大學圖書館")
    ('Hans', 'Hant')
    """
    n_simplified = len(_SIMPLIFIED.findall(text))
    n_traditional = len(_TRADITIONAL.findall(text))
    n = n_simplified + n_traditional
    if n < _LEAST_CHARS:
        return None
    if min(n_simplified, n_traditional) > _MIXED * n:
        return "mixed"
    return "Hans" if n_simplified > n_traditional else "Hant"
