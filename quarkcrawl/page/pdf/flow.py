"""From the lines of PDF pages to paragraphs: what pages repeat, reading order, what is joined."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise, product, zip_longest
from statistics import median
from typing import TYPE_CHECKING, Final

from quarkcrawl.page.pdf.lines import CJK_CHAR, SOFT_HYPHEN, Line

if TYPE_CHECKING:
    from collections.abc import Sequence

_BINS: Final = 240
_GUTTER_FROM, _GUTTER_TO = 0.25, 0.75
_LEAST_COLUMN_LINES: Final = 4
_LEAST_GUTTER_EM: Final = 0.7
_MOST_CROSSING_SHARE: Final = 0.15
_LEAST_FULL_SHARE: Final = 0.55
_MOST_NESTED: Final = 3
_EDGE_ROWS: Final = 3
_LEAST_REPEATS: Final = 3
_REPEATED_SHARE: Final = 0.3
_OTHER_SIZE: Final = 1.15
_MOST_MOVED_PT: Final = 4.0
_MOST_NUMBERS: Final = 4
_MOST_REPEATED_CHARS: Final = 200

_NUMBER: Final = re.compile(r"[0-9０-９]+")
_PAGE_NUMBER: Final = re.compile(
    r"\W*(?:第|page|p\.?|页码)?\W*([0-9０-９]{1,4})\W*"
    r"(?:页)?\W*(?:(?:/|of|共)?\W*[0-9０-９]{1,4})?\W*(?:页)?\W*",
    re.IGNORECASE,
)
_SENTENCE_END: Final = tuple("。！？；：.!?;:”」』）)")


@dataclass(frozen=True, slots=True)
class JoinedLines:
    """Lines that make a paragraph.

    Args:
        text: in one line.
        size: size of its letters.
    """

    text: str
    size: float


# What pages repeat


def without_repeated(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """Pages without running headers, footers and page numbers.

    Left out is what stands in the outermost rows of several pages at one height with the same
    words, where numbers may count the pages.

    Args:
        pages: lines of each page.
    """
    edges = [_edge_rows(page) for page in pages]
    counts = Counter(
        key
        for number, rows in enumerate(edges)
        for key in {key for row in rows for key in _keys(row, number)}
    )
    least = max(_LEAST_REPEATS, int(_REPEATED_SHARE * len(pages) + 0.999))
    numbers = _numbered(edges, len(pages))
    out: list[list[Line]] = []
    for number, (page, rows) in enumerate(zip(pages, edges, strict=True)):
        dropped = {
            row[0].row
            for row in rows
            if (number, row[0].row) in numbers
            or any(counts[key] >= least for key in _keys(row, number))
        }
        out.append([line for line in page if line.row not in dropped] if dropped else page)
    return out


def _edge_rows(page: list[Line]) -> list[list[Line]]:
    """The topmost and lowest rows of a page."""
    rows: dict[int, list[Line]] = {}
    for line in page:
        if not line.is_vertical:
            rows.setdefault(line.row, []).append(line)
    ordered = sorted(rows.values(), key=lambda row: -row[0].middle)
    if len(ordered) <= 2 * _EDGE_ROWS:
        return ordered
    return ordered[:_EDGE_ROWS] + ordered[-_EDGE_ROWS:]


def _words(row: list[Line]) -> str:
    return " ".join(line.text for line in row)


def _keys(row: list[Line], page: int) -> set[tuple[str, int]]:
    """The row's words at its height; each number as it is, or as what it is ahead of the page."""
    words = _words(row)
    pieces = _NUMBER.split(words)
    numbers = _NUMBER.findall(words)
    if len(numbers) > _MOST_NUMBERS or len(words) > _MOST_REPEATED_CHARS:
        return set()
    height = round(row[0].middle / _MOST_MOVED_PT)
    spellings = product(*((number, f"{int(number[-9:]) - page:+}") for number in numbers))
    joined = (
        "".join(chain(*zip_longest(pieces, spelling, fillvalue=""))) for spelling in spellings
    )
    return {(text, height) for text in joined}


def _numbered(edges: list[list[list[Line]]], n_pages: int) -> set[tuple[int, int]]:
    """Page and row of page numbers: they count the pages, two or more in turn."""
    numbered: dict[int, tuple[int, int]] = {}
    for page, rows in enumerate(edges):
        for row in rows:
            match = _PAGE_NUMBER.fullmatch(_words(row))
            if match is not None:
                numbered.setdefault(page, (row[0].row, int(match[1])))
    out: set[tuple[int, int]] = set()
    for page in range(n_pages - 1):
        here, behind = numbered.get(page), numbered.get(page + 1)
        if here and behind and behind[1] == here[1] + 1:
            out |= {(page, here[0]), (page + 1, behind[0])}
    return out


# Reading order


def in_order(lines: list[Line], depth: int = 0) -> list[list[Line]]:
    """Lines in reading order, in groups of which each is (a part of) one column.

    Args:
        lines: what stands on a page, in the order of the file.
        depth: how often they were parted already.
    """
    if not lines:
        return []
    if sum(line.is_vertical for line in lines) > len(lines) / 2:
        return [sorted(lines, key=lambda line: (-round(line.x1), -line.y1))]
    gutter = _gutter(lines) if depth < _MOST_NESTED else None
    if gutter is None:
        return [_rows(lines)]
    left, right = gutter
    out: list[list[Line]] = []
    sides: tuple[list[Line], list[Line]] = ([], [])
    for line in sorted(lines, key=lambda line: -line.middle):
        if line.x1 <= right and line.x0 < left:
            sides[0].append(line)
        elif line.x0 >= left:
            sides[1].append(line)
        else:  # across: what stands above it is read first
            out += [group for side in sides for group in in_order(side, depth + 1)]
            out.append([line])
            sides = ([], [])
    out += [group for side in sides for group in in_order(side, depth + 1)]
    return out


def _gutter(lines: list[Line]) -> tuple[float, float] | None:
    """Left and right edge of the white space between two columns of running text."""
    if len(lines) < 2 * _LEAST_COLUMN_LINES:
        return None
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    if x1 - x0 <= 0:
        return None
    scale = _BINS / (x1 - x0)
    best = _widest_gap(_coverage(lines, x0, scale), _MOST_CROSSING_SHARE * len(lines))
    if best is None:
        return None
    left, right = x0 + best[0] / scale, x0 + best[1] / scale
    size = median(line.size for line in lines)
    if right - left < _LEAST_GUTTER_EM * size or not _are_columns(lines, left, right):
        return None
    return left, right


def _coverage(lines: list[Line], x0: float, scale: float) -> list[int]:
    """How many lines stand above and below each step from left to right."""
    steps = [0] * (_BINS + 2)
    for line in lines:
        steps[max(int((line.x0 - x0) * scale), 0)] += 1
        steps[min(int((line.x1 - x0) * scale) + 1, _BINS + 1)] -= 1
    return list(accumulate(steps[:_BINS]))


def _widest_gap(covered: list[int], most: float) -> tuple[int, int] | None:
    """The longest stretch near the middle that few lines cross."""
    middle = range(int(_GUTTER_FROM * _BINS), int(_GUTTER_TO * _BINS) + 1)
    gaps: list[tuple[int, int]] = []
    for is_free, places in groupby(middle, key=lambda place: covered[place] <= most):
        first, *others = places
        if is_free:
            gaps.append((first, (others or [first])[-1] + 1))
    return max(gaps, key=lambda gap: gap[1] - gap[0], default=None)


def _are_columns(lines: list[Line], left: float, right: float) -> bool:
    """Whether both sides hold running text, and beside each other: a table's cells are shorter."""
    sides = (
        [line for line in lines if line.x1 <= right and line.x0 < left],
        [line for line in lines if line.x0 >= left],
    )
    for side in sides:
        if len(side) < _LEAST_COLUMN_LINES:
            return False
        width = max(line.x1 for line in side) - min(line.x0 for line in side)
        if median(line.x1 - line.x0 for line in side) < _LEAST_FULL_SHARE * width:
            return False
        if median(len(line.text) for line in side) < 8:
            return False
    tops = [max(line.y1 for line in side) for side in sides]
    ends = [min(line.y0 for line in side) for side in sides]
    beside = min(tops) - max(ends)
    heights = (tops[0] - ends[0], tops[1] - ends[1])
    return beside > 0.3 * min(heights)


def _rows(lines: list[Line]) -> list[Line]:
    """Parts of a row joined again; rows in the order of the file unless that goes up and down."""
    rows: list[Line] = []
    for line in lines:
        if rows and _is_beside(rows[-1], line):
            last = rows[-1]
            rows[-1] = Line(
                f"{last.text} {line.text}",
                min(last.x0, line.x0),
                max(last.x1, line.x1),
                min(last.y0, line.y0),
                max(last.y1, line.y1),
                last.size,
                last.row,
                last.n_unreadable + line.n_unreadable,
                last.n_cells + 1,
            )
        else:
            rows.append(line)
    n_up = sum(behind.middle > line.middle + 2 * line.size for line, behind in pairwise(rows))
    if n_up > max(2, len(rows) // 10):
        rows.sort(key=lambda line: (-round(line.middle / max(line.size, 1.0)), line.x0))
    return rows


def _is_beside(last: Line, line: Line) -> bool:
    """Whether a line stands to the right of another in one row."""
    return line.x0 >= last.x1 and abs(line.middle - last.middle) < 0.4 * last.size


# Paragraphs


def paragraphs(groups: Sequence[list[Line]]) -> list[JoinedLines]:
    """The paragraphs of a page.

    Args:
        groups: its lines, see `in_order`.
    """
    out: list[JoinedLines] = []
    last: Line | None = None
    edges: tuple[float, float] | None = None
    for group in groups:
        leading = _leading(group)
        behind = _edges(group)
        for line in group:
            is_first = last is None or edges is None
            if not is_first and not _ends(last, line, edges, leading):
                out[-1] = JoinedLines(_joined(out[-1].text, line.text), out[-1].size)
            else:
                out.append(JoinedLines(line.text, line.size))
            last, edges = line, behind
    return [JoinedLines(one.text.replace(SOFT_HYPHEN, ""), one.size) for one in out]


def _leading(group: list[Line]) -> float:
    """Usual distance of a group's lines."""
    down = [
        abs(_across(line) - _across(behind))
        for line, behind in pairwise(group)
        if 0.5 * line.size < abs(_across(line) - _across(behind)) < 4 * line.size
    ]
    return median(down) if down else 0.0


def _across(line: Line) -> float:
    """Where a line stands, in the direction in which lines follow each other."""
    return (line.x0 + line.x1) / 2 if line.is_vertical else line.middle


def _edges(group: list[Line]) -> tuple[float, float]:
    """Where the lines of a group begin and end, in the direction of writing."""
    begins, ends = zip(*(_along(line) for line in group), strict=True)
    size = median(line.size for line in group)
    full = sorted(
        end for line, end in zip(group, ends, strict=True) if line.size < _OTHER_SIZE * size
    )
    return min(begins), full[-1 - len(full) // 20] if full else max(ends)


def _along(line: Line) -> tuple[float, float]:
    return (-line.y1, -line.y0) if line.is_vertical else (line.x0, line.x1)


def _ends(last: Line | None, line: Line, edges: tuple[float, float] | None, leading: float) -> bool:
    """Whether a paragraph ends between two lines."""
    assert last is not None
    assert edges is not None
    (begin, end), (next_begin, next_end) = _along(last), _along(line)
    distance = _across(last) - _across(line)
    is_below = last.is_vertical or distance > -last.size
    is_far = is_below and leading > 0 and abs(distance) > 1.4 * leading
    is_indented = is_below and next_begin - begin > 0.8 * line.size
    if _differ(last, line) or is_far or is_indented:
        return True
    if last.text.endswith(SOFT_HYPHEN):
        return False
    room = edges[1] - end
    if CJK_CHAR.match(line.text[:1]) or CJK_CHAR.match(last.text[-1:]):
        is_short = room > 2.2 * last.size
    else:
        word = line.text.partition(" ")[0]
        width = (next_end - next_begin) / max(len(line.text), 1)
        is_short = room > (len(word) + 2) * width + 0.5 * last.size
    return is_short or (not is_below and last.text.endswith(_SENTENCE_END))


def _differ(last: Line, line: Line) -> bool:
    """Whether two lines cannot be of one paragraph: by size, direction, or as rows of a table."""
    small, large = sorted((max(last.size, 0.1), max(line.size, 0.1)))
    is_table = last.n_cells > 1 or line.n_cells > 1
    return is_table or large > _OTHER_SIZE * small or last.is_vertical != line.is_vertical


def _joined(text: str, behind: str) -> str:
    if text.endswith(SOFT_HYPHEN):
        return text[:-1] + behind
    if text.endswith("-") and text[-2:-1].isalpha() and behind[:1].islower():
        return text[:-1] + behind
    if CJK_CHAR.match(text[-1:]) or CJK_CHAR.match(behind[:1]):
        return text + behind
    return f"{text} {behind}"
