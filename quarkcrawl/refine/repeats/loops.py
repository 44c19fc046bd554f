"""The compiled loops of repeats: windows of characters, their hashes, and how far two places agree.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    CodeArray = NDArray[np.uint32]
    CountArray = NDArray[np.uint32]
    HashArray = NDArray[np.uint64]
    FlagArray = NDArray[np.uint8]


def _mix(value: int) -> int:
    """64 bits that depend on all bits of a number."""
    ones = 0xFFFFFFFFFFFFFFFF
    one_mixer = 0xD6E8FEB86659FD93
    other_mixer = 0x9E3779B97F4A7C15
    value = ((value ^ (value >> 32)) * one_mixer) & ones
    value = ((value ^ (value >> 29)) * other_mixer) & ones
    return value ^ (value >> 32)


def _power(base: int, n: int) -> int:
    ones = 0xFFFFFFFFFFFFFFFF
    power = 1
    for _ in range(n):
        power = (power * base) & ones
    return power


def hash_grams(codes: CodeArray, n_gram: int, hashes: HashArray) -> None:
    """A number for every ``n_gram`` characters, equal for equal ones."""
    ones = 0xFFFFFFFFFFFFFFFF
    base = 0xA24BAED4963EE407
    leaving = _power(base, n_gram)
    value = 0
    for place in range(len(codes)):
        code = int(codes[place])
        value = (value * base + code + 1) & ones
        if place >= n_gram:
            code = int(codes[place - n_gram])
            value = (value - leaving * (code + 1)) & ones
        if place >= n_gram - 1:
            hashes[place - n_gram + 1] = _mix(value)


def find_segments(
    hashes: HashArray, n_windows: int, width: int,
    keys: HashArray, starts: CountArray, counts: CountArray, repeats: FlagArray,
) -> int:  # fmt: skip
    """Runs of windows with the same least hash; how many there are.

    A window has ``width`` grams. Where the least hash of a run stands more than once in it, the
    windows of the run can be equal to one another.
    """
    n = 0
    least = 0
    least_place = -1
    for window in range(n_windows):
        last = window + width - 1
        previous = least
        if least_place < window:
            least = int(hashes[window])
            least_place = window
            for place in range(window + 1, last + 1):
                if hashes[place] <= least:
                    least = int(hashes[place])
                    least_place = place
            stands_again = window > 0 and least == previous
            for place in range(window, least_place):
                if hashes[place] == least:
                    stands_again = True
        else:
            stands_again = hashes[last] == least
            if hashes[last] <= least:
                least = int(hashes[last])
                least_place = last
        if n == 0 or least != previous:
            keys[n] = least
            starts[n] = window
            counts[n] = 1
            repeats[n] = 0
            n += 1
        else:
            counts[n - 1] += 1
        if stands_again:
            repeats[n - 1] = 1
    return n


def hash_windows(
    codes: CodeArray, starts: HashArray, counts: CountArray, n_chars: int,
    hashes: HashArray, places: HashArray,
) -> None:  # fmt: skip
    """The windows of runs: a number for each, equal for equal ones, and where it begins."""
    ones = 0xFFFFFFFFFFFFFFFF
    base = 0xD1342543DE82EF95
    leaving = _power(base, n_chars)
    n = 0
    for row in range(len(starts)):
        value = 0
        first = int(starts[row])
        count = int(counts[row])
        end = first + count + n_chars - 1
        for place in range(first, end):
            code = int(codes[place])
            value = (value * base + code + 1) & ones
            if place - first >= n_chars:
                code = int(codes[place - n_chars])
                value = (value - leaving * (code + 1)) & ones
            if place - first >= n_chars - 1:
                hashes[n] = _mix(value)
                places[n] = place - n_chars + 1
                n += 1


def first_difference(
    codes: CodeArray, places: HashArray, others: HashArray, counts: HashArray, n_more: int
) -> int:
    """The first pair of places whose next characters, ``n_more`` after the count, differ; or -1."""
    for row in range(len(places)):
        place = int(places[row])
        other = int(others[row])
        n = int(counts[row])
        for k in range(n + n_more):
            if codes[place + k] != codes[other + k]:
                return row
    return -1


def common_chars(codes: CodeArray, place: int, other: int, most: int) -> int:
    """How many characters from two places on are the same."""
    n = 0
    while n < most and codes[place + n] == codes[other + n]:
        n += 1
    return n
