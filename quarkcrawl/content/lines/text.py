"""What the characters of each line tell, counted in one pass over the page's text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.columns import TEXT_COLUMNS
from quarkcrawl.content.lines.loops import find_title
from quarkcrawl.content.lines.scoring import MAX_HEAD, MAX_TAIL, TEXT_BITS, line_tokens
from quarkcrawl.content.loops import count_classes, sum_lines
from quarkcrawl.page.text import char_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.page import PageTree

    CountArray = NDArray[np.int32]


COUNTS: Final = (
    *("space", "punctuation", "stop", "han", "digit", "letter", "capital", "sentence_end"),
    *("separator", "comma_or_stop", "quote", "chars", "in_title"),
)
"""What is counted; the first eleven are bits of a character's class."""

_SHARE: Final = TEXT_COLUMNS.index("title_share")
_RATIO: Final = TEXT_COLUMNS.index("title_ratio")
_LEAST_SHARE: Final = 0.85
_MOST_CHARS: Final = 6.0
"""A line with fewer characters shows no title that has more."""

_LAST: Final = 0xFFFF
_SETS: Final = {
    7: "。！？!?.；;…",
    8: "|｜›»>/·•-_—«<→:：",
    9: "，。、；！？：,.",
    10: '“”"「」『』‘’《》',
}


@cache
def _classes() -> NDArray[np.uint16]:
    table = np.zeros(_LAST + 1, np.uint16)
    for code in range(_LAST):
        char = chr(code)
        bits = char_class(char) & 15
        bits |= 16 * char.isdigit() | 64 * char.isupper()
        bits |= 32 * (char.isalpha() and not bits & 8)
        table[code] = bits
    for bit, chars in _SETS.items():
        for char in chars:
            table[ord(char)] |= 1 << bit
    table[_LAST] = 8  # stands for all planes above the first: mostly rare Chinese characters
    return table


@dataclass(slots=True, eq=False)
class LineText:
    """Characters of a page's runs, then of its lines.

    Args:
        codes: characters of the visible runs, each with a sign that ends it.
        bounds: where each run starts in ``codes``.
        run_counts: one row of `COUNTS` a run.
        run_first: classes of each run's first visible character.
        run_last: classes of each run's last visible character.
        stretch: equal for runs between which no element starts or ends, but a comment stands.
        title_chars: visible characters of the title, at least 1.

    Attributes:
        counts: one row of `COUNTS` a line; like what follows, set by `sum_lines`.
        first: classes of each line's first visible character.
        last: classes of each line's last visible character.
        link_chars: visible characters of each line that stand in links.
        n_runs: runs of each line, those that only a comment parts counted as one.
    """

    codes: NDArray[np.uint32]
    bounds: CountArray
    run_counts: CountArray
    run_first: CountArray
    run_last: CountArray
    stretch: CountArray
    title_chars: int
    counts: CountArray = field(init=False)
    first: CountArray = field(init=False)
    last: CountArray = field(init=False)
    link_chars: CountArray = field(init=False)
    n_runs: CountArray = field(init=False)

    def sum_lines(self, cut: LineCut) -> None:
        """Work out the counts of lines."""
        self.counts = np.zeros((len(cut), len(COUNTS)), np.int32)
        self.first, self.last, self.link_chars, self.n_runs = np.zeros((4, len(cut)), np.int32)
        of_lines = self.counts, self.first, self.last, self.link_chars, self.n_runs
        of_runs = self.run_counts, self.run_first, self.run_last
        sum_lines(cut.run_line, *of_runs, cut.lines.linked, self.stretch, *of_lines)

    def tokens(self, cut: LineCut) -> tuple[CountArray, CountArray]:
        """Hashed words of the lines, see `line_tokens`."""
        return line_tokens(
            self.codes, self.bounds, cut.run_line, len(cut), TEXT_BITS, MAX_HEAD, MAX_TAIL
        )


def line_text(tree: PageTree) -> LineText:
    """Count the characters of a page's visible runs.

    Args:
        tree: the page.
    """
    title, chars = tree.title, tree.run_class
    codes = chars.codes.astype(np.uint32)
    in_title = np.zeros(_LAST + 1, np.bool_)
    seen = [code for code in map(ord, title.replace(" ", "")) if code < _LAST]
    in_title[seen] = True
    counts = np.zeros((len(tree.runs), len(COUNTS)), np.int32)
    first, last = np.zeros(len(tree.runs), np.int32), np.zeros(len(tree.runs), np.int32)
    count_classes(codes, chars.starts, _classes(), in_title, counts, first, last)
    edges = np.zeros(len(tree.runs) + 1, np.int32)
    edges[tree.run_start] = edges[tree.run_end] = 1
    stretch = np.cumsum(edges[:-1], dtype=np.int32)
    return LineText(codes, chars.starts, counts, first, last, stretch, max(len(seen), 1))


def title_place(text: NDArray[np.float32]) -> int:
    """The line that shows most of the title, -1 if none does.

    Args:
        text: the text columns of the features.
    """
    return find_title(text, _SHARE, _RATIO, _LEAST_SHARE, _MOST_CHARS)
