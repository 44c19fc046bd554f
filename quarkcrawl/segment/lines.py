"""Readable text of chosen text runs: lines where a reader sees lines."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tags import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

    BoolArray = NDArray[np.bool_]

__all__ = ["BLOCK_LEVEL_TAGS", "LineReader", "lines_of"]

_BLOCK_LEVEL: Final = """
    address article aside blockquote body br caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html
    legend li listing main marquee menu nav noframes object ol optgroup option p plaintext pre
    search section summary table tbody tfoot thead tr ul xmp
"""

BLOCK_LEVEL_TAGS: Final = frozenset(_BLOCK_LEVEL.split())
"""Elements that start and end a line (``br`` among them)."""

_CELLS: Final = ("td", "th")
_PREFORMATTED: Final = ("pre", "listing", "plaintext", "textarea", "xmp")


def _table() -> BoolArray:
    table = np.zeros(MAX_TAG_ID + 1, np.bool_)
    table[[TAG_IDS[name] for name in BLOCK_LEVEL_TAGS]] = True
    return table


_IS_BLOCK_LEVEL: Final = _table()


class LineReader:
    """Reads runs of one page as lines; what it learns about the page serves all its calls.

    Args:
        tree: the page.
    """

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree

    def _n_breaks(self, nodes: BoolArray | list[int]) -> NDArray[np.int64]:
        """Starts and ends of these nodes in front of each run or before it."""
        tree = self._tree
        n_places = len(tree.runs) + 1
        starts = np.bincount(tree.run_start[nodes], minlength=n_places)
        return np.cumsum(starts + np.bincount(tree.run_end[nodes], minlength=n_places))

    @cached_property
    def _n_lines(self) -> NDArray[np.int64]:
        return self._n_breaks(_IS_BLOCK_LEVEL[self._tree.tag])

    @cached_property
    def _n_cells(self) -> NDArray[np.int64]:
        return self._n_breaks(self._tree.nodes(*_CELLS))

    @cached_property
    def _preformatted(self) -> BoolArray:
        tree = self._tree
        inside = np.zeros(len(tree.runs) + 1, np.int64)
        nodes = tree.nodes(*_PREFORMATTED)
        np.add.at(inside, tree.run_start[nodes], 1)
        np.add.at(inside, tree.run_end[nodes], -1)
        return np.cumsum(inside[:-1]) > 0

    def text(self, run_mask: BoolArray) -> str:
        """Text of the chosen runs.

        Args:
            run_mask: which runs, one entry a run.

        Returns:
            Lines without empty ones; cells of a table row are parted by tabs. White space is
            folded to single spaces except in preformatted text.
        """
        chosen = np.flatnonzero(run_mask)
        if not len(chosen):
            return ""
        pieces = self._pieces(chosen, self._n_lines)
        lines = [self._line(chosen[first:last]) for first, last in pieces]
        return "\n".join(filter(None, lines))

    @staticmethod
    def _pieces(chosen: NDArray[np.intp], n_breaks: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Slices of the chosen runs between which breaks lie."""
        bounds = np.flatnonzero(np.diff(n_breaks[chosen])) + 1
        edges = [0, *bounds.tolist(), len(chosen)]
        return list(pairwise(edges))

    def _line(self, chosen: NDArray[np.intp]) -> str:
        runs = self._tree.runs
        if self._preformatted[chosen[0]]:
            return "".join([runs[number] for number in chosen.tolist()]).strip("\r\n").rstrip()
        cells = [
            " ".join("".join([runs[number] for number in chosen[first:last].tolist()]).split())
            for first, last in self._pieces(chosen, self._n_cells)
        ]
        return "\t".join(filter(None, cells))


def lines_of(tree: PageTree, run_mask: BoolArray) -> str:
    """Readable text of chosen runs, see `LineReader.text`.

    Args:
        tree: the page.
        run_mask: which runs, one entry a run.
    """
    return LineReader(tree).text(run_mask)
