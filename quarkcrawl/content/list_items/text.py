"""Text of the items of a list, line by line as a reader sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata import first_date

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree


MAX_DATE_CHARS: Final = 60
"""Longer lines are text that speaks of a date."""

_MAX_MARK_LETTERS: Final = 10
"""A date has no more letters with it, such as "Posted" or the name of a month."""


class ItemText:
    """Reads text of a page.

    Args:
        tree: the page.
    """

    def __init__(self, tree: PageTree) -> None:
        self.tree = tree
        self.piece: list[int] = tree.run_lines.piece.tolist()
        self._is_shown = (tree.run_chars > 0).tolist()

    def inside(self, nodes: NDArray[np.intp], outer: int) -> list[int]:
        """Those of some nodes that an element is or holds.

        Args:
            nodes: the nodes, ascending.
            outer: the element.
        """
        start, end = nodes.searchsorted([outer, self.tree.end[outer]])
        inner: list[int] = nodes[start:end].tolist()
        return inner

    def outermost(self, nodes: NDArray[np.intp], outer: int) -> list[int]:
        """`inside`, without those that stand in another of them.

        Args:
            nodes: the nodes, ascending.
            outer: the element.
        """
        outer_ones, next_node = list[int](), 0
        for node in self.inside(nodes, outer):
            if node >= next_node:
                outer_ones.append(node)
                next_node = int(self.tree.end[node])
        return outer_ones

    def runs_of(self, node: int) -> tuple[int, int]:
        """The first run of a node, and one past its last.

        Args:
            node: number of an element.
        """
        return int(self.tree.run_start[node]), int(self.tree.run_end[node])

    def rows(self, start: int, end: int) -> dict[int, list[int]]:
        """The runs of a slice that are shown, by the piece of a line that they stand in.

        Args:
            start: the first run.
            end: one past the last run.
        """
        rows: dict[int, list[int]] = {}
        for run in range(start, end):
            if self._is_shown[run]:
                rows.setdefault(self.piece[run], []).append(run)
        return rows

    def said(self, runs: Iterable[int]) -> str:
        """What some runs say, on one line.

        Args:
            runs: numbers of text runs, in document order.
        """
        return " ".join("".join(map(self.tree.spaced_runs.__getitem__, runs)).split())

    def text(self, node: int) -> str:
        """What a node says, on one line.

        Args:
            node: number of an element.
        """
        return " ".join(filter(None, map(self.said, self.rows(*self.runs_of(node)).values())))


def n_letters(text: str) -> int:
    """How many letters a text has.

    Args:
        text: a line, or a part of it.
    """
    return sum(map(str.isalpha, text))


def is_mark(text: str) -> bool:
    """Whether a text is no more than a date, a number or a sign.

    >>> is_mark("发布于 2012-03-05"), is_mark("3."), is_mark("天网")
    (True, True, False)

    Args:
        text: a line, or a part of it.
    """
    letters = n_letters(text)
    if not letters:
        return True
    if letters > _MAX_MARK_LETTERS or len(text) >= MAX_DATE_CHARS:
        return False
    return any(map(str.isnumeric, text)) and first_date(text) != ""
