"""What the characters of each line tell, counted in one compiled pass over the page's text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.columns import TEXT_COLUMNS
from quarkcrawl.content.lines.linear import MAX_HEAD, MAX_TAIL, TEXT_BITS, line_tokens
from quarkcrawl.kernels import compiled
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
        known = char_class(char) & 15
        known |= 16 * char.isdigit() | 64 * char.isupper()
        known |= 32 * (char.isalpha() and not known & 8)
        table[code] = known
    for bit, chars in _SETS.items():
        for char in chars:
            table[ord(char)] |= 1 << bit
    table[_LAST] = 8  # stands for all planes above the first: mostly rare Chinese characters
    return table


@compiled
def _count(
    codes: NDArray[np.uint32],
    bounds: CountArray,
    classes: NDArray[np.uint16],
    in_title: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    n_runs = len(bounds) - 1
    counts = np.zeros((n_runs, 13), np.int32)
    first, last = np.zeros(n_runs, np.int32), np.zeros(n_runs, np.int32)
    for run in range(n_runs):
        n_chars = n_shared = n_han = n_small = 0  # local: half the time of adding to the array
        for place in range(bounds[run], bounds[run + 1] - 1):  # the last one ends the run
            code = min(codes[place], 65535)
            found = classes[code]
            if not found & 1:
                n_chars += 1
                n_shared += in_title[code]
                last[run] = found | 32768
                if n_chars == 1:
                    first[run] = found | 32768
            if found == 8:
                n_han += 1
            elif found == 32:
                n_small += 1
            else:
                bit = 0
                while found:
                    counts[run, bit] += found & 1
                    found >>= 1
                    bit += 1
        counts[run, 11], counts[run, 12] = n_chars, n_shared
        counts[run, 3] += n_han
        counts[run, 5] += n_small
    return counts, first, last


@compiled
def _sum_lines(
    run_line: NDArray[np.int32],
    n_lines: int,
    counts: CountArray,
    first: CountArray,
    last: CountArray,
    run_link: NDArray[np.bool_],
) -> tuple[CountArray, CountArray, CountArray, CountArray, CountArray]:
    """Counts of lines, class of their first and last character, characters in links, runs."""
    total = np.zeros((n_lines, counts.shape[1]), np.int32)
    line_first, line_last = np.zeros(n_lines, np.int32), np.zeros(n_lines, np.int32)
    link_chars, n_runs = np.zeros(n_lines, np.int32), np.zeros(n_lines, np.int32)
    for run in range(len(run_line)):
        line = run_line[run]
        if line < 0:
            continue
        for kind in range(counts.shape[1]):
            total[line, kind] += counts[run, kind]
        if line_first[line] == 0:
            line_first[line] = first[run]
        line_last[line] = last[run]
        link_chars[line] += counts[run, 11] * run_link[run]
        n_runs[line] += 1
    return total, line_first, line_last, link_chars, n_runs


@dataclass(slots=True, eq=False)
class LineText:
    """Characters of a page's runs, then of its lines.

    Args:
        codes: characters of the visible runs, each with a sign that ends it.
        bounds: where each run starts in ``codes``.
        run_counts: one row of `COUNTS` a run.
        run_first: classes of each run's first visible character.
        run_last: classes of each run's last visible character.
        title_chars: visible characters of the title, at least 1.

    Attributes:
        counts: one row of `COUNTS` a line; like what follows, set by `sum_lines`.
        first: classes of each line's first visible character.
        last: classes of each line's last visible character.
        link_chars: visible characters of each line that stand in links.
        n_runs: runs of each line.
    """

    codes: NDArray[np.uint32]
    bounds: CountArray
    run_counts: CountArray
    run_first: CountArray
    run_last: CountArray
    title_chars: int
    counts: CountArray = field(init=False)
    first: CountArray = field(init=False)
    last: CountArray = field(init=False)
    link_chars: CountArray = field(init=False)
    n_runs: CountArray = field(init=False)

    def sum_lines(self, cut: LineCut) -> None:
        """Work out the counts of lines."""
        self.counts, self.first, self.last, self.link_chars, self.n_runs = _sum_lines(
            cut.run_line,
            len(cut),
            self.run_counts,
            self.run_first,
            self.run_last,
            cut.lines.linked,
        )

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
    seen = [ord(char) for char in title if ord(char) < _LAST and not char.isspace()]
    in_title[seen] = True
    counts = _count(codes, chars.starts, _classes(), in_title)
    return LineText(codes, chars.starts, *counts, max(len(seen), 1))


def title_place(text: NDArray[np.float32]) -> int:
    """The line that shows most of the title, -1 if none does.

    Args:
        text: the text columns of the features.
    """
    chars, share, ratio = text[:, 0], text[:, _SHARE], text[:, _RATIO]
    title_chars = chars[0] / ratio[0]
    match = np.where((share > 0.85) & (chars >= min(6, title_chars)), np.minimum(ratio, 1), 0)
    best = int(np.argmax(match))
    return best if match[best] > 0 else -1
