"""The compiled loops of decontamination: units of texts, hashes of grams, a table of hashes.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    CodeArray = NDArray[np.uint32]
    ByteArray = NDArray[np.uint8]
    HashArray = NDArray[np.uint64]
    NumberArray = NDArray[np.int64]


def _mix(value: int) -> int:
    """64 bits that depend on all bits of a number."""
    ones = 0xFFFFFFFFFFFFFFFF
    one_mixer = 0xD6E8FEB86659FD93
    other_mixer = 0x9E3779B97F4A7C15
    value = ((value ^ (value >> 32)) * one_mixer) & ones
    value = ((value ^ (value >> 29)) * other_mixer) & ones
    return value ^ (value >> 32)


def find_units(
    codes: CodeArray, first: CodeArray, n_folded: ByteArray, pool: CodeArray, kinds: ByteArray,
    folded: CodeArray, places: NumberArray, starts: NumberArray, ends: NumberArray,
    hashes: HashArray, is_word: ByteArray,
) -> int:  # fmt: skip
    """Words and single characters, folded, each with its place in both texts; how many.

    Kinds of folded characters: 0 ends a word, 1 is a unit by itself, 2 is part of a word.
    """
    ones = 0xFFFFFFFFFFFFFFFF
    base = 0xA24BAED4963EE407
    value = 0
    n = 0
    n_out = 0
    inside = False
    for place in range(len(codes)):
        code = codes[place]
        begin = first[code]
        count = n_folded[code]
        for k in range(count):
            kind = kinds[begin + k]
            part = pool[begin + k]
            if inside and kind != 2:
                hashes[n - 1] = _mix(value)
                folded[n_out] = 32
                n_out += 1
                inside = False
            if kind == 0:
                continue
            if inside:
                number = int(part)
                value = (value * base + number + 1) & ones
            else:
                places[n] = n_out
                starts[n] = place
                number = int(part)
                value = number + 1
                inside = kind == 2
                is_word[n] = inside
                if not inside:
                    hashes[n] = _mix(value)
                n += 1
            folded[n_out] = part
            n_out += 1
            ends[n - 1] = place + 1
    if inside:
        hashes[n - 1] = _mix(value)
        folded[n_out] = 32
        n_out += 1
    places[n] = n_out
    return n


def hash_grams(
    hashes: HashArray, is_word: ByteArray, word_weight: int, char_weight: int, least_weight: int,
    grams: HashArray, ends: NumberArray,
) -> int:  # fmt: skip
    """A number for the shortest run of enough weight from each unit on; how many there are.

    The hash of a run is that of its units with the weight of the first taken off as it leaves:
    ``leaving`` is the base to the power of how many the run has.
    """
    ones = 0xFFFFFFFFFFFFFFFF
    base = 0xD1342543DE82EF95
    backward = 0x572B5EE77A54E3BD  # times the base: 1
    n_units = len(hashes)
    weight = 0
    value = 0
    leaving = 1
    end = 0
    for start in range(n_units):
        while weight < least_weight and end < n_units:
            entering = int(hashes[end])
            value = (value * base + entering) & ones
            leaving = (leaving * base) & ones
            weight += word_weight if is_word[end] else char_weight
            end += 1
        if weight < least_weight:
            return start
        number = _mix(value)
        grams[start] = number or 1
        ends[start] = end
        leaving = (leaving * backward) & ones
        entering = int(hashes[start])
        value = (value - leaving * entering) & ones
        weight -= word_weight if is_word[start] else char_weight
    return n_units


def put(grams: HashArray, slots: HashArray) -> None:
    """Put numbers, none 0, into a table of 2^k slots that has room for them."""
    last = len(slots) - 1
    for row in range(len(grams)):
        gram = grams[row]
        place = int(gram)
        place = place & last
        while slots[place] != 0 and slots[place] != gram:
            place = (place + 1) & last
        slots[place] = gram


def find_known(grams: HashArray, slots: HashArray, rows: NumberArray) -> int:
    """Which numbers are in the table; how many."""
    last = len(slots) - 1
    n = 0
    for row in range(len(grams)):
        gram = grams[row]
        place = int(gram)
        place = place & last
        while slots[place] != 0 and slots[place] != gram:
            place = (place + 1) & last
        if slots[place] == gram:
            rows[n] = row
            n += 1
    return n


def common_codes(codes: CodeArray, place: int, others: CodeArray, other: int, most: int) -> int:
    """How many codes from a place in each are the same."""
    n = 0
    while n < most and codes[place + n] == others[other + n]:
        n += 1
    return n
