"""Telling words and dates in the text of a page, counted.

Both can begin at few of its characters only, and one pass over their codes finds where: patterns
that look at every character take three times as long.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.loops import find_beginnings
from quarkcrawl.content.topic.vocabulary import (
    BEGINS,
    BEHIND,
    DIGIT,
    ENGLISH_STEMS,
    GAP,
    KINDS,
    MARK,
    MARKS,
    SECOND,
    WORDS,
    character_kinds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.unsignedinteger]
    Places = NDArray[np.intp]


def _around(before: str, behind: str) -> list[int]:
    """The last two letters before a gap and the first two behind it."""
    return list(map(ord, before[-2:] + behind[:2]))


_AROUND_GAPS: Final = np.array([_around(*stem.split(" ")) for stem in ENGLISH_STEMS], np.uint32)
_BEHIND_YEAR: Final = re.compile(rf"[{MARKS[::-1]}][0-9]{{1,2}}(?:[-/.月][0-9]{{1,2}})?")
"""A date without the digits that it begins with."""


class WordCounts(NamedTuple):
    """How often a text has words of some kinds.

    Args:
        more: words that lead on, such as 阅读全文.
        beside: words that stand beside an article, such as 上一篇.
    """

    more: int
    beside: int
    dates: int


def word_counts(text: str, codes: Codes) -> WordCounts:
    """Count words and dates.

    Args:
        text: any text.
        codes: code of each of its characters.
    """
    begins, dates, has_english = _beginnings(codes)
    counts = _chinese(text, begins)
    both, beside, more = (
        (sum([counts[word] for word in words]) for words in KINDS) if counts else (0, 0, 0)
    )
    for stem, wholes in ENGLISH_STEMS.items() if has_english else ():
        if stem in text:
            more += sum(map(text.count, wholes))
    return WordCounts(more + both, beside + both, _n_dates(text, dates))


def _beginnings(codes: Codes) -> tuple[Places, Places, bool]:
    """Where Chinese words can begin, digits before a mark and a digit, and if English ones may be.

    Args:
        codes: code of each character.
    """
    beginnings, numbers = np.empty((2, len(codes)), np.intp), np.empty(2, np.intp)
    kinds = DIGIT, MARK, BEGINS, SECOND, GAP, BEHIND
    tables = character_kinds(), _AROUND_GAPS
    has_english = find_beginnings(np.ascontiguousarray(codes), *tables, *kinds, beginnings, numbers)
    n_words, n_dates = numbers
    return beginnings[0, :n_words], beginnings[1, :n_dates], has_english


def _chinese(text: str, places: Places) -> Counter[str]:
    counts, end = Counter[str](), 0
    for place in places.tolist():
        match = WORDS.match(text, place) if place >= end else None
        if match:
            counts[match[0]] += 1
            end = match.end()
    return counts


def _n_dates(text: str, places: Places) -> int:
    """Number of dates: up to four digits, a mark, one or two digits, and the same again or not."""
    number, end = 0, 0
    for before in places.tolist():
        match = _BEHIND_YEAR.match(text, before + 1) if before >= end else None
        if match:
            number += 1
            end = match.end()
    return number
