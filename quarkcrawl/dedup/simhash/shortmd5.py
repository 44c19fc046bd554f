"""MD5 of the four-grams of a text, sixteen at a time, and the sums of their bits.

The simhash package hashes each four-gram of a text with MD5 (RFC 1321) and keeps the last eight
bytes. Four characters are at most sixteen bytes of UTF-8, hence one block of MD5; the kernel walks
through the 64 steps with sixteen blocks side by side, which the compiler turns into vector code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SINES: Final = np.floor(np.abs(np.sin(np.arange(1, 65))) * 2.0**32).astype(np.uint32)
_TURNS: Final = np.array(
    [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]], np.uint32
)


@compiled
def _put(words: NDArray[np.uint32], lane: int, at: int, byte: int) -> None:
    words[at >> 2, lane] |= np.uint32(byte) << np.uint32(8 * (at & 3))


@compiled
def _load(gram: NDArray[np.uint8], words: NDArray[np.uint32], lane: int) -> None:
    """Write one four-gram, padded, into its lane."""
    for row in range(5):
        words[row, lane] = 0
    for at in range(len(gram)):
        _put(words, lane, at, gram[at])
    _put(words, lane, len(gram), 0x80)
    words[14, lane] = 8 * len(gram)


@compiled
def _rounds(words: NDArray[np.uint32], state: NDArray[np.uint32]) -> None:
    a, b, c, d = state[0], state[1], state[2], state[3]
    for step in range(64):
        turn = step >> 4
        if turn == 0:
            source = step
        elif turn == 1:
            source = (5 * step + 1) & 15
        elif turn == 2:
            source = (3 * step + 5) & 15
        else:
            source = (7 * step) & 15
        left = _TURNS[turn, step & 3]
        right = np.uint32(32) - left
        sine = _SINES[step]
        word = words[source]
        for lane in range(16):
            x, y, z = b[lane], c[lane], d[lane]
            if turn == 0:
                mixed = (x & y) | (~x & z)
            elif turn == 1:
                mixed = (z & x) | (~z & y)
            elif turn == 2:
                mixed = x ^ y ^ z
            else:
                mixed = y ^ (x | ~z)
            total = np.uint32(np.uint32(a[lane] + mixed) + np.uint32(sine + word[lane]))
            a[lane] = x + np.uint32((total << left) | (total >> right))
        a, b, c, d = d, a, b, c


@compiled
def _after(data: NDArray[np.uint8], at: int) -> int:
    """Where the next character begins."""
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return min(at, len(data))


@compiled
def _sum_bits(data: NDArray[np.uint8], counts: NDArray[np.int32]) -> int:
    start = stop = n_grams = 0
    for _ in range(4):
        stop = _after(data, stop)
    words = np.zeros((16, 16), np.uint32)
    state = np.empty((4, 16), np.uint32)
    is_last = False
    while not is_last:
        n_lanes = 0
        while n_lanes < 16 and not is_last:
            _load(data[start:stop], words, n_lanes)
            n_lanes += 1
            is_last = stop == len(data)
            start, stop = _after(data, start), _after(data, stop)
        n_grams += n_lanes
        state[0] = 0x67452301
        state[1] = 0xEFCDAB89
        state[2] = 0x98BADCFE
        state[3] = 0x10325476
        _rounds(words, state)
        for lane in range(n_lanes):
            third = state[2, lane] + np.uint32(0x98BADCFE)
            fourth = state[3, lane] + np.uint32(0x10325476)
            for bit in range(32):
                counts[bit] += np.int32((third >> np.uint32(bit)) & np.uint32(1))
                counts[32 + bit] += np.int32((fourth >> np.uint32(bit)) & np.uint32(1))
    return n_grams


def _places() -> NDArray[np.int64]:
    """Where the bits of the last two words of a digest stand in it, read as one number."""
    bit = np.arange(32)
    place = 8 * (bit // 8) + 7 - bit % 8  # from the first byte of the word, highest bit first
    return np.concatenate([place, 32 + place])


_PLACES: Final = _places()


def four_gram_bits(text: str) -> tuple[NDArray[np.int64], int]:
    """Add up the last 64 bits of the MD5 of all four-grams; a shorter text is one shorter gram.

    Returns:
        How many digests have each bit set, the highest bit first, and the number of digests.
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    counts = np.zeros(64, np.int32)
    n_grams = _sum_bits(data, counts)
    ordered = np.empty(64, np.int64)
    ordered[_PLACES] = counts
    return ordered, n_grams
