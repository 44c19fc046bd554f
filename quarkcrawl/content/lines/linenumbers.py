"""Line numbers of listings: digits before lines of code, or in a column beside them.

They are told by what they are called, by where they stand, or because they count up by one from
line to line. A number that is part of a program stays.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree


_LISTINGS: Final = ("pre", "listing", "xmp", "code")
_NO_NUMBERS: Final = frozenset((*_LISTINGS, "b", "strong", "em", "sup"))
"""Numbers in such elements are said to the reader: ranks, verses, lines of BASIC."""

_NUMBERS_CLASS: Final = re.compile(
    r"(?:^|[\s_-])(?:gutter|line-?no\w*|line-?num\w*|pre-numbering|rouge-gutter|blob-num"
    r"|hljs-ln-n\w*)(?=$|[\s_-])|(?:^|\s)lnt?(?=$|\s)",
    re.IGNORECASE,
)
_CODE_LINE_CLASS: Final = re.compile(r"(?:^|\s)code-?line(?=$|\s)", re.IGNORECASE)
_LITERAL_CLASS: Final = re.compile(
    r"(?:^|[\s_-])(?:constant|lit|literal|m[bfhio]?|num|number|numeric|token|value)(?=$|[\s_-])",
    re.IGNORECASE,
)
"""What highlighters call the numbers of a program."""

_UNSELECTABLE: Final = re.compile(r"(?:^|[;\s-])user-select\s*:\s*none", re.IGNORECASE)
_DIGITS: Final = re.compile(r"[\s.:]*+\d[\s\d.:]*+")
_NUMBER: Final = re.compile(r"[\s.:]*+(\d+)[\s.:]*+")
_LETTER: Final = re.compile(r"[^\W\d]")
_MAX_DEPTH: Final = 4
_MAX_NUMBER_CHARS: Final = 12
_MAX_BESIDE_CHARS: Final = 20_000
_MAX_OTHER_CHARS: Final = 60
"""So much text beside a listing is looked at for numbers, and so much more may stand there."""

_MIN_COUNTED_LINES: Final = 3
"""So many lines that begin with numbers that count up have numbered lines, not a program's."""


def without_line_numbers(
    tree: PageTree, piece: NDArray[np.int32], run_line: NDArray[np.int32], code: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Take the line numbers of listings out of the lines; returns lines that were nothing else.

    Args:
        tree: the page.
        piece: piece of a line that each run is, see `quarkcrawl.page.tree.RunLines`.
        run_line: line of each run; runs that are line numbers belong to none afterwards.
        code: the listings.
    """
    touched: list[int] = []
    numbers = _LineNumbers(tree, piece)
    for node in code.tolist():
        beside = numbers_beside(tree, node)
        for first, last in (*numbers.runs_of(node), (beside.start, beside.stop)):
            touched += run_line[first:last].tolist()
            run_line[first:last] = -1
    lines = np.array(sorted({line for line in touched if line >= 0}), np.intp)
    return np.setdiff1d(lines, run_line) if len(lines) else lines


def numbers_beside(tree: PageTree, listing: int) -> range:
    """Runs of the element right behind a listing, or first beside it, that numbers its lines.

    It holds numbers that count up by one, and is called line numbers or has as many as the listing
    has lines, two at least.

    Args:
        tree: the page.
        listing: element with the code whose lines may be numbered.
    """
    parent, behind = int(tree.parent[listing]), int(tree.end[listing])
    n_chars = tree.text_chars
    if parent < 0 or not 0 < n_chars[listing] < n_chars[parent]:
        return range(0)
    nodes = [behind] if behind < tree.end[parent] else []
    first = parent + 1
    # Beside many listings, the first element is not read once for each of them.
    n_other = n_chars[parent] - n_chars[first] - n_chars[listing]
    if first < listing and tree.end[first] <= listing and n_other <= _MAX_OTHER_CHARS:
        nodes.append(first)
    for node in nodes:
        runs = range(int(tree.run_start[node]), int(tree.run_end[node]))
        if _are_numbers(tree, node, runs, listing):
            return runs
    return range(0)


def _are_numbers(tree: PageTree, node: int, runs: range, listing: int) -> bool:
    """Whether all text of an element numbers the lines of a listing beside it."""
    if not 0 < tree.text_chars[node] < _MAX_BESIDE_CHARS or tree.tags[node] in _LISTINGS:
        return False
    if len(runs) > _MAX_BESIDE_CHARS or _DIGITS.match(tree.runs[runs.start] or " ") is None:
        return False
    parts = " ".join(tree.runs[runs.start : runs.stop]).split()
    if not all(len(part) < _MAX_NUMBER_CHARS and _NUMBER.fullmatch(part) for part in parts):
        return False
    numbers = [int(part.strip(".:")) for part in parts]
    if any(after != before + 1 for before, after in pairwise(numbers)):
        return False
    if any(_is_named(tree, place) for place in range(node, min(node + 2, int(tree.end[node])))):
        return True
    code = "".join(tree.runs[int(tree.run_start[listing]) : int(tree.run_end[listing])])
    n_lines = code.strip("\n").count("\n") + 1
    return numbers[0] == 1 and len(numbers) == n_lines > 1


class _LineNumbers:
    """Finds line numbers of the listings of a page, which may be nested: each run is read once."""

    def __init__(self, tree: PageTree, piece: NDArray[np.int32]) -> None:
        self._tree = tree
        self._piece = piece
        self._next_run = 0
        self._next_cell: dict[int, int] = {}

    @cached_property
    def _n_lettered(self) -> NDArray[np.intp]:
        """How many of the runs before each run hold a letter."""
        return np.cumsum([0, *(_LETTER.search(text) is not None for text in self._tree.runs)])

    def _is_lettered(self, node: int) -> bool:
        """Whether an element holds letters: then its numbers are those of a program."""
        start, end = self._tree.run_start[node], self._tree.run_end[node]
        return bool(self._n_lettered[start] < self._n_lettered[end])

    def runs_of(self, node: int) -> Iterator[tuple[int, int]]:
        """Slices of runs that are line numbers of a listing, or of its table.

        Args:
            node: the listing; they are asked for in document order.
        """
        tree = self._tree
        first, last = int(tree.run_start[node]), int(tree.run_end[node])
        above = [node]
        while len(above) < _MAX_DEPTH and tree.parent[above[-1]] > 0:
            above.append(int(tree.parent[above[-1]]))
        names = [tree.tags[place] for place in above]
        row = above[names.index("tr")] if "tr" in names else -1
        is_plain = _DIGITS.fullmatch(tree.text(node)) is not None
        if is_plain:
            is_beside = "td" in names and (row < 0 or self._is_lettered(row))
            if is_beside or any(_is_named(tree, place) for place in above):
                yield first, last
                return
        unread = range(max(first, self._next_run), last)
        self._next_run = max(last, self._next_run)
        digits = [run for run in unread if self._has_digits(run)]
        numbers = [run for run in digits if any(map(self._holds_numbers, self._holders(run, node)))]
        if digits and not numbers and not is_plain:
            numbers = self._counted(node, digits, unread)
        yield from ((run, run + 1) for run in numbers)
        if row >= 0 and not is_plain:
            yield from self._cells_before(node, row)

    def _cells_before(self, node: int, row: int) -> Iterator[tuple[int, int]]:
        """Slices of runs that are cells of numbers in a row, before a listing in it."""
        tree, cell = self._tree, self._next_cell.get(row, row + 1)
        while cell < node < tree.end[row] and tree.end[cell] <= node:
            if _DIGITS.fullmatch(tree.text(cell)):
                yield int(tree.run_start[cell]), int(tree.run_end[cell])
            cell = int(tree.end[cell])
        self._next_cell[row] = cell

    def _has_digits(self, run: int) -> bool:
        """Whether a run is no more than a number."""
        text = self._tree.runs[run]
        return len(text) < _MAX_NUMBER_CHARS and _DIGITS.fullmatch(text) is not None

    def _holders(self, run: int, node: int) -> tuple[int, ...]:
        """The element around a run within a listing, and the one around that."""
        holder = int(self._tree.run_node[run])
        return (holder, int(self._tree.parent[holder])) if holder > node else ()

    def _holds_numbers(self, node: int) -> bool:
        """Whether an element within a listing holds nothing but line numbers."""
        is_whole = self._tree.tags[node] in _LISTINGS
        return not is_whole and _is_named(self._tree, node) and not self._is_lettered(node)

    def _counted(self, node: int, digits: list[int], unread: range) -> list[int]:
        """Numbers that count up by one: all that no reader can select, or one before each line."""
        unselectable = [
            run for run in digits if any(map(self._is_unselectable, self._holders(run, node)))
        ]
        if unselectable and self._count_up(unselectable):
            return unselectable
        return self._at_line_starts(node, unread)

    def _is_unselectable(self, node: int) -> bool:
        style = self._tree.attr(node, "style")
        return bool(style and _UNSELECTABLE.search(style))

    def _count_up(self, runs: list[int]) -> bool:
        """Whether some runs are a number each, one more than the one before."""
        matches = [_NUMBER.fullmatch(self._tree.runs[run]) for run in runs]
        numbers = [int(match[1]) for match in matches if match]
        is_next = (number == before + 1 for before, number in pairwise(numbers))
        return len(numbers) == len(runs) and all(is_next)

    def _at_line_starts(self, node: int, unread: range) -> list[int]:
        """Numbers in elements of their own, if all lines of a listing start so and count up."""
        tree, starts = self._tree, list[int]()
        is_start, was_blank, piece = True, False, -1
        for run in unread:
            if tree.run_raw[run]:
                continue
            is_start = is_start or self._piece[run] != piece
            piece = self._piece[run]
            for number, part in enumerate(tree.runs[run].split("\n")):
                if number:
                    was_blank = was_blank or (is_start and bool(starts))
                    is_start = True
                if not is_start or not part or part.isspace():
                    continue
                if number or was_blank or not self._is_own_number(node, run):
                    return []
                starts.append(run)
                is_start = False
        return starts if len(starts) >= _MIN_COUNTED_LINES and self._count_up(starts) else []

    def _is_own_number(self, node: int, run: int) -> bool:
        """Whether a run is all that an element within a listing holds, and no literal number."""
        tree, holder = self._tree, int(self._tree.run_node[run])
        if holder <= node or tree.tags[holder] in _NO_NUMBERS or not self._has_digits(run):
            return False
        if run + 1 < len(tree.runs) and tree.runs[run + 1].startswith((".", ")", ":")):
            return False
        is_alone = tree.run_end[holder] - tree.run_start[holder] == 1
        has_color = tree.attr(holder, "style") or tree.attr(holder, "color")
        return bool(
            is_alone and has_color and not _LITERAL_CLASS.search(tree.attr(holder, "class") or "")
        )


def _is_named(tree: PageTree, node: int) -> bool:
    """Whether an element is called line numbers, and not a line of code that has a number."""
    kind = tree.attr(node, "class")
    return bool(kind and _NUMBERS_CLASS.search(kind) and not _CODE_LINE_CLASS.search(kind))
