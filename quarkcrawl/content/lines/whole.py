"""What is content as a whole or not at all: code, formulas, data tables, lists of definitions.

The trained trees judge line by line, and lose a brace here and a cell there. Behind their choice,
each listing of code and each data table is kept or dropped whole: by how much of it is chosen, and
by whether the text before or behind it is. Line numbers of listings are never content.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.lines.text import COUNTS
from quarkcrawl.content.markdown import data_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_CHARS: Final = COUNTS.index("chars")
_CODE: Final = ("pre", "listing", "xmp")
_NUMBERS_CLASS: Final = re.compile(
    r"(?:^|[\s_-])(?:gutter|line-?no\w*|line-?num\w*|lnt?|rouge-gutter|blob-num|hljs-ln-n\w*)(?=$|[\s_-])",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"[\s\d.:]*\d[\s\d.:]*")
_MAX_DEPTH: Final = 4
_MAX_NUMBER_CHARS: Final = 12


class _Limits(NamedTuple):
    """When a group of lines is kept.

    Args:
        alone: share of its text that must be chosen where nothing around it is.
        beside: the same where the line before or behind it is chosen.
        between: the same where both are.
    """

    alone: float
    beside: float
    between: float


CODE_LIMITS: Final = _Limits(0.3, 0.05, 0.0)
TABLE_LIMITS: Final = _Limits(0.35, 0.25, 0.0)
LINKED_LIMITS: Final = _Limits(0.5, 0.35, 0.2)
"""Of tables that are mostly links."""


MAX_CODE_SHARE: Final = 0.7
"""A listing with more of a page's text than that is the page, and judged line by line."""


class WholeChoice(NamedTuple):
    """A choice in which nothing is kept by halves.

    Args:
        chosen: which lines are content.
        is_code: which lines are code, and may repeat.
    """

    chosen: BoolArray
    is_code: BoolArray


def keep_whole(tree: PageTree, features: LineFeatures, chosen: BoolArray) -> WholeChoice:
    """Choose listings, formulas and tables whole or not at all.

    Args:
        tree: the page.
        features: its lines; runs that are line numbers of code belong to none of them afterwards.
        chosen: which of them the trees take for content.
    """
    is_code = np.zeros(len(chosen), np.bool_)
    code = tree.places("pre") if not _has_rare_code(tree) else tree.places(*_CODE)
    tables = _undecided(tree, features, chosen)
    if not (len(code) or len(tables) or tree.run_formula is not None):
        return WholeChoice(chosen, is_code)
    whole = chosen.copy()
    _take_blanks(tree, features, code)
    numbers = _without_numbers(tree, features, code)
    for start, end in _code_groups(tree, features, code, numbers):
        is_code[start:end] = True
        _settle(whole, features, start, end, CODE_LIMITS)
    if len(tables):
        for start, end in _table_groups(tree, features, tables, is_code):
            chars = features.text.counts[start:end, _CHARS].sum()
            is_linked = 2 * features.text.link_chars[start:end].sum() > chars
            limits = LINKED_LIMITS if is_linked else TABLE_LIMITS
            _settle(whole, features, start, end, limits)
    if tree.run_formula is not None:
        _add_formulas(tree, features, whole)
    whole[numbers] = False
    return WholeChoice(whole if whole.any() else chosen, is_code)


def _take_blanks(tree: PageTree, features: LineFeatures, code: Places) -> None:
    """Give the blank runs of listings, their indents and line ends, to the lines around."""
    cut = features.cut
    for node in code.tolist():
        inside = slice(int(tree.run_start[node]), int(tree.run_end[node]))
        line, piece = cut.run_line[inside], cut.lines.piece[inside]
        numbers = np.arange(len(line))
        inked = line >= 0
        if inked.all() or not inked.any():
            continue
        before = np.maximum.accumulate(np.where(inked, numbers, -1))
        behind = np.minimum.accumulate(np.where(inked, numbers, len(line))[::-1])[::-1]
        for near in (before, behind):
            fits = (line < 0) & ~tree.run_raw[inside] & (near >= 0) & (near < len(line))
            fits[fits] = piece[near[fits]] == piece[fits]
            line[fits] = line[near[fits]]
        for run in ((line >= 0) & ~inked).nonzero()[0].tolist():
            cut.first_run[line[run]] = min(int(cut.first_run[line[run]]), inside.start + run)


def _without_numbers(tree: PageTree, features: LineFeatures, code: Places) -> BoolArray:
    """Take the line numbers of listings out of the lines; returns lines that were nothing else."""
    run_line = features.cut.run_line
    touched: list[int] = []
    for node in code.tolist():
        for first, last in _number_runs(tree, node):
            touched += run_line[first:last].tolist()
            run_line[first:last] = -1
    lines = np.zeros(len(features.cut), np.bool_)
    lines[[line for line in touched if line >= 0]] = True
    if touched:
        lines[run_line[run_line >= 0]] = False
    return lines


def _number_runs(tree: PageTree, node: int) -> Iterator[tuple[int, int]]:
    """Slices of runs that are line numbers of a listing, or of its table."""
    first, last = int(tree.run_start[node]), int(tree.run_end[node])
    above = [node]
    while len(above) < _MAX_DEPTH and tree.parent[above[-1]] > 0:
        above.append(int(tree.parent[above[-1]]))
    names = [tree.tags[place] for place in above]
    is_plain = _DIGITS.fullmatch(tree.text(node)) is not None
    if is_plain and ("td" in names or any(_is_named(tree, place) for place in above)):
        yield first, last
        return
    for run in range(first, last):
        text = tree.runs[run]
        if len(text) < _MAX_NUMBER_CHARS and _DIGITS.fullmatch(text):
            holder = int(tree.run_node[run])
            if holder > node and (
                _is_named(tree, holder) or _is_named(tree, int(tree.parent[holder]))
            ):
                yield run, run + 1
    if "tr" in names:
        row = above[names.index("tr")]
        cell = row + 1
        while cell < node < tree.end[row] and tree.end[cell] <= node:
            if _DIGITS.fullmatch(tree.text(cell)):
                yield int(tree.run_start[cell]), int(tree.run_end[cell])
            cell = int(tree.end[cell])


def _is_named(tree: PageTree, node: int) -> bool:
    """Whether an element is called line numbers."""
    kind = tree.attr(node, "class")
    return kind is not None and _NUMBERS_CLASS.search(kind) is not None


def _code_groups(
    tree: PageTree, features: LineFeatures, code: Places, numbers: BoolArray
) -> list[tuple[int, int]]:
    """First line of each listing, and one past its last one; neighbours make one listing."""
    most = MAX_CODE_SHARE * tree.text_chars[0]
    done, found = -1, list[tuple[int, int]]()
    for node in code.tolist():
        if node < done or not 0 < tree.text_chars[node] <= most:
            continue
        done = int(tree.end[node])
        start, end = _lines(tree, features, node)
        while start > 0 and numbers[start - 1]:
            start -= 1
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def _has_rare_code(tree: PageTree) -> bool:
    return len(tree.places("listing")) > 0 or len(tree.places("xmp")) > 0


def _undecided(tree: PageTree, features: LineFeatures, chosen: BoolArray) -> Places:
    """Innermost tables and lists of definitions of which a part is chosen, or what is around."""
    tables, lists = tree.places("table"), tree.places("dl")
    if len(lists):
        tables = np.sort(np.concatenate((tables, lists)))
    if not len(tables):
        return tables
    end = tree.end[tables]
    is_inner = np.append(tables[1:] >= end[:-1], True)
    tables, end = tables[is_inner], end[is_inner]
    first_run = features.cut.first_run
    start = first_run.searchsorted(tree.run_start[tables])
    stop = first_run.searchsorted(tree.run_end[tables])
    total = np.append(0, np.cumsum(chosen))
    n_chosen = total[stop] - total[start]
    padded = np.concatenate(([False], chosen, [False]))
    is_between = padded[start] & padded[stop + 1]
    is_part = (n_chosen > 0) & (n_chosen < stop - start)
    found: Places = tables[is_part | ((n_chosen == 0) & is_between & (stop > start))]
    return found


def _table_groups(
    tree: PageTree, features: LineFeatures, tables: Places, is_code: BoolArray
) -> Iterator[tuple[int, int]]:
    """First line of each data table and list of definitions, and one past its last one."""
    data = data_tables(tree, tree.run_chars > 0)
    for node in tables.tolist():
        if node in data or tree.tags[node] == "dl":
            start, end = _lines(tree, features, node)
            if not is_code[start:end].any():
                yield start, end


def _lines(tree: PageTree, features: LineFeatures, node: int) -> tuple[int, int]:
    edges = features.cut.first_run.searchsorted([tree.run_start[node], tree.run_end[node]])
    return int(edges[0]), int(edges[1])


def _settle(
    chosen: BoolArray, features: LineFeatures, start: int, end: int, limits: _Limits
) -> None:
    """Choose all lines of a group, or none."""
    if start == end:
        return
    weight = features.weight[start:end]
    share = float((weight * chosen[start:end]).sum() / max(weight.sum(), 1e-9))
    n_beside = int(start > 0 and chosen[start - 1]) + int(end < len(chosen) and chosen[end])
    least = (limits.alone, limits.beside, limits.between)[n_beside]
    chosen[start:end] = share >= least


def _add_formulas(tree: PageTree, features: LineFeatures, chosen: BoolArray) -> None:
    """Choose the lines that are a formula where the text before or behind them is."""
    assert tree.run_formula is not None
    cut = features.cut
    is_other = (tree.run_chars > 0) & ~tree.run_formula & (cut.run_line >= 0)
    has_other = np.zeros(len(cut), np.bool_)
    has_other[cut.run_line[is_other]] = True
    for line in (~has_other & ~chosen).nonzero()[0].tolist():
        is_before = line > 0 and chosen[line - 1]
        chosen[line] = is_before or (line + 1 < len(cut) and chosen[line + 1])
