"""What is content as a whole or not at all: code, formulas, data tables, lists.

The trained trees judge line by line, and lose a brace here and a cell there. Behind their choice,
each listing of code, data table and list of short items is kept or dropped whole: by how much of it
is chosen, and by whether the text before or behind it is. In other lists, lines that look the same
are taken together. Line numbers of listings are no content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.content.lines.cut import without_asides
from quarkcrawl.content.lines.linenumbers import without_line_numbers
from quarkcrawl.content.lines.text import COUNTS
from quarkcrawl.content.markdown import cell_columns, data_tables
from quarkcrawl.page.tree import BLOCK_LEVEL_TAGS, TAG_IDS, tag_flags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.lines.cut import LineCut
    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]


_CHARS: Final = COUNTS.index("chars")
_HEADINGS: Final = ("h2", "h3", "h4", "h5", "h6")
_STOPS: Final = COUNTS.index("stop")
_CODE: Final = ("pre", "listing", "xmp")
_CODE_TAG: Final = TAG_IDS["code"]
_MAKES_LINE: Final = tag_flags(BLOCK_LEVEL_TAGS - {"br", "hr"}).astype(np.bool_)
_NO_ROW: Final = 1 << 30
"""Rows of data tables are numbered from here."""


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


CODE_LIMITS: Final = _Limits(0.3, 0.0, 0.0)
TABLE_LIMITS: Final = _Limits(0.35, 0.25, 0.0)
LINKED_LIMITS: Final = _Limits(0.5, 0.35, 0.2)
"""Of tables that are mostly links."""

LIST_LIMITS: Final = _Limits(0.5, 0.4, 0.3)
"""Of lists with short items."""

MAX_LIST_SHARE: Final = 0.3
"""A list with more of what is chosen than that is the page, and judged line by line."""

_MIN_ITEMS: Final = 3
_MAX_ITEM_LINES: Final = 1.6
_MAX_LIST_LINKS: Final = 0.5


MAX_HEADED_SHARE: Final = 0.25
"""A table with headers but not the rows of data counts if it has less of a page's text."""

MIN_CHOSEN_SHARE: Final = 0.15
"""Where less of a page is chosen, and that is less than a data table has, the table is content."""

MAX_STOPS: Final = 3
"""More commas and full stops than that tell that what is chosen is text, though it is short."""

MIN_TABLE_CHARS: Final = 100
MAX_CODE_SHARE: Final = 0.7
"""A listing with more of a page's text than that is the page, and judged line by line."""


class _Tables(NamedTuple):
    node: Places
    start: Places
    end: Places


class LinePlaces(NamedTuple):
    """Where lines stand in tables whose rows stay rows, and in listings.

    Args:
        row: number of the row, -1 for lines outside such tables.
        column: number of the column, -1 outside.
        blanks: how many blank lines stand before each line in its listing.
    """

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    blanks: NDArray[np.intp]


class WholeChoice(NamedTuple):
    """A choice in which nothing is kept by halves.

    Args:
        is_content: which lines are.
        is_code: which lines are code.
        cells: places of lines in data tables and listings, None if there is none to tell.
    """

    is_content: BoolArray
    is_code: BoolArray
    cells: LinePlaces | None = None

    def may_repeat(self, lines: Places) -> list[bool]:
        """Which of some lines are kept however often they stand there."""
        repeats = self.is_code[lines]
        if self.cells is not None:
            repeats = repeats | (self.cells.row[lines] >= 0)
        return repeats.tolist()  # type: ignore[no-any-return]


def keep_whole(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> WholeChoice:
    """Choose listings, formulas, tables and lists whole or not at all.

    Args:
        tree: the page.
        features: its lines; line numbers of code, and links that are there to work with the page,
            belong to none of them afterwards.
        is_content: which of them the trees take for content.
    """
    n = len(is_content)
    has_text = without_asides(tree, features.cut)
    if has_text is not None and (is_content & has_text).any():
        is_content = is_content & has_text
    is_code = np.zeros(n, np.bool_)
    code = tree.places("pre") if not _has_rare_code(tree) else tree.places(*_CODE)
    tables = _inner_tables(tree, features)
    lists = _broken_lists(tree, features, is_content)
    if not (len(code) or len(tables.node) or len(lists) or tree.run_formula is not None):
        return WholeChoice(is_content, is_code)
    whole = is_content.copy()
    _settle_lists(features, lists, whole)
    _take_blanks(tree, features, code)
    cut, is_number = features.cut, np.zeros(n, np.bool_)
    is_number[without_line_numbers(tree, cut.lines.piece, cut.run_line, code)] = True
    headings = tree.places(*_HEADINGS) if len(code) else code
    for start, end in _code_groups(tree, features, code, is_number):
        is_code[start:end] = True
        _settle(whole, features, start, end, CODE_LIMITS)
        _add_headed(tree, features, headings, whole, start, end)
    data: list[int] = []
    if len(tables.node) and _may_have_data(features, tables, whole):
        data = _settle_tables(tree, features, tables, whole, is_code)
    blanks = _blank_lines(tree, features, code) if len(code) else None
    if tree.run_formula is not None:
        _add_formulas(tree, features, whole)
    whole[is_number] = False
    if has_text is not None:
        whole &= has_text
    places: LinePlaces | None = None
    if data or blanks is not None:
        if blanks is None:
            blanks = np.zeros(n, np.intp)
        places = LinePlaces(*_cell_places(tree, features, data), blanks)
    return WholeChoice(whole if whole.any() else is_content, is_code, places)


def rows_and_columns(
    cut: LineCut, lines: Places, cells: LinePlaces | None
) -> tuple[NDArray[np.int32], NDArray[np.int32] | None, Places | None]:
    """Row of each line as a reader sees it, its column, and how many blank lines are before it.

    Args:
        cut: the lines of the page.
        lines: numbers of the lines that are asked for.
        cells: places in data tables and listings.

    Returns:
        The rows; columns, where some row is one of a data table; blank lines, where there are any.
    """
    rows = cut.lines.row[cut.first_run[lines]]
    if cells is None:
        return rows, None, None
    row, blanks = cells.row[lines], cells.blanks[lines]
    is_behind = np.diff(lines, prepend=-1) <= blanks + 1
    rows = np.where(row >= 0, row + _NO_ROW, rows)
    return rows, cells.column[lines], blanks * is_behind


def _settle_tables(
    tree: PageTree, features: LineFeatures, tables: _Tables, whole: BoolArray, is_code: BoolArray
) -> list[int]:
    """Choose data tables whole or not at all; returns those that are chosen."""
    data = data_tables(tree, tree.run_chars > 0)
    if _is_little(features, whole):
        _add_large_tables(tree, features, data, whole)
    heads = tree.places("th", "caption", "thead")
    if not (data or len(heads) or len(tree.places("dl"))):
        return []
    n_heads = heads.searchsorted(tree.end[tables.node]) - heads.searchsorted(tables.node)
    is_small = tree.text_chars[tables.node] < MAX_HEADED_SHARE * tree.text_chars[0]
    headed = n_heads > 0
    tables_of_data: list[int] = []
    columns = (*tables, headed, headed & is_small)
    for node, start, end, is_headed, counts in zip(
        *(part.tolist() for part in columns), strict=True
    ):
        is_list = tree.tags[node] == "dl"
        if not (node in data or counts or is_list) or is_code[start:end].any():
            continue
        chars = features.text.counts[start:end, _CHARS].sum()
        is_linked = not is_headed and 2 * features.text.link_chars[start:end].sum() > chars
        _settle(whole, features, start, end, LINKED_LIMITS if is_linked else TABLE_LIMITS)
        if not is_list and whole[start:end].any():
            tables_of_data.append(node)
    return tables_of_data


def _cell_places(
    tree: PageTree, features: LineFeatures, tables: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Row and column of each line of some tables."""
    first_run = features.cut.first_run
    row = np.full(len(first_run), -1, np.int32)
    column = np.full(len(first_run), -1, np.int32)
    if not tables:
        return row, column
    cells, rows = tree.places("td", "th"), tree.places("tr")
    start = first_run.searchsorted(tree.run_start[cells]).tolist()
    end = first_run.searchsorted(tree.run_end[cells]).tolist()
    for table in tables:
        edges = [table, tree.end[table]]
        first, last = cells.searchsorted(edges).tolist()
        first_row, last_row = rows.searchsorted(edges).tolist()
        columns = cell_columns(tree, rows[first_row:last_row].tolist(), cells[first:last].tolist())
        left = min((columns[n - first] for n in range(first, last) if end[n] > start[n]), default=0)
        for number, place in enumerate(columns, first):
            inside = slice(start[number], end[number])
            row[inside], column[inside] = tree.parent[cells[number]], place - left
    return row, column


def _blank_lines(tree: PageTree, features: LineFeatures, code: Places) -> Places | None:
    """How many blank lines stand before each line in its listing, None if there are none.

    White space alone makes no line: a ``br`` behind another one, a block without text, and a line
    of which only the number was left do.
    """
    cut, outer = features.cut, _outermost(tree, code)
    is_shown = cut.lines.preformatted & (tree.run_chars > 0) & (cut.run_line >= 0)
    runs = is_shown.nonzero()[0]
    listing = tree.run_start[outer].searchsorted(runs, "right") - 1
    is_inside = (listing >= 0) & (runs < tree.run_end[outer][listing])
    runs, listing = runs[is_inside], listing[is_inside]
    line = cut.run_line[runs]
    is_next = np.flatnonzero((line[1:] > line[:-1]) & (listing[1:] == listing[:-1]))
    if not len(is_next):
        return None
    before, behind = runs[is_next], runs[is_next + 1]
    is_line = _MAKES_LINE[tree.tag] | ((tree.tag == _CODE_TAG) & np.isin(tree.parent, outer))
    n_lines = np.append(0, np.cumsum(is_line))
    is_blank = is_line & (tree.text_chars == 0) & (n_lines[tree.end] - n_lines[:-1] == 1)
    empty, breaks = is_blank.nonzero()[0], tree.places("br")
    if len(empty):
        breaks = breaks[~_are_within(breaks, empty, tree.end[empty])]
    n_empty, n_breaks = (
        starts.searchsorted(behind, "right") - starts.searchsorted(before, "right")
        for starts in (tree.run_start[empty], tree.run_start[breaks])
    )
    following = line[is_next + 1]
    is_numbered = cut.run_line[cut.first_run[following]] < 0  # else one number is its own
    n_numbers = np.maximum(following - line[is_next] - 2 + is_numbered, 0)
    blanks = np.zeros(len(cut), np.intp)
    blanks[following] = n_empty + np.maximum(n_breaks - 1, n_numbers)
    return blanks if blanks.any() else None


def _are_within(nodes: Places, starts: Places, ends: NDArray[np.int32]) -> BoolArray:
    """Which nodes stand in one of some elements that do not overlap."""
    place = starts.searchsorted(nodes) - 1
    return (place >= 0) & (nodes < ends[place])


def _outermost(tree: PageTree, code: Places) -> Places:
    """Listings that stand in no other one."""
    ends = np.maximum.accumulate(tree.end[code])
    is_outer: BoolArray = np.append(True, code[1:] >= ends[:-1])
    outer: Places = code[is_outer]
    return outer


def _take_blanks(tree: PageTree, features: LineFeatures, code: Places) -> None:
    """Give the blank runs of listings, their indents and line ends, to the lines around."""
    cut = features.cut
    for node in code.tolist():
        inside = slice(int(tree.run_start[node]), int(tree.run_end[node]))
        line, piece = cut.run_line[inside], cut.lines.piece[inside]
        is_blank = ~tree.run_raw[inside] & (tree.run_chars[inside] == 0)
        numbers = np.arange(len(line))
        inked = line >= 0
        if inked.all() or not inked.any():
            continue
        before = np.maximum.accumulate(np.where(inked, numbers, -1))
        behind = np.minimum.accumulate(np.where(inked, numbers, len(line))[::-1])[::-1]
        for near in (before, behind):
            fits = (line < 0) & is_blank & (near >= 0) & (near < len(line))
            fits[fits] = piece[near[fits]] == piece[fits]
            line[fits] = line[near[fits]]
        for run in ((line >= 0) & ~inked).nonzero()[0].tolist():
            cut.first_run[line[run]] = min(int(cut.first_run[line[run]]), inside.start + run)


def _code_groups(
    tree: PageTree, features: LineFeatures, code: Places, is_number: BoolArray
) -> list[tuple[int, int]]:
    """First line of each listing, and one past its last one; neighbors make one listing."""
    most = MAX_CODE_SHARE * tree.text_chars[0]
    done, groups = -1, list[tuple[int, int]]()
    for node in code.tolist():
        if node < done or not 0 < tree.text_chars[node] <= most:
            continue
        done = int(tree.end[node])
        start, end = _lines(tree, features, node)
        while start > 0 and is_number[start - 1]:
            start -= 1
        if groups and start <= groups[-1][1]:
            start = groups.pop()[0]
        groups.append((start, end))
    return groups


def _add_headed(
    tree: PageTree,
    features: LineFeatures,
    headings: Places,
    is_content: BoolArray,
    start: int,
    end: int,
) -> None:
    """Choose a listing and the heading above it where that stands right behind a chosen line.

    The element that the heading stands in must hold that line and the listing, too.
    """
    if not 2 <= start < end or is_content[start - 1 : start + 1].any() or not is_content[start - 2]:
        return
    node, first_run = features.cut.node[start - 1], features.cut.first_run
    place = int(headings.searchsorted(node, "right")) - 1
    if place < 0 or node >= tree.end[headings[place]]:
        return
    box = tree.parent[headings[place]]
    holds_both = (
        tree.run_start[box] <= first_run[start - 2] and first_run[start] < tree.run_end[box]
    )
    is_content[start - 1 : end] = holds_both


def _has_rare_code(tree: PageTree) -> bool:
    return len(tree.places("listing")) > 0 or len(tree.places("xmp")) > 0


def _inner_tables(tree: PageTree, features: LineFeatures) -> _Tables:
    """Tables and lists of definitions that hold no other one."""
    tables, lists = tree.places("table"), tree.places("dl")
    if len(lists):
        tables = np.sort(np.concatenate((tables, lists)))
    if not len(tables):
        return _Tables(tables, tables, tables)
    is_inner = np.append(tables[1:] >= tree.end[tables[:-1]], True)
    tables = tables[is_inner]
    first_run = features.cut.first_run
    start = first_run.searchsorted(tree.run_start[tables])
    end = first_run.searchsorted(tree.run_end[tables])
    is_shown = end > start + 1
    return _Tables(tables[is_shown], start[is_shown], end[is_shown])


def _broken_lists(
    tree: PageTree, features: LineFeatures, is_content: BoolArray
) -> list[tuple[int, int, int]]:
    """Lines and number of items of each list that is chosen in part and holds no other one."""
    lists = tree.places("ul", "ol")
    if not len(lists):
        return []
    lists = lists[np.append(lists[1:] >= tree.end[lists[:-1]], True)]
    first_run = features.cut.first_run
    start = first_run.searchsorted(tree.run_start[lists])
    end = first_run.searchsorted(tree.run_end[lists])
    total = np.append(0, np.cumsum(is_content))
    n_chosen = total[end] - total[start]
    is_broken = (n_chosen > 0) & (n_chosen < end - start)
    if not is_broken.any():
        return []
    lists, start, end = lists[is_broken], start[is_broken], end[is_broken]
    items = tree.places("li")
    n_items = items.searchsorted(tree.end[lists]) - items.searchsorted(lists)
    fits = n_items >= _MIN_ITEMS
    columns = (part[fits].tolist() for part in (start, end, n_items))
    return list(zip(*columns, strict=True))


def _settle_lists(
    features: LineFeatures, lists: list[tuple[int, int, int]], whole: BoolArray
) -> None:
    """Take all lines of a list that look the same if half are; settle those of short items.

    Menus and main lists are not among the lists of short items.
    """
    most = MAX_LIST_SHARE * float(features.weight @ whole)
    for start, end, _ in lists:
        _, group = np.unique(features.look[0][start:end], return_inverse=True)
        n_alike = np.bincount(group)
        n_chosen = np.bincount(group, whole[start:end])
        whole[start:end] |= ((n_alike >= _MIN_ITEMS) & (2 * n_chosen >= n_alike))[group]
    for start, end, n_items in lists:
        is_short = end - start <= _MAX_ITEM_LINES * n_items
        if is_short and _is_short_text(features, start, end, most):
            _settle(whole, features, start, end, LIST_LIMITS)


def _is_short_text(features: LineFeatures, start: int, end: int, most: float) -> bool:
    """Whether some lines are mostly no links, and have no more text than that."""
    chars = features.text.counts[start:end, _CHARS].sum()
    is_linked = features.text.link_chars[start:end].sum() > _MAX_LIST_LINKS * chars
    return not is_linked and float(features.weight[start:end].sum()) <= most


def _may_have_data(features: LineFeatures, tables: _Tables, is_content: BoolArray) -> bool:
    """Whether some table is chosen in part, stands between chosen lines, or may be all there is."""
    padded = b"\0" + is_content.tobytes() + b"\0"
    for start, end in zip(tables.start.tolist(), tables.end.tolist(), strict=True):
        if padded.find(1, start + 1, end + 1) >= 0 or (padded[start] and padded[end + 1]):
            return True
    return _is_little(features, is_content)


def _is_little(features: LineFeatures, is_content: BoolArray) -> bool:
    """Whether so little of a page is chosen that its tables may be the content."""
    if features.weight @ is_content >= MIN_CHOSEN_SHARE * features.weight.sum():
        return False
    return int(features.text.counts[is_content, _STOPS].sum()) <= MAX_STOPS


def _add_large_tables(
    tree: PageTree, features: LineFeatures, data: frozenset[int], is_content: BoolArray
) -> None:
    """Choose data tables that are larger than all that is chosen."""
    least = max(MIN_TABLE_CHARS, int(features.text.counts[is_content, _CHARS].sum()))
    for node in sorted(data):
        if tree.text_chars[node] > least and 2 * tree.anchor_chars[node] < tree.text_chars[node]:
            start, end = _lines(tree, features, node)
            is_content[start:end] = True


def _lines(tree: PageTree, features: LineFeatures, node: int) -> tuple[int, int]:
    edges = features.cut.first_run.searchsorted([tree.run_start[node], tree.run_end[node]])
    return int(edges[0]), int(edges[1])


def _settle(
    is_content: BoolArray, features: LineFeatures, start: int, end: int, limits: _Limits
) -> None:
    """Choose all lines of a group, or none."""
    if start == end:
        return
    weight = features.weight[start:end]
    share = float((weight * is_content[start:end]).sum() / max(weight.sum(), 1e-9))
    n_beside = int(start > 0 and is_content[start - 1]) + int(
        end < len(is_content) and is_content[end]
    )
    least = (limits.alone, limits.beside, limits.between)[n_beside]
    is_content[start:end] = share >= least


def _add_formulas(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> None:
    """Choose the lines that are a formula where the text before or behind them is."""
    assert tree.run_formula is not None
    cut = features.cut
    is_other = (tree.run_chars > 0) & ~tree.run_formula & (cut.run_line >= 0)
    has_other = np.zeros(len(cut), np.bool_)
    has_other[cut.run_line[is_other]] = True
    for line in (~has_other & ~is_content).nonzero()[0].tolist():
        is_before = line > 0 and is_content[line - 1]
        is_content[line] = is_before or (line + 1 < len(cut) and is_content[line + 1])
