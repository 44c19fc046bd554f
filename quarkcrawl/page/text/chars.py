"""Character classes, counted for all text runs of a page in a few array operations."""

from __future__ import annotations

import itertools
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


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

_ENDS: Final = 128
"""Class of that sign."""

_INKED: Final = -1
"""Stands for characters that are not white space, which is no class."""


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


def _table() -> NDArray[np.uint8]:
    table = np.fromiter(map(char_class, map(chr, range(_LAST + 1))), np.uint8, _LAST + 1)
    table[_LAST] = HAN  # stands for all planes above the first: mostly rare Chinese characters
    return table


_CLASSES: NDArray[np.uint8] | None = None


def char_classes() -> NDArray[np.uint8]:
    """`char_class` of each code; the last entry stands for all planes above the first."""
    global _CLASSES  # noqa: PLW0603  (30 ms to build: only where text is measured)
    if _CLASSES is None:
        _CLASSES = _table()
    return _CLASSES


def _codes(text: str) -> NDArray[np.unsignedinteger]:
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
    found = char_classes().take(_codes(text), mode="clip")
    return len(found) - int(np.count_nonzero(found & SPACE))


class RunChars:
    """Counts characters of given classes in each run.

    Args:
        runs: text runs.
        left_out: runs of which nothing is counted, not even their length.

    Attributes:
        text: the other runs, each ended by NUL.
        codes: code of each of its characters.
        counted: numbers of the other runs.
        is_exact: whether no run holds NUL, for which another sign would stand in ``text``.
    """

    def __init__(self, runs: Sequence[str], left_out: NDArray[np.bool_]) -> None:
        self.counted = (~left_out).nonzero()[0]
        self._n_runs = len(runs)
        shown = list(itertools.compress(runs, (~left_out).tolist()))
        shown.append("")
        self.text = _END.join(shown)
        self.is_exact = self.text.count(_END) == len(self.counted)
        if not self.is_exact:  # another sign counts as little
            self.text = _END.join([run.replace(_END, "\1") for run in shown])
        self.codes = _codes(self.text)
        self._known: dict[int, NDArray[np.int32]] = {}

    def know(
        self,
        inked: NDArray[np.int32],
        punctuation: NDArray[np.int32],
        stops: NDArray[np.int32],
        starts: NDArray[np.int32],
    ) -> None:
        """Take over what has been found elsewhere: counts of each run, and `starts`."""
        self._known = {_INKED: inked, PUNCTUATION: punctuation, STOP: stops}
        self.starts = starts

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """Where each run starts in ``text``, and where the last one ends; others are empty."""
        n_chars = np.zeros(self._n_runs + 1, np.int32)
        n_chars[self.counted + 1] = np.diff(self._ends, prepend=-1)
        return n_chars.cumsum(dtype=np.int32)

    def texts(self, first: NDArray[np.integer], last: NDArray[np.integer]) -> list[str]:
        """Text of slices of runs, as it stands between the tags.

        Args:
            first: first run of each slice.
            last: one past its last run.
        """
        starts, text = self.starts, self.text
        places = zip(starts[first].tolist(), starts[last].tolist(), strict=True)
        return [text[start:end].replace(_END, "") for start, end in places]

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        ends: NDArray[np.intp] = (self.codes == 0).nonzero()[0]
        return ends

    @cached_property
    def _found(self) -> NDArray[np.uint8]:
        found = char_classes().take(self.codes, mode="clip")
        found[self._ends] = _ENDS
        return found

    def count(self, classes: int) -> NDArray[np.int32]:
        """How many characters of each run are of at least one of ``classes``."""
        known = self._known.get(classes)
        return self._sums((self._found & classes) != 0) if known is None else known

    def total(self, classes: int) -> int:
        """How many characters of all runs together are of at least one of ``classes``."""
        known = self._known.get(classes)
        if known is not None:
            return int(known.sum())
        return int(np.count_nonzero(self._found & classes))

    def inked(self) -> NDArray[np.int32]:
        """How many characters of each run are not white space."""
        known = self._known.get(_INKED)
        return self._sums((self._found & (SPACE | _ENDS)) == 0) if known is None else known

    def _sums(self, chosen: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Number of chosen characters in each run."""
        result = np.zeros(self._n_runs, np.int32)
        upto = chosen.cumsum(dtype=np.int32)[self._ends]
        upto[1:] -= upto[:-1]
        result[self.counted] = upto
        return result
