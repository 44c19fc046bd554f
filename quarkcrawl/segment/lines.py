"""Readable text of chosen text runs: lines where a reader sees lines."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS, covered, prefix_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_BLOCK_LEVEL: Final = """
    address article aside blockquote body br caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html
    legend li listing main marquee menu nav noframes object ol optgroup option p plaintext pre
    search section summary table tbody textarea tfoot thead tr ul xmp
"""

BLOCK_LEVEL_TAGS: Final = frozenset(_BLOCK_LEVEL.split())
"""Elements that start and end a line (``br`` among them)."""

CELLS: Final = ("td", "th")
"""Elements that start and end a part of a line."""

PREFORMATTED_TAGS: Final = ("pre", "listing", "plaintext", "textarea", "xmp")
"""Elements that keep their white space; each starts and ends a line."""


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

    def _n_breaks(self, nodes: BoolArray | Places) -> NDArray[np.int64]:
        """Starts and ends of these nodes in front of each run or before it."""
        tree = self._tree
        n_places = len(tree.runs) + 1
        starts = np.bincount(tree.run_start[nodes], minlength=n_places)
        starts += np.bincount(tree.run_end[nodes], minlength=n_places)
        return starts.cumsum()

    @cached_property
    def _n_lines(self) -> NDArray[np.int64]:
        return self._n_breaks(_IS_BLOCK_LEVEL[self._tree.tag])

    @cached_property
    def _n_parts(self) -> NDArray[np.int64]:
        """The same for the parts of lines that table cells make."""
        cells = self._tree.places(*CELLS)
        return self._n_lines + self._n_breaks(cells) if len(cells) else self._n_lines

    @cached_property
    def _preformatted(self) -> BoolArray:
        tree = self._tree
        nodes = tree.nodes(*PREFORMATTED_TAGS)
        return covered(tree.run_start[nodes], tree.run_end[nodes], len(tree.runs))

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
        """Texts of several sets of runs at once, for a third of the time; else as `text_of`.

        Args:
            chosen: the runs of the first set, of the second, …
            edges: where each set starts in ``chosen``, and where the last one ends.
        """
        if self._tree.folding is not None:
            return self._tree.folding.texts(chosen, edges)
        first, last = self._pieces(chosen, edges[1:-1])
        line = self._n_lines[chosen[first]]
        is_cell = np.zeros(len(line), np.bool_)
        np.equal(line[1:], line[:-1], out=is_cell[1:])
        separators = np.where(is_cell, "\t", "\n").tolist()
        texts = self._texts(chosen, first, last)
        written = list(map(add, separators, texts))
        bounds = first.searchsorted(edges).tolist()
        return ["".join(written[start:end])[1:] for start, end in pairwise(bounds)]

    def first_line(self, chosen: list[int]) -> str:
        """The first line of some visible runs; else as `text`, and for no more than a few.

        Args:
            chosen: numbers of the runs, the first of them with a visible character.
        """
        runs, lines, parts = self._tree.runs, self._n_lines, self._n_parts
        is_inked = self._tree.run_chars
        line, part = lines[chosen[0]], parts[chosen[0]]
        pieces, inked = [""], {0}
        for run in chosen:
            if lines[run] != line:
                break
            if parts[run] != part:
                part = parts[run]
                pieces.append("")
            pieces[-1] += runs[run]
            if is_inked[run]:
                inked.add(len(pieces) - 1)
        return "\t".join(" ".join(pieces[number].split()) for number in sorted(inked))

    def lines(self, run_mask: BoolArray) -> list[tuple[int, str]]:
        """Lines one by one, each table cell a line of its own; else as `text`.

        Args:
            run_mask: which runs, one entry a run; hidden ones are left out.

        Returns:
            Number of the first run and text of each line.
        """
        chosen = (run_mask & ~self._tree.run_raw).nonzero()[0]
        first, last = self._pieces(chosen, chosen[:0])
        return list(zip(chosen[first].tolist(), self._texts(chosen, first, last), strict=True))

    def _pieces(self, chosen: Places, edges: Places) -> tuple[Places, Places]:
        """First and one past the last place in ``chosen`` of each piece of a line with text."""
        part = self._n_parts[chosen]
        starts = np.ones(len(chosen), np.bool_)
        np.not_equal(part[1:], part[:-1], out=starts[1:])
        starts[edges] = True
        first = starts.nonzero()[0]
        last = np.empty_like(first)
        last[:-1] = first[1:]
        last[-1:] = len(chosen)
        inked = prefix_sums(self._tree.run_chars[chosen])
        kept = inked[last] > inked[first]
        return first[kept], last[kept]

    def _texts(self, chosen: Places, first: Places, last: Places) -> list[str]:
        """Text of each piece."""
        runs = self._tree.runs
        texts = [runs[number] for number in chosen.tolist()]
        as_is = self._preformatted[chosen[first]].tolist()
        pieces: list[str] = []
        for start, end, pre in zip(first.tolist(), last.tolist(), as_is, strict=True):
            text = texts[start] if end - start == 1 else "".join(texts[start:end])
            pieces.append(text.strip("\r\n").rstrip() if pre else " ".join(text.split()))
        return pieces


def lines_of(tree: PageTree, run_mask: BoolArray) -> str:
    """Readable text of chosen runs, see `LineReader.text`.

    Args:
        tree: the page.
        run_mask: which runs, one entry a run.
    """
    return LineReader(tree).text(run_mask)
