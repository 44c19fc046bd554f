"""The visible lines of a page, as headline, date and source are sought in them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS
from quarkcrawl.segment import BLOCK_LEVEL_TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


MAX_LINES: Final = 20_000
"""Lines behind that many are not looked at."""


def _table() -> NDArray[np.bool_]:
    table = np.zeros(MAX_TAG_ID + 1, np.bool_)
    table[[TAG_IDS[name] for name in (*BLOCK_LEVEL_TAGS, "td", "th")]] = True
    return table


_PARTS_LINES: Final = _table()


def fold(text: str) -> str:
    """White space folded to single spaces, none at the ends."""
    return " ".join(text.split())


def _folded_lines(
    runs: list[str], first: NDArray[np.intp], n_chars: NDArray[np.int32]
) -> list[str]:
    """The lines; two of three hold no visible character and need no look.

    Args:
        runs: the shown runs.
        first: first run of each line.
        n_chars: visible characters of each run.
    """
    lines = [""] * len(first)
    if not lines:
        return lines
    last = np.append(first[1:], len(runs))
    inked = np.add.reduceat(n_chars, first).nonzero()[0]
    places = zip(inked.tolist(), first[inked].tolist(), last[inked].tolist(), strict=True)
    for number, start, end in places:
        text = runs[start] if end - start == 1 else "".join(runs[start:end])
        lines[number] = " ".join(text.split())
    return lines


def _n_edges(tree: PageTree) -> NDArray[np.int32]:
    """How many places at or before each run a line begins or ends at."""
    nodes = _PARTS_LINES[tree.tag].nonzero()[0]
    is_edge = np.zeros(len(tree.runs) + 1, np.bool_)
    is_edge[tree.run_start[nodes]] = True
    is_edge[tree.run_end[nodes]] = True
    return is_edge.cumsum(dtype=np.int32)[:-1]


class PageLines:
    """Visible text line by line; table cells are lines of their own.

    Args:
        tree: the page.

    Attributes:
        text: the lines joined by line feeds, white space folded.
        lines: the lines; some may be empty.
    """

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree
        shown = (~tree.run_raw).nonzero()[0]
        n_edges = (_n_edges(tree) if tree.folding is None else tree.folding.run_piece)[shown]
        breaks = np.ones(len(shown), np.bool_)
        np.not_equal(n_edges[1:], n_edges[:-1], out=breaks[1:])
        line_of_shown = breaks.cumsum() - 1
        if len(shown) and line_of_shown[-1] >= MAX_LINES:
            last = int(line_of_shown.searchsorted(MAX_LINES))
            shown, breaks, line_of_shown = shown[:last], breaks[:last], line_of_shown[:last]
        self._shown, self._line_of_shown = shown, line_of_shown
        if tree.folding is not None:
            self.text = tree.folding.pieces(shown)
            self.lines = self.text.split("\n") if len(shown) else []
        else:
            runs = list(map(tree.runs.__getitem__, shown.tolist()))
            self.lines = _folded_lines(runs, breaks.nonzero()[0], tree.run_chars[shown])
            self.text = "\n".join(self.lines)

    def start_of(self, number: int) -> int:
        """Where a line starts in ``text``."""
        return sum(map(len, self.lines[:number])) + number

    def line_of(self, text: str) -> int:
        """Number of the first line that is a text and nothing else, -1 if there is none."""
        place = self._framed.find(f"\n{text}\n") if text else -1
        return self.line_at(place) if place >= 0 else -1

    @cached_property
    def _framed(self) -> str:
        return f"\n{self.text}\n"

    def line_at(self, place: int) -> int:
        """Number of the line in which a character of ``text`` stands."""
        return self.text.count("\n", 0, place)

    def lines_at(self, places: list[int]) -> list[int]:
        """The same for several characters, in ascending order."""
        found, number, done = list[int](), 0, 0
        for place in places:
            number += self.text.count("\n", done, place)
            done = place
            found.append(number)
        return found

    def lines_of_nodes(self, nodes: list[int]) -> list[tuple[int, int]]:
        """For each node the number of its first line and one past that of its last one."""
        if not nodes:
            return []
        first = self._shown.searchsorted(self._tree.run_start[nodes])
        last = self._shown.searchsorted(self._tree.run_end[nodes])
        numbers = np.append(self._line_of_shown, len(self.lines))
        starts = numbers[first]
        ends = np.where(last > first, numbers[last - 1] + 1, starts)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def is_link(self, number: int) -> bool:
        """Whether all of a line is linked."""
        first, last = self._line_of_shown.searchsorted((number, number + 1)).tolist()
        runs = self._shown[first:last]
        texts = self._tree.runs
        linked = self._tree.run_anchor[runs].tolist()
        pairs = zip(runs.tolist(), linked, strict=True)
        return all(is_linked or not texts[run].strip() for run, is_linked in pairs)
