"""The compiled loops of link analysis: URLs numbered, links sorted and turned round, ranks sent.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md. What
runs in threads gives the interpreter's lock up, which is said here: a .pxd has no word for it.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import cython
    import numpy as np
    from numpy.typing import NDArray

    ByteArray = NDArray[np.uint8]
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    SlotArray = NDArray[np.uint64]
    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float32]
    RankArray = NDArray[Any]
else:  # Cython has read the import all the same
    cython = SimpleNamespace(nogil=nullcontext())


def mixed(bits: int, word: int) -> int:
    """64 bits that depend on all bits of both numbers."""
    odd = 0x9E3779B97F4A7C15
    ones = 0xFFFFFFFFFFFFFFFF
    bits = ((bits ^ word) * odd) & ones
    return bits ^ (bits >> 32)


def byte_at(data: ByteArray, place: int) -> int:
    """A byte as a number of 64 bits."""
    return int(data[place])


def word_at(data: ByteArray, place: int) -> int:
    """Eight bytes as one number; a C compiler reads them at once."""
    return (
        byte_at(data, place)
        | (byte_at(data, place + 1) << 8)
        | (byte_at(data, place + 2) << 16)
        | (byte_at(data, place + 3) << 24)
        | (byte_at(data, place + 4) << 32)
        | (byte_at(data, place + 5) << 40)
        | (byte_at(data, place + 6) << 48)
        | (byte_at(data, place + 7) << 56)
    )


def tag_of(data: ByteArray, start: int, end: int, seed: int) -> int:
    """32 bits that depend on all bytes of a text."""
    bits = mixed(seed, end - start)
    while end - start >= 8:
        bits = mixed(bits, word_at(data, start))
        start += 8
    word = 0
    for k in range(start, end):
        word = (word << 8) | byte_at(data, k)
    return mixed(mixed(bits, word), 0) >> 32


def is_same(data: ByteArray, start: int, others: ByteArray, begin: int, n: int) -> bool:
    """Whether two texts are equal."""
    while n >= 8:
        if word_at(data, start) != word_at(others, begin):
            return False
        start += 8
        begin += 8
        n -= 8
    for k in range(n):  # noqa: SIM110 - no generators here
        if data[start + k] != others[begin + k]:
            return False
    return True


def intern(
    texts: ByteArray,
    text_ends: LongArray,
    known_texts: ByteArray,
    known_ends: LongArray,
    slots: SlotArray,
    n_known: int,
    seed: int,
    numbers: IntArray,
) -> int:
    """Number texts, new ones are added; returns how many are known now.

    Texts lie one after the other, with the first byte of each and the end beside them. What is
    known and ``slots``, a power of two long, have room for all that are asked for. A slot holds 32
    bits of the hash and the number, counted from 1; 0 is free.
    """
    last = len(slots) - 1
    half = 0xFFFFFFFF
    for i in range(len(numbers)):
        start = int(text_ends[i])
        end = int(text_ends[i + 1])
        n = end - start
        tag = tag_of(texts, start, end, seed)
        place = tag & last
        number = -1
        while number < 0:
            slot = int(slots[place])
            low = slot & half
            if low == 0:
                number = n_known
                begin = known_ends[number]
                for k in range(n):
                    known_texts[begin + k] = texts[start + k]
                known_ends[number + 1] = begin + n
                n_known += 1
                slots[place] = (tag << 32) | n_known
            elif slot >> 32 == tag:
                begin = known_ends[low - 1]
                if known_ends[low] - begin == n and is_same(texts, start, known_texts, begin, n):
                    number = low - 1
            place = (place + 1) & last
        numbers[i] = number
    return n_known


def put_again(slots: SlotArray, larger: SlotArray) -> None:
    """Move a table to a larger one; see `intern`."""
    last = len(larger) - 1
    for k in range(len(slots)):
        slot = int(slots[k])
        if slot != 0:
            place = (slot >> 32) & last
            while larger[place] != 0:
                place = (place + 1) & last
            larger[place] = slot


def mark_targets(
    start: LongArray,
    end: LongArray,
    target: IntArray,
    nofollow: BoolArray,
    skips: bool,  # noqa: FBT001 - compiled functions know no keyword-only arguments
    counts_for: IntArray,
    seen: BoolArray,
) -> None:
    """Mark the URLs that links of the stretches count for; see `sort_links`."""
    for s in range(len(start)):
        for k in range(start[s], end[s]):
            if target[k] >= 0 and not (skips and nofollow[k]):
                seen[counts_for[target[k]]] = True


def renumber(target: IntArray, number: IntArray) -> None:
    """Replace each number by another one, in place; -1 stays."""
    for k in range(len(target)):
        if target[k] >= 0:
            target[k] = number[target[k]]


def sort_links(
    page: IntArray,
    start: LongArray,
    end: LongArray,
    blocks: LongArray,
    original: LongArray,
    target: IntArray,
    nofollow: BoolArray,
    skips: bool,  # noqa: FBT001
    link_block: IntArray,
    block_ptr: LongArray,
    self_links: bool,  # noqa: FBT001
    ends: LongArray,
    ordered: IntArray,
    reasons: LongArray,
    filling: bool,  # noqa: FBT001
) -> None:
    """Count the links of each block, or put them in place; see `quarkcrawl.rank.graph.placing`.

    Links of block b are counted at b + 2, so that ``ends[b + 1]``, summed up, can then go from its
    first link to its end.
    """
    for s in range(len(page)):
        this = page[s]
        first = block_ptr[this]
        rest = block_ptr[this + 1] - 1
        for k in range(start[s], end[s]):
            to = target[k]
            if skips and nofollow[k]:
                reason = 0
            elif to < 0:
                reason = 1
            elif to == this and not self_links:
                reason = 2
            elif original[s] >= 0 and target[original[s] + k - start[s]] == to:
                reason = 3
            else:
                reason = -1
            if reason >= 0:
                reasons[reason] += not filling
                continue
            block = rest
            if blocks[s] >= 0:
                inner = link_block[blocks[s] + k - start[s]]
                if 0 <= inner < rest - first:
                    block = first + inner
            if filling:
                ordered[ends[block + 1]] = to
                ends[block + 1] += 1
            else:
                ends[block + 2] += 1


def fill_text_geometry(
    label_ptr: LongArray,
    n_chars: IntArray,
    rows: LongArray,
    ptr: LongArray,
    size: FloatArray,
    distance: FloatArray,
) -> None:
    """See `quarkcrawl.rank.graph.geometry`."""
    for p in range(len(rows)):
        length = 0
        for b in range(ptr[p], ptr[p + 1] - 1):
            n = int(n_chars[label_ptr[rows[p]] + b - ptr[p]])
            size[b] = n
            distance[b] = length + n / 2
            length += n
        half = length / 2
        for b in range(ptr[p], ptr[p + 1] - 1):
            middle = float(distance[b])
            distance[b] = abs(middle - half)
        distance[ptr[p + 1] - 1] = half


def count_by_block(source: LongArray, ends: LongArray) -> None:
    """Count the links of each block, two places on."""
    for k in range(len(source)):
        ends[source[k] + 2] += 1


def put_by_block(source: LongArray, target: IntArray, ends: LongArray, ordered: IntArray) -> None:
    """Put links where ``ends``, summed up, says that those of their block end so far."""
    for k in range(len(source)):
        ordered[ends[source[k] + 1]] = target[k]
        ends[source[k] + 1] += 1


def sort_blocks(ptr: LongArray, targets: IntArray) -> int:
    """Sort the targets of each block by insertion, and count repetitions in it."""
    repeats = 0
    for b in range(len(ptr) - 1):
        for k in range(ptr[b] + 1, ptr[b + 1]):
            target = targets[k]
            place = k
            while place > ptr[b] and targets[place - 1] > target:
                targets[place] = targets[place - 1]
                place -= 1
            targets[place] = target
        for k in range(ptr[b] + 1, ptr[b + 1]):
            repeats += targets[k] == targets[k - 1]
    return repeats


def merge_runs(ptr: LongArray, targets: IntArray, counts: IntArray, merged: LongArray) -> None:
    """Leave each target of a block once and count it, unless there are no counts."""
    n = 0
    for b in range(len(ptr) - 1):
        for k in range(ptr[b], ptr[b + 1]):
            repeated = n > merged[b] and targets[n - 1] == targets[k]
            if not repeated:
                targets[n] = targets[k]
                n += 1
            if len(counts) > 0:
                counts[n - 1] = counts[n - 1] + 1 if repeated else 1
        merged[b + 1] = n


def turn_links(
    ptr: LongArray,
    targets: IntArray,
    counts: IntArray,
    sender: IntArray,
    last: IntArray,
    sizes: LongArray,
    ends: LongArray,
    incoming: IntArray,
    filling: bool,  # noqa: FBT001
) -> None:
    """Count the links of senders and those that come in at nodes, or put the latter in place.

    ``ends`` is as with `sort_links`; for the other arrays see `quarkcrawl.rank.graph.by_target`.
    """
    once = len(last) > 0
    for b in range(len(ptr) - 1):
        this = sender[b]
        if this < 0:
            continue
        for k in range(ptr[b], ptr[b + 1]):
            to = targets[k]
            if once:
                if last[to] == this:
                    continue
                last[to] = this
            n = 1 if once or len(counts) == 0 else counts[k]
            if filling:
                for place in range(ends[to + 1], ends[to + 1] + n):
                    incoming[place] = this
                ends[to + 1] += n
            else:
                sizes[this] += n
                ends[to + 2] += n


def send(page: IntArray, coefficient: RankArray, ranks: RankArray, values: RankArray) -> None:
    """What each link of each sender carries."""
    for s in range(len(page)):
        values[s] = coefficient[s] * ranks[page[s]]


def pull(
    in_ptr: LongArray, incoming: IntArray, values: RankArray, received: RankArray, damping: float
) -> float:
    """What arrives at each node, times the damping; returns the sum of it.

    This is where the time goes: one gather a link. Links carry no weight, so that 4 bytes are read
    for each where a compressed sparse row product reads 12.
    """
    total = 0.0
    with cython.nogil:
        for t in range(len(received)):
            got = 0.0
            for k in range(in_ptr[t], in_ptr[t + 1]):
                got += float(values[incoming[k]])
            got *= damping
            received[t] = got
            total += got
    return total


def settle(received: RankArray, ranks: RankArray, jump: RankArray, missing: float) -> float:
    """Add the teleport and take over the new ranks; returns the L1 difference.

    ``received`` came in by links, ``ranks`` are of the round before, ``jump`` is the teleport
    distribution, one number for a uniform one, and ``missing`` what of the sum of 1 the links did
    not carry.
    """
    difference = 0.0
    uniform = len(jump) == 1
    everywhere = missing * float(jump[0])
    for t in range(len(received)):
        new = float(received[t]) + (everywhere if uniform else missing * float(jump[t]))
        difference += abs(new - float(ranks[t]))
        ranks[t] = new
    return difference


def count_inversions(numbers: LongArray, tree: LongArray) -> int:
    """Count the pairs of which the first is larger; ``tree`` has a zero for each number from 0 on.

    Numbers count from 1. The tree of Fenwick (1994) tells how many so far are not larger.
    """
    inversions = 0
    for k in range(len(numbers)):
        place = numbers[k]
        inversions += k
        while place > 0:
            inversions -= tree[place]
            place &= place - 1
        place = numbers[k]
        while place < len(tree):
            tree[place] += 1
            place += place & -place
    return inversions
