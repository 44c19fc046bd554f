"""Readable text of chosen text runs: lines where a reader sees lines.

The characters of a page stand in one array since they were counted. One loop writes those that
were chosen into another, which becomes one string, and the texts are slices of it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.text import SPACE, char_classes
from quarkcrawl.segment.loops import find_beginnings, find_pieces, fold, most_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    SumArray = NDArray[np.int64]
    Codes = NDArray[np.unsignedinteger]
    Places = NDArray[np.intp]


_TEXTS, _FIRST_LINES, _ALL_PIECES = 0, 1, 2
_ZERO_WIDTH: Final = (0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)


@cache
def _white() -> ByteArray:
    """Whether ``str.split`` parts words at each code; at those without width it does not."""
    white = (char_classes() & SPACE).astype(np.uint8)
    white[list(_ZERO_WIDTH)] = 0
    return white


def _beginnings(edges: Places, upto: SumArray, sets: Places, n_chars: int, mode: int) -> Places:
    """Slices of some sets of runs; with ``_FIRST_LINES`` each begins with a visible character."""
    slices = np.empty((2, len(sets)), np.intp)
    run_sets = np.ascontiguousarray(sets, np.intp)
    find_beginnings(edges, upto, run_sets, n_chars, mode == _FIRST_LINES, slices)
    return slices


class LineReader:
    """Reads runs of one page as lines.

    Args:
        tree: the page.
    """

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree

    def text(self, run_mask: BoolArray) -> str:
        """Text of the chosen runs.

        Args:
            run_mask: which runs, one entry a run; hidden ones are left out.

        Returns:
            Lines without empty ones; cells of a table row are parted by tabs. White space is
            folded to single spaces except in preformatted text.
        """
        return self.text_of((run_mask & ~self._tree.run_raw).nonzero()[0])

    def text_of(self, runs: Places) -> str:
        """Text of visible runs given by their numbers, ascending; else as `text`.

        Args:
            runs: numbers of the runs.
        """
        return self.texts_of(runs, np.array([0, len(runs)]))[0]

    def texts_of(self, runs: Places, edges: Places) -> list[str]:
        """Texts of several sets of runs at once; else as `text_of`.

        Args:
            runs: the runs of the first set, of the second, …
            edges: where each set starts in ``runs``, and where the last one ends.
        """
        slices = np.array((edges[:-1], edges[1:]), np.intp)
        return self._read(np.ascontiguousarray(runs, np.intp), slices, _TEXTS)

    def first_texts(
        self, runs: tuple[Places, Places], upto: SumArray, sets: Places, n_chars: int
    ) -> list[str]:
        """The beginnings of some sets of runs; else as `texts_of`.

        Args:
            runs: runs of all sets, and where each set starts among them.
            upto: visible characters before each of these runs.
            sets: numbers of the wanted sets.
            n_chars: each text is given as far as this many visible characters at least.
        """
        slices = _beginnings(runs[1], upto, sets, n_chars, _TEXTS)
        return self._read(runs[0], slices, _TEXTS)

    def first_lines(
        self, runs: tuple[Places, Places], upto: SumArray, sets: Places, n_chars: int
    ) -> tuple[list[str], Places]:
        """The first line of some sets, and the run that each begins with.

        Args:
            runs: runs of all sets, and where each set starts among them.
            upto: visible characters before each of these runs.
            sets: numbers of the wanted sets.
            n_chars: each line is given as far as this many visible characters at least.
        """
        slices = _beginnings(runs[1], upto, sets, n_chars, _FIRST_LINES)
        firsts = runs[0][slices[0]]
        return self._read(runs[0], slices, _FIRST_LINES), firsts

    def lines(self, run_mask: BoolArray) -> list[tuple[int, str]]:
        """Lines one by one, each table cell a line of its own; else as `text`.

        Args:
            run_mask: which runs, one entry a run; hidden ones are left out.

        Returns:
            Number of the first run and text of each line.
        """
        visible = (run_mask & ~self._tree.run_raw).nonzero()[0]
        slices = np.empty((2, len(visible)), np.intp)
        n = find_pieces(visible, self._tree.run_lines.piece, self._tree.run_chars, slices)
        slices = slices[:, :n].copy()
        firsts = visible[slices[0]].tolist()
        return list(zip(firsts, self._read(visible, slices, _TEXTS), strict=True))

    def pieces(self, visible: Places) -> str:
        """All pieces of lines, empty ones too, and nothing counts as preformatted.

        Args:
            visible: numbers of visible runs, ascending.
        """
        runs = np.ascontiguousarray(visible, np.intp)
        return self._read(runs, np.array([[0], [len(runs)]]), _ALL_PIECES)[0]

    def _read(self, runs_of_sets: Places, slices: Places, mode: int) -> list[str]:
        """Texts of sets of runs, one of each slice of those chosen; ``slices`` are overwritten.

        With ``_FIRST_LINES`` a set ends with its first line, and nothing counts as preformatted;
        with ``_ALL_PIECES`` each piece is a line of its own, empty ones, too.
        """
        chars, lines = self._tree.run_class, self._tree.run_lines
        codes = np.empty(most_codes(chars.starts, runs_of_sets, slices), chars.codes.dtype)
        runs = chars.starts, chars.inked, lines.piece, lines.row, lines.preformatted
        modes = mode == _FIRST_LINES, mode == _ALL_PIECES
        fold(chars.codes, *runs, _white(), runs_of_sets, slices, *modes, codes)
        starts, ends = slices.tolist()
        text = _decoded(codes[: ends[-1] if ends else 0])
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _decoded(codes: Codes) -> str:
    """The text of which these are the codes, one character each."""
    if codes.itemsize == 2:
        text = codes.tobytes().decode("utf-16-le", "surrogatepass")
        if len(text) == len(codes):  # else two halves were taken for one character
            return text
    return codes.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def lines_of(tree: PageTree, run_mask: BoolArray) -> str:
    """Readable text of chosen runs, see `LineReader.text`.

    Args:
        tree: the page.
        run_mask: which runs, one entry a run.
    """
    return LineReader(tree).text(run_mask)
