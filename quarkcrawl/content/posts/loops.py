"""The compiled loop that looks for the dates of posts.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint16] | NDArray[np.uint32]
    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]


def is_month(codes: Codes, start: int, place: int, months: IntArray) -> bool:
    """Whether the word before a place, and the blank behind it, begins as the name of a month."""
    end = place - 1
    while end > start and codes[end - 1] <= 32:
        end -= 1
    if end > start and (codes[end - 1] == 46 or codes[end - 1] == 44):
        end -= 1
    first = end
    while first > start and end - first < 10 and (codes[first - 1] | 32) > 96:
        first -= 1
    if end - first < 3:
        return False
    word = 0
    for letter in range(first, first + 3):
        word = word << 9 | (codes[letter] | 32) & 511
    is_match = False
    for month in range(len(months)):
        is_match = is_match or months[month] == word
    return is_match


def mark_dates(
    codes: Codes,
    starts: IntArray,
    max_chars: int,
    joins: Codes,
    units: Codes,
    months: IntArray,
    dated: BoolArray,
) -> int:
    """Mark short text runs with a date, a time of day or how long ago something was; count them.

    White space at the ends does not count, and more of it than one character counts as one.

    Args:
        codes: characters of the runs.
        starts: where each run starts, and the end.
        max_chars: length of a short run.
        joins: characters between two numbers of a date, ascending.
        units: characters for units of time before 前.
        months: first three letters of months, 9 bits each.
        dated: set for each run.
    """
    n_dates = 0
    for run in range(len(starts) - 1):
        start = starts[run]
        stop = starts[run + 1]
        dated[run] = False
        while start < stop - 1 and codes[start] <= 32:
            start += 1
        while stop - 1 > start and codes[stop - 2] <= 32:
            stop -= 1
        n_chars = stop - start  # with the sign or the white space behind them
        if n_chars > max_chars:
            for place in range(start + 1, stop):
                n_chars -= codes[place] <= 32 and codes[place - 1] <= 32
        if n_chars < 4 or n_chars > max_chars:
            continue
        n_digits = 0
        before = between = 0
        is_date = False
        for place in range(start, stop):
            code = codes[place]
            if code <= 32:  # all white space as one blank
                if between == 32:
                    continue
                code = 32
            if 48 <= code <= 57:
                n_digits += 1
                if 48 <= before <= 57:
                    for join in range(len(joins)):
                        is_date = is_date or between == joins[join]
                elif between == 32 and ((before | 32) > 96 or 44 <= before <= 46):
                    is_date = is_month(codes, start, place, months)
            else:
                if n_digits == 4 and (
                    (codes[place - 4] == 50 and codes[place - 3] == 48)
                    or (codes[place - 4] == 49 and codes[place - 3] == 57)
                ):
                    is_date = True  # a year
                n_digits = 0
                if code == 111 and between == 103 and before == 97:
                    # " ago"; the character that ends each run stands behind the last one
                    is_start = place - 3 >= start and codes[place - 3] <= 32
                    is_date = is_date or (is_start and codes[place + 1] < 65)
                elif code == 21069:  # 前
                    for unit in range(len(units)):
                        is_date = is_date or between == units[unit]
            if is_date:
                dated[run] = True
                n_dates += 1
                break
            before = between
            between = code
    return n_dates
