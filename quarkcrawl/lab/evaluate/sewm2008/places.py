"""The characters of a page's text, one by one, with their place in the source.

Lengths of the SEWM2008 evaluation count visible text characters that are not white space, so a span
is judged by the characters inside it: tags, comments, scripts and white space in it neither help
nor hurt. A character reference is one character and stands where it starts. Text that the parser
cannot locate (fewer than one run in a thousand) is left out on both sides.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.lab.gold import Score
from quarkcrawl.page.text import SPACE, byte_offsets, char_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.page import Page


Unit = Literal["bytes", "chars"]

_PIECE: Final = re.compile(
    r"&(?:\#[0-9]+;?|\#[xX][0-9a-fA-F]+;?|[^\t\n\f <&\#;]{1,32};?)|[&\0]|[^&\0]+"
)


@dataclass(frozen=True, slots=True, eq=False)
class TextPlaces:
    """Visible non-white characters of a page.

    Args:
        place: where each character starts, in the unit asked for.
        run: the text run that each belongs to.
        size: length of the whole page in that unit.
        n_unlocated: visible non-white characters whose place is not known.
    """

    place: NDArray[np.int64]
    run: NDArray[np.int64]
    size: int
    n_unlocated: int

    @classmethod
    def of(cls, page: Page, unit: Unit, name: str = "page") -> TextPlaces:
        """Locate the text of a page; errors call the page by ``name``.

        Raises:
            InputError: if bytes are asked for and the page has no exact byte offsets.
        """
        place, run = _characters(page)
        n_unlocated = int(page.tree.run_chars[page.spans.start < 0].sum())
        if unit == "chars":
            return cls(place, run, len(page.html), n_unlocated)
        offsets = byte_offsets(page.body, page.charset)
        if offsets is None:
            raise InputError(f"no exact byte offsets in {page.encoding}; count chars", where=name)
        return cls(offsets[place], run, len(page.body), n_unlocated)

    def covered(self, spans: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
        """Which characters lie in at least one span.

        Args:
            spans: pairs of start and length, inside the page.
        """
        change = np.zeros(self.size + 1, np.int64)
        for start, length in spans:
            change[start] += 1
            change[start + length] -= 1
        inside: NDArray[np.bool_] = (np.cumsum(change) > 0)[self.place]
        return inside

    def score(self, is_extracted: NDArray[np.bool_], gold: NDArray[np.bool_]) -> Score:
        """Score one choice of characters against another."""
        return Score.of(int((is_extracted & gold).sum()), int(is_extracted.sum()), int(gold.sum()))


def _characters(page: Page) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    spans, runs = page.spans, page.tree.runs
    visible_runs = np.flatnonzero((spans.start >= 0) & ~page.tree.run_raw).tolist()
    places, texts = [], []
    for number in visible_runs:
        text, place = _located(page.html, int(spans.start[number]), int(spans.end[number]),
                               runs[number])  # fmt: skip
        texts.append(text)
        places.append(place)
    run = np.repeat(np.array(visible_runs, np.int64), np.array(list(map(len, texts)), np.intp))
    place = np.concatenate(places) if places else np.zeros(0, np.int64)
    keep = ~is_space("".join(texts))
    return place[keep], run[keep]


def _located(source: str, start: int, end: int, run: str) -> tuple[str, NDArray[np.int64]]:
    """The text between two places of the source, and the place of each character."""
    piece = source[start:end]
    if piece in run:  # word for word, or without white space at the ends
        return piece, np.arange(start, end)
    text: list[str] = []
    places: list[int] = []
    for match in _PIECE.finditer(source, start, end):
        read = html.unescape(match[0]).replace("\0", "")
        text.append(read)
        places += [min(match.start() + number, match.end() - 1) for number in range(len(read))]
    return "".join(text), np.array(places, np.int64)


def is_space(text: str) -> NDArray[np.bool_]:
    """Which characters of a text are white space."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    used, which = np.unique(codes, return_inverse=True)
    is_space = np.array([bool(char_class(chr(code)) & SPACE) for code in used.tolist()], np.bool_)
    return is_space[which]
