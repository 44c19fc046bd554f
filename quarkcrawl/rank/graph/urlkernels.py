"""A hash table of texts, compiled: each text is kept once, and known by its number.

Slots hold 32 bits of the hash and the number, counted from 1; 0 is free. Texts are compared
byte by byte, eight at a time, so that equal hashes do no harm, and hashes are seeded, so that
nobody can choose URLs that all fall into one place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - numba types the tuple when it compiles

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    SlotArray = NDArray[np.uint64]


_WORD: Final = 8
_STEP: Final = np.uint64(_WORD)
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)
_ONE: Final = np.uint64(1)
_NONE: Final = np.uint64(0)


class PackedStrings(NamedTuple):
    """Texts one after the other.

    Args:
        data: their bytes.
        words: the eight bytes from each place on as one number, in the same memory.
        ends: first byte of each text, and the end.
    """

    data: NDArray[np.uint8]
    words: NDArray[np.uint64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, data: ByteArray, ends: LongArray) -> Self:
        """See the class."""
        n = max(len(data) - _WORD + 1, 0)
        words = np.ndarray((n,), np.uint64, data, strides=(1,)) if n else np.zeros(0, np.uint64)
        return cls(data, words, ends)


@compiled
def _tag(texts: PackedStrings, i: int, seed: Any) -> Any:
    """32 bits that depend on all bytes of a text."""
    data, words, ends = texts
    start, end = ends[i], ends[i + 1]
    mixed = seed ^ (np.uint64(end - start) * _ODD)
    if end - start < _WORD:
        for k in range(start, end):
            mixed = (mixed ^ np.uint64(data[k])) * _ODD
            mixed ^= mixed >> _HALF
    else:
        last = np.uint64(end - _WORD)
        place = np.uint64(start)
        while place < last:
            mixed = (mixed ^ words[place]) * _ODD
            mixed ^= mixed >> _HALF
            place += _STEP
        mixed = (mixed ^ words[last]) * _ODD
        mixed ^= mixed >> _HALF
    mixed *= _ODD
    return mixed >> _HALF


@compiled
def _same(texts: PackedStrings, i: int, others: PackedStrings, j: int) -> bool:
    """Whether two texts are equal."""
    data, words, ends = texts
    start, begin = ends[i], others.ends[j]
    n = ends[i + 1] - start
    if n != others.ends[j + 1] - begin:
        return False
    if n < _WORD:
        for k in range(n):  # noqa: SIM110 - numba has no generators
            if data[start + k] != others.data[begin + k]:
                return False
        return True
    last, place = np.uint64(n - _WORD), _NONE
    left, right = np.uint64(start), np.uint64(begin)
    while place < last:
        if words[left + place] != others.words[right + place]:
            return False
        place += _STEP
    return bool(words[left + last] == others.words[right + last])


@compiled
def intern(
    asked: PackedStrings,
    known: PackedStrings,
    slots: SlotArray,
    n_known: int,
    seed: Any,
    numbers: IntArray,
) -> int:
    """Number texts; new ones are added.

    ``known`` and ``slots``, a power of two long, have room for all that are asked for. ``numbers``
    receives the number of each text.

    Returns:
        How many texts are known now.
    """
    mask = np.uint64(len(slots) - 1)
    for i in range(len(numbers)):
        tag = _tag(asked, i, seed)
        place = tag & mask
        while True:
            slot = slots[place]
            if slot == _NONE:
                slots[place] = (tag << _HALF) | np.uint64(n_known + 1)
                start, begin = asked.ends[i], known.ends[n_known]
                n = asked.ends[i + 1] - start
                known.data[begin : begin + n] = asked.data[start : start + n]
                known.ends[n_known + 1] = begin + n
                numbers[i] = n_known
                n_known += 1
                break
            if slot >> _HALF == tag:
                number = int(slot & _LOW) - 1
                if _same(asked, i, known, number):
                    numbers[i] = number
                    break
            place = (place + _ONE) & mask
    return n_known


@compiled
def put_again(slots: SlotArray, larger: SlotArray) -> None:
    """Move a table to a larger one."""
    mask = np.uint64(len(larger) - 1)
    for slot in slots:
        if slot != _NONE:
            place = (slot >> _HALF) & mask
            while larger[place] != _NONE:
                place = (place + _ONE) & mask
            larger[place] = slot
