"""Character classes, counted for all text runs of a page in one compiled loop."""

from __future__ import annotations

import itertools
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.loops import count_chars, count_inked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.unsignedinteger]


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate by U+FFFD; surrogate pairs become the character they mean."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


SPACE: Final = 1
"""White space of any kind, zero-width characters included."""

PUNCTUATION: Final = 2
"""Marks of Chinese and Western sentences; of ASCII only ``! " ' ( ) , . : ; ?``."""

STOP: Final = 4
"""Commas and full stops, Chinese, full-width and ASCII (NS of the IB-DOM paper)."""

HAN: Final = 8
"""Chinese characters."""

_ZERO_WIDTH: Final = "\u200b\u200c\u200d\u2060\ufeff"
_ASCII_MARKS: Final = "!\"'(),.:;?"
_STOPS: Final = ",.，。．｡"
_LAST: Final = 0xFFFF
_END: Final = "\0"
"""Ends a run; the parser removes it from pages."""


def char_class(char: str) -> int:
    """Classes of one character, or-ed together."""
    code = ord(char)
    result = SPACE if char.isspace() or char in _ZERO_WIDTH else 0
    if char in _ASCII_MARKS or (code > 0x7F and unicodedata.category(char)[0] == "P"):
        result |= PUNCTUATION
    if char in _STOPS:
        result |= STOP
    if 0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0xF900 <= code <= 0xFAFF:
        result |= HAN
    return result


@cache
def char_classes() -> NDArray[np.uint8]:
    """`char_class` of each code; the last entry stands for all planes above the first."""
    table = np.fromiter(map(char_class, map(chr, range(_LAST + 1))), np.uint8, _LAST + 1)
    table[_LAST] = HAN  # mostly rare Chinese characters
    return table


def _codes(text: str) -> Codes:
    """Code of each character; of half the size where no character is above the first plane."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    if len(units) == len(text):
        return units
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def n_inked(text: str) -> int:
    """How many characters of a text are not white space.

    Args:
        text: any text.
    """
    return count_inked(text, char_classes(), SPACE)


class RunChars:
    """The characters of text runs, counted by their classes.

    Args:
        runs: text runs.
        left_out: runs of which nothing is counted, not even their length.

    Attributes:
        text: the other runs, each ended by NUL.
        codes: code of each of its characters.
        starts: where each run starts in ``text``, and where the last one ends; those left out are
            empty, to the others belongs the NUL behind them.
        inked: characters of each run that are not white space.
        punctuation: punctuation marks of each run.
        stops: commas and full stops of each run.
    """

    def __init__(self, runs: Sequence[str], left_out: NDArray[np.bool_]) -> None:
        counted = [*itertools.compress(runs, (~left_out).tolist()), ""]
        self.starts = np.zeros(len(runs) + 1, np.int32)
        counts = [np.empty(len(runs), np.int32) for _ in range(3)]
        self.inked, self.punctuation, self.stops = counts
        classes = char_classes(), SPACE, PUNCTUATION, STOP
        self.text = _END.join(counted)
        self.codes = _codes(self.text)
        if not count_chars(self.codes, left_out, *classes, self.starts, *counts):
            # NUL within a run, which no parsed page has, is a character as U+FFFD is.
            codes = _codes(_END.join([run.replace(_END, "\ufffd") for run in counted]))
            count_chars(codes, left_out, *classes, self.starts, *counts)
