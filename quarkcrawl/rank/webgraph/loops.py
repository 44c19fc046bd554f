"""The compiled loops of harmonic centrality: one step of many walks at once.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md. What
runs in threads gives the interpreter's lock up, which is said here: a .pxd has no word for it.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import cython
    import numpy as np
    from numpy.typing import NDArray

    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    BitArray = NDArray[np.uint64]
    DoubleArray = NDArray[np.float64]
else:  # Cython has read the import all the same
    cython = SimpleNamespace(nogil=nullcontext())


def word_at(words: BitArray, place: int) -> int:
    """A number of 64 bits."""
    return int(words[place])


def n_ones(bits: int) -> int:
    """How many of 64 bits are set."""
    twos = 0x5555555555555555
    fours = 0x3333333333333333
    eights = 0x0F0F0F0F0F0F0F0F
    ones = 0x0101010101010101
    all_bits = 0xFFFFFFFFFFFFFFFF
    bits -= (bits >> 1) & twos
    bits = (bits & fours) + ((bits >> 2) & fours)
    bits = (bits + (bits >> 4)) & eights
    return ((bits * ones) & all_bits) >> 56


def reach(
    in_ptr: LongArray,
    incoming: IntArray,
    frontier: BitArray,
    seen: BitArray,
    fresh: BitArray,
    share: float,
    sums: DoubleArray,
    first: int,
    last: int,
) -> bool:
    """One step of 64 walks: which of them come to each node from ``first`` to ``last`` now.

    Each bit is a walk that began at a node of its own; a node adds ``share``, one over the number
    of steps, for each walk that reaches it for the first time. Returns whether one did.
    """
    moved = False
    with cython.nogil:
        for t in range(first, last):
            bits = 0
            for k in range(in_ptr[t], in_ptr[t + 1]):
                bits |= word_at(frontier, incoming[k])
            bits &= ~word_at(seen, t)
            fresh[t] = bits
            if bits != 0:
                seen[t] |= bits
                sums[t] += n_ones(bits) * share
                moved = True
    return moved


def grow(
    in_ptr: LongArray,
    incoming: IntArray,
    old: ByteArray,
    new: ByteArray,
    n_registers: int,
    moved: ByteArray,
    changed: ByteArray,
    first: int,
    last: int,
) -> bool:
    """One step of HyperBall: the counter of a node takes in those of the nodes that link to it.

    ``old`` and ``new`` hold ``n_registers`` bytes a node; ``moved`` says whose counters the last
    step changed, only these can change others. Returns whether a counter changed.
    """
    any_changed = False
    with cython.nogil:
        for t in range(first, last):
            place = t * n_registers
            for r in range(n_registers):
                new[place + r] = old[place + r]
            is_moved = False
            for k in range(in_ptr[t], in_ptr[t + 1]):
                source = incoming[k]
                if moved[source]:
                    is_moved = True
                    begin = source * n_registers
                    for r in range(n_registers):
                        have = new[place + r]
                        other = old[begin + r]
                        new[place + r] = max(have, other)
            is_changed = False
            if is_moved:
                for r in range(n_registers):
                    is_changed |= new[place + r] != old[place + r]
            changed[t] = is_changed
            any_changed |= is_changed
    return any_changed


def add_sizes(
    registers: ByteArray,
    n_registers: int,
    changed: ByteArray,
    powers: DoubleArray,
    scale: float,
    sizes: DoubleArray,
    share: float,
    sums: DoubleArray,
    first: int,
    last: int,
) -> None:
    """Estimate how many nodes each changed counter has counted, and add what is new of it.

    ``powers`` has 2 to the minus k, ``scale`` what the estimate of that many registers is
    multiplied with. Few are counted by the registers that are still zero.
    """
    with cython.nogil:
        for t in range(first, last):
            if changed[t]:
                total = 0.0
                n_zero = 0
                for k in range(t * n_registers, (t + 1) * n_registers):
                    total += float(powers[registers[k]])
                    n_zero += registers[k] == 0
                size = scale / total
                if size <= 2.5 * n_registers and n_zero > 0:
                    size = n_registers * math.log(n_registers / n_zero)
                sums[t] += (size - float(sizes[t])) * share
                sizes[t] = size
