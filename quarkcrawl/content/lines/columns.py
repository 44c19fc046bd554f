"""Names of the columns of the feature matrix, in the order in which loops fill them.

They tell of a line itself, of the subtrees it lies in, of other lines, repeated structures and the
page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.loops import fill_basics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    FloatArray = NDArray[np.float64]


BASICS: Final = ("chars", "link_chars", "stops", "lines", "good", "punctuation", "weight", "n_good")
"""Quantities of lines that are summed over subtrees."""

N_LEVELS: Final = 4


def line_basics(counts: IntArray, link_chars: IntArray) -> FloatArray:
    """`BASICS` of each line.

    Weight makes scripts comparable: a Chinese character tells about as much as four letters.
    Good text is a sentence or more of it outside links.
    """
    basics = np.zeros((len(counts), len(BASICS)))
    fill_basics(counts, link_chars, basics)
    return basics


TEXT_COLUMNS: Final = (
    *("chars", "weight", "log_weight", "link_share", "n_runs", "title_share", "title_ratio"),
    *("n_stop", "n_punctuation", "n_end", "n_comma", "n_digit", "n_separator", "n_quote"),
    *("stop_share", "punctuation_share", "comma_share", "digit_share", "separator_share"),
    *("han_share", "letter_share", "capital_share", "space_share"),
    *("first_digit", "first_punctuation", "first_han", "first_capital", "first_separator"),
    *("last_digit", "last_punctuation", "last_end", "last_separator", "text_score"),
)

PLACE_COLUMNS: Final = (
    *("weight_of_max", "weight_of_all", "place", "lines_before", "lines_behind"),
    *("weight_before", "good_before", "good_behind", "from_h1", "from_title", "from_longest"),
    "like_title",
)

LEVEL_COLUMNS: Final = tuple(
    f"{name}_{level}"
    for level in range(N_LEVELS)
    for name in (
        *("chars", "links_share", "stops_share", "lines", "good", "good_share", "share"),
        *("category", "n_links", "n_images", "n_inputs", "count", "mean", "repeat_share"),
        *("index", "of_largest", "place"),
    )
)

TREE_COLUMNS: Final = (
    *("category", "parent_category", "depth", "is_hidden", "class_score", "on_main_path"),
    *("behind_main", "main_up", "main_category", "main_good_share"),
    *(
        f"{name}_{path}"
        for path in ("main", "title", "h1")
        for name in ("good", "share", "down", "links", "path_depth")
    ),
)

REPEAT_COLUMNS: Final = (
    *("repeat_count", "repeat_mean", "repeat_share", "repeat_index", "repeat_links"),
    *("repeat_stops", "repeat_good", "repeat_down", "repeat_category", "repeat_chars"),
)

LOOK_COLUMNS: Final = ("lines", "weight_share", "links_share", "mean", "stops_share", "good_share")

NEIGHBOR_BASES: Final = (
    *("log_weight", "link_share", "punctuation_share", "category", "n_stop", "depth"),
    *("han_share", "digit_share", "text_score", "class_score"),
)

REACH: Final = 3
"""So many lines before and behind a line are its neighbors."""

NEIGHBOR_COLUMNS: Final = tuple(
    f"{name}{offset:+d}" for name in NEIGHBOR_BASES for offset in range(-REACH, REACH + 1) if offset
)

WINDOW_BASICS: Final = ("chars", "link_chars", "stops", "good", "weight")
WINDOWS: Final = (3, 8, 20)
WINDOW_COLUMNS: Final = tuple(
    f"{name}_{side}_{size}"
    for name in WINDOW_BASICS
    for size in WINDOWS
    for side in ("before", "behind")
)

SAME_COLUMNS: Final = ("look_before", "look_behind", "parent_before", "parent_behind")

PAGE_COLUMNS: Final = (
    *("page_lines", "page_weight", "page_links", "page_good", "page_n_good", "page_han"),
    *("page_good_share", "page_main", "page_longest", "page_h1", "page_article", "page_p"),
    *("page_posts", "page_comments", "page_products"),
    *("page_repeats", "page_repeat_share", "page_repeat_links", "page_repeat_mean"),
)
