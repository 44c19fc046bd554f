"""Columns of the feature matrix that come from a line and from the subtrees it lies in.

Each ``fill_…`` kernel writes the columns that the tuple of names above it lists, in that order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    IntArray = NDArray[np.int32]
    FloatArray = NDArray[np.float64]


BASICS: Final = ("chars", "link_chars", "stops", "lines", "good", "punctuation", "weight", "n_good")
"""Quantities of lines that are summed over subtrees."""

N_LEVELS: Final = 4


@compiled
def line_basics(counts: IntArray, link_chars: IntArray) -> FloatArray:
    """`BASICS` of each line.

    Weight makes scripts comparable: a Chinese character tells about as much as four letters.
    Good text is a sentence or more of it outside links.
    """
    n = len(counts)
    basics = np.zeros((n, 8))
    for line in range(n):
        chars, linked = counts[line, 11], link_chars[line]
        weight = counts[line, 3] + 0.25 * counts[line, 5] + 0.3 * counts[line, 4]
        is_good = counts[line, 9] >= 1 and chars - linked > 0.6 * chars and weight >= 12
        basics[line, 0], basics[line, 1], basics[line, 2] = chars, linked, counts[line, 2]
        basics[line, 3], basics[line, 5], basics[line, 6] = 1, counts[line, 1], weight
        if is_good:
            basics[line, 4], basics[line, 7] = weight, 1
    return basics


TEXT_COLUMNS: Final = (
    *("chars", "weight", "log_weight", "link_share", "n_runs", "title_share", "title_ratio"),
    *("n_stop", "n_punctuation", "n_end", "n_comma", "n_digit", "n_separator", "n_quote"),
    *("stop_share", "punctuation_share", "comma_share", "digit_share", "separator_share"),
    *("han_share", "letter_share", "capital_share", "space_share"),
    *("first_digit", "first_punctuation", "first_han", "first_capital", "first_separator"),
    *("last_digit", "last_punctuation", "last_end", "last_separator", "text_score"),
)


@compiled
def fill_text(
    out: Matrix,
    basics: FloatArray,
    counts: IntArray,
    first: IntArray,
    last: IntArray,
    n_runs: IntArray,
    title_chars: int,
    scores: FloatArray,
) -> None:
    """What a line itself tells."""
    for line in range(len(out)):
        chars, weight = basics[line, 0], basics[line, 6]
        row, count = out[line], counts[line]
        row[0], row[1], row[2] = chars, weight, np.log1p(weight)
        row[3], row[4] = basics[line, 1] / chars, n_runs[line]
        row[5], row[6] = count[12] / chars, chars / title_chars
        row[7], row[8], row[9], row[10] = count[2], count[1], count[7], count[9]
        row[11], row[12], row[13] = count[4], count[8], count[10]
        row[14], row[15], row[16] = count[2] / chars, count[1] / chars, count[9] / chars
        row[17], row[18], row[19] = count[4] / chars, count[8] / chars, count[3] / chars
        row[20], row[21], row[22] = count[5] / chars, count[6] / chars, count[0] / chars
        row[23], row[24], row[25] = first[line] >> 4 & 1, first[line] >> 1 & 1, first[line] >> 3 & 1
        row[26], row[27] = first[line] >> 6 & 1, first[line] >> 8 & 1
        row[28], row[29], row[30] = last[line] >> 4 & 1, last[line] >> 1 & 1, last[line] >> 7 & 1
        row[31], row[32] = last[line] >> 8 & 1, scores[line]


PLACE_COLUMNS: Final = (
    *("weight_of_max", "weight_of_all", "place", "lines_before", "lines_behind"),
    *("weight_before", "good_before", "good_behind", "from_h1", "from_title", "from_longest"),
    "like_title",
)


@compiled
def fill_places(
    out: Matrix, basics: FloatArray, h1_line: int, title_line: int, text: Matrix
) -> None:
    """Where a line stands on the page."""
    n = len(out)
    total, total_good = max(basics[:, 6].sum(), 1.0), max(basics[:, 4].sum(), 1.0)
    longest = np.argmax(basics[:, 6])
    most = max(basics[longest, 6], 1.0)
    weight, good = 0.0, 0.0
    for line in range(n):
        row = out[line]
        row[7] = 1 - good / total_good
        weight += basics[line, 6]
        good += basics[line, 4]
        row[0], row[1], row[2] = basics[line, 6] / most, basics[line, 6] / total, line / n
        row[3], row[4], row[5], row[6] = line, n - line, weight / total, good / total_good
        row[8] = line - h1_line if h1_line >= 0 else -999
        row[9] = line - title_line if title_line >= 0 else -999
        row[10] = line - longest
        row[11] = text[line, 5] > 0.9 and text[line, 6] >= 0.4


LEVEL_COLUMNS: Final = tuple(
    f"{name}_{level}"
    for level in range(N_LEVELS)
    for name in (
        *("chars", "links_share", "stops_share", "lines", "good", "good_share", "share"),
        *("category", "n_links", "n_images", "n_inputs", "count", "mean", "repeat_share"),
        *("index", "of_largest", "place"),
    )
)


@compiled
def fill_levels(
    out: Matrix,
    levels: IntArray,
    sums: FloatArray,
    chars_before: FloatArray,
    line_chars: FloatArray,
    category: NDArray[np.int8],
    n_of: IntArray,
    repeat: tuple[IntArray, IntArray, FloatArray, FloatArray],
) -> None:
    """The subtrees around a line, from the smallest outwards; see `distinct_ancestors`."""
    count, index, total, largest = repeat
    all_chars, all_good = max(sums[0, 0], 1.0), max(sums[0, 4], 1.0)
    before = 0.0
    for line in range(len(out)):
        for level in range(4):
            v, row = levels[line, level], out[line, 17 * level : 17 * level + 17]
            chars = max(sums[v, 0], 1.0)
            row[0], row[1], row[2], row[3] = (
                chars,
                sums[v, 1] / chars,
                sums[v, 2] / chars,
                sums[v, 3],
            )
            row[4], row[5] = sums[v, 4] / all_good, sums[v, 4] / max(sums[v, 6], 1.0)
            row[6], row[7] = chars / all_chars, category[v]
            row[8], row[9], row[10] = n_of[v, 0], n_of[v, 1], n_of[v, 2]
            row[11], row[12], row[13] = count[v], total[v] / count[v], total[v] / all_chars
            row[14], row[15] = index[v], chars / max(largest[v], 1.0)
            row[16] = (before - chars_before[v]) / chars
        before += line_chars[line]


TREE_COLUMNS: Final = (
    *("category", "parent_category", "depth", "is_hidden", "class_score", "on_main_path"),
    *("behind_main", "main_up", "main_category", "main_good_share"),
    *(
        f"{name}_{path}"
        for path in ("main", "title", "h1")
        for name in ("good", "share", "down", "links", "path_depth")
    ),
)


@compiled
def fill_tree(
    out: Matrix,
    node: IntArray,
    parent: IntArray,
    depth: IntArray,
    category: NDArray[np.int8],
    hidden: NDArray[np.int64],
    scores: FloatArray,
) -> None:
    """Where a line hangs in the tree: the first five of `TREE_COLUMNS`."""
    for line in range(len(out)):
        v, row = node[line], out[line]
        row[0], row[1], row[2] = category[v], category[max(parent[v], 0)], depth[v]
        row[3], row[4] = hidden[v], scores[v]


@compiled
def fill_paths(
    out: Matrix,
    node: IntArray,
    level: IntArray,
    main: tuple[NDArray[np.bool_], int],
    paths: tuple[IntArray, IntArray],
    depth: IntArray,
    category: NDArray[np.int8],
    sums: FloatArray,
) -> None:
    """The tree seen from the main text, the title and the first h1: the other `TREE_COLUMNS`."""
    on_main, main_end = main
    commons, end_depths = paths
    all_chars, all_good = max(sums[0, 0], 1.0), max(sums[0, 4], 1.0)
    for line in range(len(out)):
        v, row = node[line], out[line]
        common = commons[0, v]
        row[5], row[6] = on_main[level[line]], v > main_end
        row[7], row[8] = end_depths[0] - depth[common], category[common]
        row[9] = sums[common, 4] / max(sums[common, 6], 1.0)
        for path in range(3):
            part = row[10 + 5 * path : 15 + 5 * path]
            if end_depths[path] < 0:
                part[:] = -1
                continue
            common = commons[path, v]
            part[0], part[1] = sums[common, 4] / all_good, sums[common, 0] / all_chars
            part[2], part[3] = depth[v] - depth[common], sums[common, 1] / max(sums[common, 0], 1.0)
            part[4] = end_depths[path] - depth[common]
