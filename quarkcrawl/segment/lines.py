"""Readable text of chosen text runs: lines where a reader sees lines.

The characters of a page stand in one array since they were counted. One loop writes those that
were chosen into another, which becomes one string, and the texts are slices of it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.page.text import SPACE, char_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    SumArray = NDArray[np.int64]
    Codes = NDArray[np.unsignedinteger]
    Places = NDArray[np.intp]


_TEXTS, _FIRST_LINES, _ALL_PIECES = 0, 1, 2
_TAB, _LINE_FEED, _RETURN, _BLANK = map(ord, "\t\n\r ")
_ZERO_WIDTH: Final = (0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)


@compiled
def _is_white(code: int, classes: ByteArray) -> bool:
    """Whether ``str.split`` parts words at a character; at those without width it does not."""
    return (classes[min(code, len(classes) - 1)] & SPACE) != 0 and code not in _ZERO_WIDTH


@compiled
def _write_folded(out: Codes, n: int, text: Codes, classes: ByteArray, begin: int) -> int:
    """Append a run to the piece that begins at ``begin``; an open gap is kept as a blank."""
    for code in text:
        if not _is_white(code, classes):
            out[n] = code
            n += 1
        elif n > begin and out[n - 1] != _BLANK:
            out[n] = _BLANK
            n += 1
    return n


@compiled
def _write_as_is(out: Codes, n: int, text: Codes, begin: int) -> int:
    """Append a run of preformatted text without the line ends that the piece begins with."""
    for code in text:
        if n > begin or code not in (_LINE_FEED, _RETURN):
            out[n] = code
            n += 1
    return n


@compiled
def _piece(
    chosen: Places, place: int, last: int, run_piece: IntArray, run_chars: IntArray
) -> tuple[int, int]:
    """Where the piece that begins at a place ends, and its visible characters."""
    behind, inked = place, 0
    while behind < last and run_piece[chosen[behind]] == run_piece[chosen[place]]:
        inked += run_chars[chosen[behind]]
        behind += 1
    return behind, inked


@compiled
def _fold(  # noqa: PLR0913, PLR0917  (loops take arrays, not objects)
    codes: Codes,
    starts: IntArray,
    run_chars: IntArray,
    run_piece: IntArray,
    run_row: IntArray,
    run_pre: BoolArray,
    classes: ByteArray,
    chosen: Places,
    edges: Places,
    mode: int,
) -> tuple[Codes, Places]:
    """Texts of sets of runs one behind the other, and where each starts and the last one ends.

    The runs of set i are ``chosen[edges[i]:edges[i + 1]]``. With ``_FIRST_LINES`` a set ends with
    its first line, and nothing counts as preformatted; with ``_ALL_PIECES`` each piece is a line
    of its own, empty ones, too.
    """
    size = 2 * len(chosen)  # what separates pieces, and an open gap behind each
    for run in chosen:
        size += starts[run + 1] - starts[run]
    out, bounds = np.empty(size, codes.dtype), np.zeros(len(edges), np.intp)
    n = 0
    for number in range(len(edges) - 1):
        place, row, start = edges[number], -1, n
        while place < edges[number + 1]:
            first = chosen[place]
            behind, inked = _piece(chosen, place, edges[number + 1], run_piece, run_chars)
            is_new = run_row[first] != row
            if mode == _FIRST_LINES and is_new and row >= 0:
                break
            if (inked and n > start) or (mode == _ALL_PIECES and place > edges[number]):
                out[n] = _LINE_FEED if is_new or mode == _ALL_PIECES else _TAB
                n += 1
            begin = n
            is_pre = run_pre[first] and mode == _TEXTS
            for at in range(place, behind if inked else place):
                run = chosen[at]
                text = codes[starts[run] : max(starts[run + 1] - 1, starts[run])]  # hidden: empty
                if is_pre:
                    n = _write_as_is(out, n, text, begin)
                else:
                    n = _write_folded(out, n, text, classes, begin)
            while n > begin and _is_white(out[n - 1], classes):
                n -= 1
            if inked:
                row = run_row[first]
            place = behind
        bounds[number + 1] = n
    return out[:n], bounds


@compiled
def _beginnings(
    order: Places,
    edges: Places,
    upto: SumArray,
    sets: Places,
    n_chars: int,
    mode: int,
) -> tuple[Places, Places]:
    """First runs of some sets, and where each set starts.

    With ``_FIRST_LINES`` each begins with a visible character.

    Args:
        order: runs of all sets, one set behind the other.
        edges: where each set starts in ``order``, and where the last one ends.
        upto: visible characters before each place of ``order``.
        sets: numbers of the sets.
        n_chars: so many visible characters are wanted of each.
        mode: what the runs are read for.
    """
    size = 0
    for number in sets:
        size += edges[number + 1] - edges[number]
    chosen, bounds = np.empty(size, np.intp), np.zeros(len(sets) + 1, np.intp)
    n = 0
    for index in range(len(sets)):
        place, last = edges[sets[index]], edges[sets[index] + 1]
        enough = upto[place] + n_chars
        while place < last and upto[place] < enough:
            if mode == _TEXTS or n > bounds[index] or upto[place + 1] > upto[place]:
                chosen[n] = order[place]
                n += 1
            place += 1
        bounds[index + 1] = n
    return chosen[:n], bounds


@compiled
def _inked_pieces(chosen: Places, run_piece: IntArray, run_chars: IntArray) -> Places:
    """Where the pieces with a visible character begin, and the end of all."""
    edges = np.empty(len(chosen) + 1, np.intp)
    n = place = 0
    while place < len(chosen):
        behind, inked = _piece(chosen, place, len(chosen), run_piece, run_chars)
        if inked:
            edges[n] = place
            n += 1
        place = behind
    edges[n] = len(chosen)
    return edges[: n + 1]


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

    def text_of(self, chosen: Places) -> str:
        """Text of visible runs given by their numbers, ascending; else as `text`.

        Args:
            chosen: numbers of the runs.
        """
        return self.texts_of(chosen, np.array([0, len(chosen)]))[0]

    def texts_of(self, chosen: Places, edges: Places) -> list[str]:
        """Texts of several sets of runs at once; else as `text_of`.

        Args:
            chosen: the runs of the first set, of the second, …
            edges: where each set starts in ``chosen``, and where the last one ends.
        """
        return self._read(chosen, edges, _TEXTS)

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
        return self._read(*_beginnings(*runs, upto, sets, n_chars, _TEXTS), _TEXTS)

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
        chosen, edges = _beginnings(*runs, upto, sets, n_chars, _FIRST_LINES)
        return self._read(chosen, edges, _FIRST_LINES), chosen[edges[:-1]]

    def lines(self, run_mask: BoolArray) -> list[tuple[int, str]]:
        """Lines one by one, each table cell a line of its own; else as `text`.

        Args:
            run_mask: which runs, one entry a run; hidden ones are left out.

        Returns:
            Number of the first run and text of each line.
        """
        chosen = (run_mask & ~self._tree.run_raw).nonzero()[0]
        edges = _inked_pieces(chosen, self._tree.run_lines.piece, self._tree.run_chars)
        return list(zip(chosen[edges[:-1]].tolist(), self.texts_of(chosen, edges), strict=True))

    def pieces(self, chosen: Places) -> list[str]:
        """All pieces of lines, empty ones too, and nothing counts as preformatted.

        Args:
            chosen: numbers of visible runs, ascending.
        """
        return self._read(chosen, np.array([0, len(chosen)]), _ALL_PIECES)[0].split("\n")

    def _read(self, chosen: Places, edges: Places, mode: int) -> list[str]:
        tree = self._tree
        chars, lines = tree.run_class, tree.run_lines
        codes, bounds = _fold(
            *(chars.codes, chars.starts, chars.inked, lines.piece, lines.row, lines.preformatted),
            *(char_classes(), chosen, edges, mode),
        )
        text = _decoded(codes)
        return [text[start:end] for start, end in pairwise(bounds.tolist())]


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
