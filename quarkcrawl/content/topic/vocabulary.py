"""Words that tell topic pages from others, and what their characters can be part of."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MORE: Final = (
    "阅读全文|閱讀全文|阅读更多|閱讀更多|查看全文|继续阅读|繼續閱讀|全文阅读|下一页|下一頁|尾页"
    "|末页"
)
_BESIDE: Final = (
    "上一篇|下一篇|责任编辑|責任編輯|版权声明|本文链接|转载请注明|原文链接|正文|相关文章|相关新闻"
    "|相关阅读"
)
_BOTH: Final = "相关阅读全文|相关阅读更多"
WORDS: Final = re.compile(f"{_BOTH}|{_BESIDE}|{_MORE}")
KINDS: Final = tuple(words.split("|") for words in (_BOTH, _BESIDE, _MORE))
ENGLISH_STEMS: Final = {
    "READ MORE": ("READ MORE",),
    "ead More": ("Read More", "read More"),
    "ead more": ("Read more", "read more"),
    "inue Reading": ("Continue Reading", "continue Reading"),
    "inue reading": ("Continue reading", "continue reading"),
    "ext Page": ("Next Page", "next Page"),
    "ext page": ("Next page", "next page"),
}
"""Words that lead on by what most of them have in common: texts are found sooner than patterns."""

MARKS: Final = "-/.年"
"""What stands between the numbers of a date."""

DIGIT, MARK, BEGINS, SECOND, GAP, BEHIND = 1, 2, 4, 8, 16, 32


@cache
def character_kinds() -> NDArray[np.uint8]:
    """What each character can be part of; the last entry stands for all planes above the first."""
    table = np.zeros(1 << 16, np.uint8)
    table[ord("0") : ord("9") + 1] = DIGIT
    table[list(map(ord, MARKS))] = MARK
    table[[ord(word[0]) for words in KINDS for word in words]] = BEGINS
    table[[ord(word[1]) for words in KINDS for word in words]] |= SECOND
    table[ord(" ")] = GAP
    table[[ord(stem.split(" ")[1][0]) for stem in ENGLISH_STEMS]] = BEHIND
    return table
