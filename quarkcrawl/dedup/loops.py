"""The compiled loops of near-duplicates: codes and hashes of texts, near fingerprints, union-find.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md. Hashes
are computed without sign: what may grow beyond 32 or 64 bits is cut by ``_word`` or ``_long``,
which costs nothing compiled, and numbers of an array that take part become Python's by ``int``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    ByteArray = NDArray[np.uint8]
    WordArray = NDArray[np.uint32]
    HashArray = NDArray[np.uint64]
    PlaceArray = NDArray[np.int64]


_WORD: Final = 0xFFFFFFFF
_GOLDEN: Final = 0x9E3779B97F4A7C15
_MIXER: Final = 0xBF58476D1CE4E5B9
_LAST_MIXER: Final = 0x94D049BB133111EB
_BORROWED: Final = 0x9E3779B1

_EVERY_SECOND: Final = 0x5555555555555555
_PAIRS: Final = 0x3333333333333333
_HALF_BYTES: Final = 0x0F0F0F0F0F0F0F0F
_BYTES: Final = 0x0101010101010101

_A: Final = 0x67452301
_B: Final = 0xEFCDAB89
_C: Final = 0x98BADCFE
_D: Final = 0x10325476


def _word(value: int) -> int:
    """The lower 32 bits."""
    mask = 0xFFFFFFFF
    return value & mask


def _long(value: int) -> int:
    """The lower 64 bits."""
    mask = 0xFFFFFFFFFFFFFFFF
    return value & mask


# Which numbers are connected: a parent is never larger than its child


def _connect(parents: WordArray, one: int, other: int) -> None:
    """Connect two numbers; the ways to the smallest of their sets get shorter."""
    first = int(parents[one])
    while first != one:
        first = int(parents[first])
        parents[one] = first
        one = first
        first = int(parents[one])
    second = int(parents[other])
    while second != other:
        second = int(parents[second])
        parents[other] = second
        other = second
        second = int(parents[other])
    if first != second:
        parents[max(first, second)] = min(first, second)


def unite(parents: WordArray, firsts: WordArray, others: WordArray) -> None:
    """Connect pairs of numbers by union-find.

    Args:
        parents: for each number one that it is connected with, itself at the beginning.
        firsts: one number of each pair; all are below the length of ``parents``.
        others: the other one.
    """
    for at in range(len(firsts)):
        _connect(parents, firsts[at], others[at])


def flatten(parents: WordArray) -> None:
    """Make the smallest number of each connected set the parent of all of them.

    Args:
        parents: as `unite` left them.
    """
    for number in range(len(parents)):
        parents[number] = parents[parents[number]]


# Hashes of code points


def _mix(value: int) -> int:
    """Spread what differs over all bits."""
    mixed = _long((value ^ (value >> 30)) * _MIXER)
    mixed = _long((mixed ^ (mixed >> 27)) * _LAST_MIXER)
    return mixed ^ (mixed >> 31)


def hash_grams(units: WordArray, bins: WordArray, full: WordArray) -> None:
    """Keep the least hash of the four-grams of each bin; empty bins borrow into ``full``."""
    last = len(bins) - 1
    for start in range(max(len(units) - 3, 1)):
        mixed = 0
        for place in range(start, min(start + 4, len(units))):
            unit = int(units[place])
            mixed = _long((mixed ^ unit) * _GOLDEN)
            mixed ^= mixed >> 29
        mixed = _mix(mixed)
        number = mixed & last
        mixed >>= 33
        bins[number] = min(bins[number], mixed)
    for place in range(len(full)):
        for offset in range(len(bins)):
            bin_hash = int(bins[(place + offset) & last])
            if bin_hash != _WORD:
                full[place] = _word(bin_hash + offset * _BORROWED)
                break


def hash_bands(bins: WordArray, n_rows: int, keys: HashArray) -> None:
    """Hash each so many bins to a key."""
    for band in range(len(keys)):
        mixed = band + 1
        for place in range(band * n_rows, (band + 1) * n_rows):
            least = int(bins[place])
            mixed = _mix(mixed ^ least)
        keys[band] = mixed


def hash_picks(codes: WordArray, picks: PlaceArray, keys: HashArray) -> None:
    """Hash the picked characters of each code."""
    for row in range(len(codes)):
        for number in range(len(picks)):
            mixed = picks.shape[1]
            for at in range(picks.shape[1]):
                unit = int(codes[row, picks[number, at]])
                mixed = _long((mixed ^ unit) * _GOLDEN)
                mixed ^= mixed >> 29
            mixed = _long(mixed * _MIXER)
            keys[row, number] = mixed ^ (mixed >> 32)


# Feature codes


def _is_han(unit: int) -> bool:
    """Whether a code point is a Han character."""
    if unit < 0x3400:
        return False
    if unit < 0xA000:
        return unit >= 0x4E00 or unit < 0x4DC0
    if unit < 0x20000:
        return 0xF900 <= unit <= 0xFAFF
    return unit <= 0x3134F


def _is_known(room: WordArray, first: int, codes: WordArray, n_codes: int) -> bool:
    """Whether the ten characters from there on are one of some codes."""
    for row in range(n_codes):
        equal = 0
        while equal < 10 and codes[row, equal] == room[0, first + equal]:
            equal += 1
        if equal == 10:
            return True
    return False


def _take(room: WordArray, n_han: int, n_stops: int, step: int, codes: WordArray) -> int:
    """Put codes of the first stops, or with step -1 of the last ones, into rows, each once."""
    row = 0
    at = 0 if step > 0 else n_stops - 1
    while 0 <= at < n_stops and row < len(codes):
        first = room[1, at] - 5
        if first + 10 <= n_han and not _is_known(room, first, codes, row):
            for place in range(10):
                codes[row, place] = room[0, first + place]
            row += 1
        at += step
    return row


def find_codes(
    units: WordArray, room: WordArray, head: WordArray, tail: WordArray
) -> tuple[int, int, int]:
    """Find the first codes and the last ones; returns how many, and how many Han characters.

    ``room`` gets the Han characters, and how many of them stand before each full stop: two rows
    as long as the text.
    """
    n_han = n_stops = 0
    for unit in units:
        if _is_han(unit):
            room[0, n_han] = unit
            n_han += 1
        elif (
            n_han >= 5
            and unit in (0x3002, 0xFF0E, 0xFF61)
            and (n_stops == 0 or room[1, n_stops - 1] != n_han)
        ):
            room[1, n_stops] = n_han
            n_stops += 1
    n_head = _take(room, n_han, n_stops, 1, head)
    n_tail = _take(room, n_han, n_stops, -1, tail)
    return n_head, n_tail, n_han


# Bits of the MD5 of four-grams


def _after(data: ByteArray, at: int) -> int:
    """Where the next character of UTF-8 begins."""
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return min(at, len(data))


def _load(data: ByteArray, start: int, stop: int, words: list[int], lane: int) -> None:
    """Write one four-gram, padded, into its lane."""
    for row in range(5):
        words[16 * row + lane] = 0
    for at in range(stop - start):
        byte = int(data[start + at])
        words[16 * (at >> 2) + lane] |= byte << (8 * (at & 3))
    words[16 * ((stop - start) >> 2) + lane] |= 0x80 << (8 * ((stop - start) & 3))
    words[16 * 14 + lane] = 8 * (stop - start)


def sum_bits(data: ByteArray, sines: WordArray, turns: WordArray, counts: PlaceArray) -> int:
    """Count the bits of the last two words of the MD5 of all four-grams; returns their number."""
    words = [0] * 256  # word by word, of sixteen blocks each
    a = [0] * 16
    b = [0] * 16
    c = [0] * 16
    d = [0] * 16
    mixed = [0] * 16
    sums = [0] * 8
    for at in range(256):
        words[at] = 0
    start = stop = n_grams = 0
    for _ in range(4):
        stop = _after(data, stop)
    is_last = False
    while not is_last:
        n_lanes = 0
        while n_lanes < 16 and not is_last:
            _load(data, start, stop, words, n_lanes)
            n_lanes += 1
            is_last = stop == len(data)
            start = _after(data, start)
            stop = _after(data, stop)
        n_grams += n_lanes
        for lane in range(16):
            a[lane] = _A
            b[lane] = _B
            c[lane] = _C
            d[lane] = _D
        for step in range(64):
            if step < 16:
                source = 16 * step
                for lane in range(16):
                    mixed[lane] = d[lane] ^ (b[lane] & (c[lane] ^ d[lane]))
            elif step < 32:
                source = 16 * ((5 * step + 1) & 15)
                for lane in range(16):
                    mixed[lane] = c[lane] ^ (d[lane] & (b[lane] ^ c[lane]))
            elif step < 48:
                source = 16 * ((3 * step + 5) & 15)
                for lane in range(16):
                    mixed[lane] = b[lane] ^ c[lane] ^ d[lane]
            else:
                source = 16 * ((7 * step) & 15)
                for lane in range(16):
                    mixed[lane] = c[lane] ^ (b[lane] | (d[lane] ^ _WORD))
            sine = int(sines[step])
            left = int(turns[step])
            for lane in range(16):
                total = _word(a[lane] + mixed[lane] + words[source + lane] + sine)
                total = (total << left) | (total >> (32 - left))
                a[lane] = d[lane]
                d[lane] = c[lane]
                c[lane] = b[lane]
                b[lane] = _word(b[lane] + total)
        for bit in range(8):
            sums[bit] = 0
        for lane in range(n_lanes):
            digest = _word(d[lane] + _D)
            digest = (digest << 32) | (_word(c[lane] + _C))
            for bit in range(8):
                sums[bit] += (digest >> bit) & _BYTES
        for bit in range(64):
            counts[bit] += (sums[bit & 7] >> (bit & 56)) & 255
    return n_grams


# Fingerprints that are near


def _popcount(word: int) -> int:
    """How many bits are set."""
    bits = word - ((word >> 1) & _EVERY_SECOND)
    bits = (bits & _PAIRS) + ((bits >> 2) & _PAIRS)
    bits = (bits + (bits >> 4)) & _HALF_BYTES
    return _long(bits * _BYTES) >> 56


def _band(value: int, start: int, stop: int) -> int:
    """The bits of one band."""
    return (value >> start) & ((1 << (stop - start)) - 1)


def chain(
    values: HashArray, first: int, cuts: HashArray, heads: PlaceArray, nexts: PlaceArray
) -> None:
    """Hang values into the chains, from the number ``first`` on."""
    for number in range(first, len(values)):
        value = int(values[number])
        for band in range(len(cuts) - 1):
            place = _band(value, cuts[band], cuts[band + 1])
            nexts[band, number] = heads[band, place]
            heads[band, place] = number


def sort_bands(
    values: HashArray,
    cuts: HashArray,
    starts: PlaceArray,
    ends: PlaceArray,
    ordered: HashArray,
    numbers: WordArray,
) -> None:
    """Counting sort by each band; ``starts`` are zeros before it, ``ends`` room for a band."""
    for band in range(len(cuts) - 1):
        for number in range(len(values)):
            value = int(values[number])
            starts[band, _band(value, cuts[band], cuts[band + 1]) + 1] += 1
        for place in range(1, starts.shape[1]):
            starts[band, place] += starts[band, place - 1]
            ends[place] = starts[band, place]
        ends[0] = 0
        for number in range(len(values)):
            value = int(values[number])
            place = _band(value, cuts[band], cuts[band + 1])
            ordered[band, ends[place]] = value
            numbers[band, ends[place]] = number
            ends[place] += 1


def _is_first(differing: int, cuts: HashArray, band: int) -> bool:
    """Whether no band before this one is equal."""
    earlier = 0
    while earlier < band and _band(differing, cuts[earlier], cuts[earlier + 1]) != 0:
        earlier += 1
    return earlier == band


def find_near(
    value: int,
    k: int,
    cuts: HashArray,
    starts: PlaceArray,
    ordered: HashArray,
    numbers: WordArray,
    chained: HashArray,
    heads: PlaceArray,
    nexts: PlaceArray,
    matches: PlaceArray,
) -> int:
    """Find what is near among what is sorted and in the chains; there may be no room for all."""
    n_found = 0
    for band in range(len(cuts) - 1):
        place = _band(value, cuts[band], cuts[band + 1])
        for at in range(starts[band, place], starts[band, place + 1]):
            differing = int(value ^ ordered[band, at])
            if _popcount(differing) <= k and _is_first(differing, cuts, band):
                if n_found < len(matches):
                    matches[n_found] = numbers[band, at]
                n_found += 1
        number = heads[band, place]
        while number >= 0:
            differing = int(value ^ chained[number])
            if _popcount(differing) <= k and _is_first(differing, cuts, band):
                if n_found < len(matches):
                    matches[n_found] = numbers.shape[1] + number
                n_found += 1
            number = nexts[band, number]
    return n_found


def link_near(
    keys: HashArray,
    values: HashArray,
    k: int,
    ones: ByteArray,
    parents: WordArray,
    distinct: WordArray,
) -> None:
    """Join rows with one key whose values are near; rows are sorted by key, then by value.

    The different values of a key move to its beginning, and ``distinct`` tells their rows. Most
    that are not near differ too much in 39 bits already: ``ones`` counts those of thirteen.
    """
    start = 0
    while start < len(keys):
        stop = last = start
        distinct[start] = start
        while stop < len(keys) and keys[stop] == keys[start]:
            if values[stop] != values[last]:
                last += 1
                values[last] = values[stop]
                distinct[last] = stop
            parents[stop] = distinct[last]
            stop += 1
        for later in range(start + 1, last + 1):
            value = int(values[later])
            for earlier in range(start, later):
                bits = int(value ^ values[earlier])
                some = ones[bits & 8191] + ones[(bits >> 13) & 8191] + ones[bits >> 51]
                if some > k or _popcount(bits) > k:
                    continue
                _connect(parents, distinct[earlier], distinct[later])
        start = stop
