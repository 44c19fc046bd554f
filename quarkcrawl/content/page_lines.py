"""The visible lines of a page, as headline, date and source are sought in them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.loops import number_shown
from quarkcrawl.segment import LineReader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

    Places = NDArray[np.intp]


MAX_LINES: Final = 20_000
"""Lines behind that many are not looked at."""

_MAX_RUNS: Final = 100
"""So many runs of a line or heading are read."""

_MIN_CHARS: Final = 3
_BLANKS: Final = " \u200b\u200c\u200d\u2060\ufeff"
"""What a folded text holds besides characters that `PageTree.run_chars` counts."""


def fold(text: str) -> str:
    """White space folded to single spaces, none at the ends."""
    return " ".join(text.split())


class _Numbers(NamedTuple):
    """The lines by numbers.

    Args:
        shown: numbers of the shown runs.
        first: place of each line's first run among them.
        chars: visible characters of each line.
        line_of_run: line of each run, -1 for those that are not shown.
    """

    shown: Places
    first: Places
    chars: Places
    line_of_run: Places


class PageLines:
    """Visible text line by line; table cells are lines of their own.

    White space between two blocks is no line, so that it does not matter how a page is written.

    The lines are numbered at once; their text is put together when it is first asked for.

    Args:
        tree: the page.
    """

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree

    @cached_property
    def _numbers(self) -> _Numbers:
        tree, n = self._tree, len(self._tree.runs)
        line_numbers = _Numbers(*np.empty((4, n + 1), np.intp))
        number_shown(tree.run_raw, tree.run_lines.piece, tree.run_chars, MAX_LINES, *line_numbers)
        n_shown, n_lines = int(line_numbers.shown[n]), int(line_numbers.first[n])
        shown, first, chars, line_of_run = line_numbers
        return _Numbers(shown[:n_shown], first[:n_lines], chars[:n_lines], line_of_run[:n])

    def line_of_run(self, run: int) -> int:
        """Number of the line that a run stands in, -1 for a hidden one."""
        return int(self._numbers.line_of_run[run])

    def __len__(self) -> int:
        return len(self._numbers.first)

    @cached_property
    def lines(self) -> list[str]:
        """The lines, white space folded."""
        return self.text.split("\n") if len(self) else []

    @cached_property
    def text(self) -> str:
        """The lines joined by line feeds."""
        return LineReader(self._tree).pieces(self._numbers.shown) if len(self) else ""

    def first_of(self, texts: Iterable[str]) -> dict[str, int]:
        """Of some folded texts those that are a whole line, and the first run of that line.

        Args:
            texts: none of them empty.
        """
        lengths = {text: len(text) - sum(map(text.count, _BLANKS)) for text in texts}
        if not lengths or not len(self):
            return {}
        fits = np.zeros(max(lengths.values()) + 2, np.bool_)
        fits[list(lengths.values())] = True
        shown, first, chars, _ = self._numbers
        numbers = fits.take(chars, mode="clip").nonzero()[0]
        starts = shown[first[numbers]].tolist()
        initials = {"", *(text[0] for text in lengths)}
        runs = self._tree.runs
        start_of: dict[str, int] = {}
        for number, start in zip(numbers.tolist(), starts, strict=True):
            if runs[start].lstrip()[:1] in initials:
                text = self._text_of(number)
                if text in lengths:
                    start_of.setdefault(text, start)
        return start_of

    def _text_of(self, number: int) -> str:
        """One line."""
        shown, first, _, _ = self._numbers
        end = first[number + 1] if number + 1 < len(first) else len(shown)
        runs = shown[first[number] : end][:_MAX_RUNS].tolist()
        return fold("".join([self._tree.runs[run] for run in runs]))

    def text_of_runs(self, start: int, end: int, max_lines: int) -> str:
        """The first lines of a slice of runs, joined by spaces."""
        if end - start == 1:
            return "" if self._tree.run_raw[start] else fold(self._tree.runs[start])
        texts, first, last = list[str](), -1, -1
        numbers = self._numbers.line_of_run[start : min(end, start + _MAX_RUNS)].tolist()
        for run, line in enumerate(numbers, start):
            if line != last and line >= 0:
                first = first if texts else line
                if line >= first + max_lines:
                    break
                texts.append(" ")
                last = line
            if line >= 0:
                texts.append(self._tree.runs[run])
        return fold("".join(texts))

    def line_with(self, text: str) -> int:
        """Number of the first line that contains a text of some length, -1 if there is none."""
        place = self.text.find(text) if len(text) >= _MIN_CHARS else -1
        return self.line_at(place) if place >= 0 else -1

    def text_of_line_at(self, run: int) -> str:
        """The line that a run stands in."""
        number = self.line_of_run(run)
        return self._text_of(number) if number >= 0 else ""

    def start_of(self, number: int) -> int:
        """Where a line starts in ``text``."""
        return sum(map(len, self.lines[:number])) + number

    def line_at(self, place: int) -> int:
        """Number of the line in which a character of ``text`` stands."""
        return self.text.count("\n", 0, place)

    def lines_of_nodes(self, nodes: list[int]) -> list[tuple[int, int]]:
        """For each node the number of its first line and one past that of its last one."""
        if not nodes:
            return []
        shown, firsts, _, _ = self._numbers
        first = shown.searchsorted(self._tree.run_start[nodes])
        last = shown.searchsorted(self._tree.run_end[nodes])
        # A node without visible text stands on the line of the next visible run.
        starts = firsts.searchsorted(first, "right") - (first < len(shown))
        ends = np.where(last > first, firsts.searchsorted(last - 1, "right"), starts)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def runs_between(self, first: int, last: int) -> tuple[int, int]:
        """The first run of one line and one past the last run of a later one."""
        shown, firsts, _, _ = self._numbers
        if not len(firsts):
            return 0, 0
        start = int(shown[firsts[min(max(first, 0), len(firsts) - 1)]])
        end = int(shown[firsts[last + 1]]) if last + 1 < len(firsts) else len(self._tree.runs)
        return start, max(start, end)

    def is_link(self, number: int) -> bool:
        """Whether all of a line is linked."""
        shown, firsts, _, _ = self._numbers
        end = firsts[number + 1] if number + 1 < len(firsts) else len(shown)
        runs, is_linked = shown[firsts[number] : end], self._tree.run_anchor
        places = zip(runs.tolist(), is_linked[runs].tolist(), strict=True)
        return all(is_anchor or not self._tree.runs[run].strip() for run, is_anchor in places)
