"""The visible lines of a page, as headline, date and source are sought in them."""

from __future__ import annotations

from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tags import MAX_TAG_ID, TAG_IDS
from quarkcrawl.segment.lines import BLOCK_LEVEL_TAGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

__all__ = ["MAX_LINES", "PageLines", "fold"]

MAX_LINES: Final = 20_000
"""Lines behind that many are not looked at."""

_BREAK: Final = "\x01"
_MAX_RUN_CHARS: Final = 2_000


def _table() -> NDArray[np.bool_]:
    table = np.zeros(MAX_TAG_ID + 1, np.bool_)
    table[[TAG_IDS[name] for name in (*BLOCK_LEVEL_TAGS, "td", "th")]] = True
    return table


_PARTS_LINES: Final = _table()


def fold(text: str) -> str:
    """White space folded to single spaces, none at the ends."""
    return " ".join(text.split())


def _joined(runs: list[str], breaks: NDArray[np.bool_]) -> str:
    """The lines; each break is a mark of its own, since folding takes line feeds away."""
    pieces = [""] * (2 * len(runs))
    pieces[::2] = np.where(breaks, _BREAK, "").tolist()
    pieces[1::2] = runs
    text = " ".join("".join(pieces[1:]).split())
    if text.count(_BREAK) != max(int(np.count_nonzero(breaks)) - 1, 0):
        return _joined([run.replace(_BREAK, "") for run in runs], breaks)
    return text.replace(" " + _BREAK, _BREAK).replace(_BREAK + " ", _BREAK).replace(_BREAK, "\n")


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
        nodes = _PARTS_LINES[tree.tag]
        n_places = len(tree.runs) + 1
        n_breaks = np.cumsum(
            np.bincount(tree.run_start[nodes], minlength=n_places)
            + np.bincount(tree.run_end[nodes], minlength=n_places)
        )
        is_shown = ~tree.run_raw
        shown = np.flatnonzero(is_shown)
        breaks = np.diff(n_breaks[shown], prepend=-1) > 0
        line_of_shown = np.cumsum(breaks) - 1
        last = int(np.searchsorted(line_of_shown, MAX_LINES))
        if last < len(shown):
            is_shown[shown[last] :] = False
        self._shown, self._line_of_shown = shown[:last], line_of_shown[:last]
        self.text = _joined(list(compress(tree.runs, is_shown.tolist())), breaks[:last])
        self.lines = self.text.split("\n") if last else []

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each line starts in ``text``."""
        lengths = np.fromiter(map(len, self.lines), np.int64, len(self.lines)) + 1
        return np.cumsum(lengths) - lengths

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Number of each line; of equal ones the first."""
        numbers = range(len(self.lines) - 1, -1, -1)
        return dict(zip(reversed(self.lines), numbers, strict=True))

    def line_at(self, place: int) -> int:
        """Number of the line in which a character of ``text`` stands."""
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    def line_of_node(self, node: int) -> int:
        """Number of the line where a node's text starts (that of the next one if it has none)."""
        place = int(np.searchsorted(self._shown, self._tree.run_start[node]))
        return int(self._line_of_shown[place]) if place < len(self._shown) else len(self.lines)

    def node_text(self, node: int) -> str:
        """Folded visible text of a node, cut after some thousand characters."""
        first, last = np.searchsorted(
            self._shown, (self._tree.run_start[node], self._tree.run_end[node])
        ).tolist()
        numbers = self._shown[first : min(last, first + 50)].tolist()
        runs = self._tree.runs
        return fold("".join([runs[number][:_MAX_RUN_CHARS] for number in numbers]))

    @cached_property
    def is_link(self) -> NDArray[np.bool_]:
        """Lines that stand in links altogether."""
        chars = self._tree.run_chars[self._shown]
        n_lines = len(self.lines)
        outside = chars * ~self._tree.run_anchor[self._shown]
        total = np.bincount(self._line_of_shown, weights=chars, minlength=n_lines)
        plain = np.bincount(self._line_of_shown, weights=outside, minlength=n_lines)
        is_link: NDArray[np.bool_] = (total > 0) & (plain == 0)
        return is_link
