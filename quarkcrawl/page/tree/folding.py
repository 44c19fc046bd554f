"""Text of runs as lines with folded white space, in compiled loops.

The characters of a page stand in one array since they were counted. One loop writes those that
were chosen into another, which becomes one string, and the texts are slices of it, in less than
half the time of joining and splitting run by run. What a line is says `quarkcrawl.segment.lines`,
which gives the same texts without loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled
from quarkcrawl.page.text import SPACE, char_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    ByteArray = NDArray[np.uint8]
    Codes = NDArray[np.unsignedinteger]
    Places = NDArray[np.intp]
    SumArray = NDArray[np.int64]


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
    run_pre: ByteArray,
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
) -> tuple[Places, Places]:
    """First runs of some sets, from the first visible character on, and where each set starts.

    Args:
        order: runs of all sets, one set behind the other.
        edges: where each set starts in ``order``, and where the last one ends.
        upto: visible characters before each place of ``order``.
        sets: numbers of the sets.
        n_chars: so many visible characters are wanted of each.
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
            if n > bounds[index] or upto[place + 1] > upto[place]:
                chosen[n] = order[place]
                n += 1
            place += 1
        bounds[index + 1] = n
    return chosen[:n], bounds


@compiled
def _fold_slices(
    codes: Codes, starts: IntArray, classes: ByteArray, first: IntArray, last: IntArray
) -> tuple[Codes, Places]:
    """Folded text of slices of runs, breaks or not, and where each ends."""
    size = len(first)
    for number in range(len(first)):
        size += starts[last[number]] - starts[first[number]]
    out, bounds = np.empty(size, codes.dtype), np.zeros(len(first) + 1, np.intp)
    n = 0
    for number in range(len(first)):
        begin = n
        for run in range(first[number], last[number]):
            if starts[run + 1] > starts[run]:  # hidden ones are empty
                text = codes[starts[run] : starts[run + 1] - 1]
                n = _write_folded(out, n, text, classes, begin)
        if n > begin and out[n - 1] == _BLANK:
            n -= 1
        bounds[number + 1] = n
    return out[:n], bounds


@compiled
def _inked_before(run_chars: IntArray, runs: Places) -> Places:
    found = np.empty(len(runs), np.intp)
    for number in range(len(runs)):
        run = runs[number] - 1
        while run >= 0 and not run_chars[run]:
            run -= 1
        found[number] = run
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """Reads runs of one page as lines.

    Args:
        codes: characters of the visible runs, behind each a sign that ends it.
        starts: where each run starts in ``codes``, and where the last one ends; hidden runs are
            empty.
        run_chars: visible characters of each run that are not white space.
        run_piece: number of the piece between two breaks, table cells included.
        run_row: number of the piece between two breaks, cells of a row together.
        run_pre: whether a run stands in preformatted text.
    """

    codes: Codes
    starts: IntArray
    run_chars: IntArray
    run_piece: IntArray
    run_row: IntArray
    run_pre: ByteArray

    def texts(self, chosen: Places, edges: Places) -> list[str]:
        """See `quarkcrawl.segment.LineReader.texts_of`."""
        return self._texts(chosen, edges, _TEXTS)

    def first_texts(
        self, runs: tuple[Places, Places], upto: SumArray, sets: Places, n_chars: int
    ) -> list[str]:
        """See `quarkcrawl.segment.Segmentation.first_texts`.

        Args:
            runs: runs sorted by block, and where each block's runs start.
            upto: visible characters before each of them.
            sets: numbers of the blocks.
            n_chars: so many visible characters are wanted of each.
        """
        return self._texts(*_beginnings(*runs, upto, sets, n_chars), _TEXTS)

    def first_lines(
        self, runs: tuple[Places, Places], upto: SumArray, sets: Places, n_chars: int
    ) -> tuple[list[str], Places]:
        """See `quarkcrawl.segment.Segmentation.first_lines`; arguments as of `first_texts`."""
        chosen, edges = _beginnings(*runs, upto, sets, n_chars)
        return self._texts(chosen, edges, _FIRST_LINES), chosen[edges[:-1]]

    def slices(self, first: IntArray, last: IntArray) -> list[str]:
        """Visible text of slices of runs, white space folded, as of links.

        Args:
            first: first run of each slice.
            last: one past its last run.
        """
        return _texts(*_fold_slices(self.codes, self.starts, char_classes(), first, last))

    def inked_before(self, runs: Places) -> Places:
        """See `quarkcrawl.page.tree.PageTree.inked_before`."""
        return _inked_before(self.run_chars, runs)

    def pieces(self, chosen: Places) -> str:
        """All pieces of chosen runs, those without a visible character empty, by line feeds.

        Args:
            chosen: numbers of visible runs, ascending.
        """
        return self._texts(chosen, np.array((0, len(chosen))), _ALL_PIECES)[0]

    def _texts(self, chosen: Places, edges: Places, mode: int) -> list[str]:
        columns = (self.codes, self.starts, self.run_chars)
        lines = (self.run_piece, self.run_row, self.run_pre)
        return _texts(*_fold(*columns, *lines, char_classes(), chosen, edges, mode))


def _texts(codes: Codes, bounds: Places) -> list[str]:
    """The slices of a text given by the codes of its characters."""
    text = codes.tobytes().decode("utf-16-le" if codes.itemsize == 2 else "utf-32-le")
    return [text[start:end] for start, end in pairwise(bounds.tolist())]
