"""Columns of the feature matrix that come from other lines, repeated structures and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    IntArray = NDArray[np.int32]
    FloatArray = NDArray[np.float64]
    LongArray = NDArray[np.int64]


REPEAT_COLUMNS: Final = (
    *("repeat_count", "repeat_mean", "repeat_share", "repeat_index", "repeat_links"),
    *("repeat_stops", "repeat_good", "repeat_down", "repeat_category", "repeat_chars"),
)


@compiled
def fill_repeats(
    out: Matrix,
    node: IntArray,
    best: IntArray,
    parent: IntArray,
    depth: IntArray,
    category: NDArray[np.int8],
    sums: FloatArray,
    repeat: tuple[IntArray, IntArray, FloatArray, FloatArray],
) -> None:
    """The largest repeated structure that a line lies in: posts, comments, items of a list."""
    count, index, total, _ = repeat
    all_chars, all_good = max(sums[0, 0], 1.0), max(sums[0, 4], 1.0)
    for line in range(len(out)):
        row, v = out[line], best[node[line]]
        chars = max(sums[v, 0], 1.0)
        row[0], row[1], row[2], row[3] = (
            count[v],
            total[v] / count[v],
            total[v] / all_chars,
            index[v],
        )
        row[4], row[5] = sums[v, 1] / chars, sums[v, 2] / chars
        row[6] = sums[max(parent[v], 0), 4] / all_good
        row[7], row[8], row[9] = depth[node[line]] - depth[v], category[v], chars


@compiled
def fill_bits(out: Matrix, bits: LongArray, n_bits: int) -> None:
    """One column a bit."""
    for line in range(len(out)):
        for bit in range(n_bits):
            out[line, bit] = bits[line] >> bit & 1


LOOK_COLUMNS: Final = ("lines", "weight_share", "links_share", "mean", "stops_share", "good_share")


@compiled
def fill_looks(out: Matrix, look: LongArray, basics: FloatArray) -> None:
    """All lines of the page that look the same; see `signatures`."""
    n = len(out)
    all_weight, all_good = max(basics[:, 6].sum(), 1.0), max(basics[:, 4].sum(), 1.0)
    order = np.argsort(look, kind="mergesort")
    start = 0
    total = np.zeros(8)
    while start < n:
        stop = start
        total[:] = 0
        while stop < n and look[order[stop]] == look[order[start]]:
            total += basics[order[stop]]
            stop += 1
        for place in range(start, stop):
            row = out[order[place]]
            row[0], row[1], row[2] = total[3], total[6] / all_weight, total[1] / total[0]
            row[3], row[4], row[5] = total[6] / total[3], total[2] / total[0], total[4] / all_good
        start = stop


NEIGHBOUR_BASES: Final = (
    *("log_weight", "link_share", "punctuation_share", "category", "n_stop", "depth"),
    *("han_share", "digit_share", "text_score", "class_score"),
)
_REACH: Final = 3


def neighbour_columns() -> tuple[str, ...]:
    """Names of what `fill_neighbours` writes."""
    places = [offset for offset in range(-_REACH, _REACH + 1) if offset]
    return tuple(f"{name}{offset:+d}" for name in NEIGHBOUR_BASES for offset in places)


@compiled
def fill_neighbours(out: Matrix, columns: Matrix) -> None:
    """Values of the three lines before and behind; -1 where there is none."""
    n, n_columns = columns.shape
    for line in range(n):
        place = 0
        for column in range(n_columns):
            for offset in range(-3, 4):
                if offset != 0:
                    other = line + offset
                    out[line, place] = columns[other, column] if 0 <= other < n else -1
                    place += 1


_WINDOWS: Final = (3, 8, 20)

WINDOW_COLUMNS: Final = tuple(
    f"{name}_{side}_{size}"
    for name in ("chars", "link_chars", "stops", "good", "weight")
    for size in _WINDOWS
    for side in ("before", "behind")
)


@compiled
def fill_windows(out: Matrix, basics: FloatArray) -> None:
    """Sums over the lines before and behind."""
    n = len(basics)
    total = np.zeros(n + 1)
    place = 0
    for kind in (0, 1, 2, 4, 6):
        for line in range(n):
            total[line + 1] = total[line] + basics[line, kind]
        for size in (3, 8, 20):
            for line in range(n):
                out[line, place] = total[line] - total[max(line - size, 0)]
                out[line, place + 1] = total[min(line + size + 1, n)] - total[line + 1]
            place += 2


SAME_COLUMNS: Final = ("look_before", "look_behind", "parent_before", "parent_behind")


@compiled
def fill_same(out: Matrix, look: LongArray, parents: IntArray) -> None:
    """Whether the next lines look the same or have the same parent."""
    n = len(out)
    for line in range(1, n):
        same_look, same_parent = look[line] == look[line - 1], parents[line] == parents[line - 1]
        out[line, 0], out[line, 2] = same_look, same_parent
        out[line - 1, 1], out[line - 1, 3] = same_look, same_parent


PAGE_COLUMNS: Final = (
    *("page_lines", "page_weight", "page_links", "page_good", "page_n_good", "page_han"),
    *("page_good_share", "page_main", "page_longest", "page_h1", "page_article", "page_p"),
    *("page_posts", "page_comments", "page_products"),
    *("page_repeats", "page_repeat_share", "page_repeat_links", "page_repeat_mean"),
)
