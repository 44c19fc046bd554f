"""The compiled loops of blocks and lines: roots found, runs told apart, texts written.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint16] | NDArray[np.uint32]
    IntArray = NDArray[np.int32]
    TagArray = NDArray[np.int16]
    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    SumArray = NDArray[np.int64]
    Places = NDArray[np.intp]


def fill_innermost(starts: IntArray, ends: IntArray, innermost: IntArray) -> None:
    """See `quarkcrawl.segment.innermost`; where starts are read, the slices around are put."""
    depth = number = 0
    for place in range(len(innermost)):
        while depth and ends[starts[depth - 1]] <= place:
            depth -= 1
        while number < len(starts) and starts[number] == place:
            starts[depth] = number
            depth += 1
            number += 1
        innermost[place] = starts[depth - 1] if depth else -1


def find_roots(
    end: IntArray,
    tag: TagArray,
    kinds: ByteArray,
    custom: BoolArray,
    hidden: BoolArray,
    text_chars: SumArray,
    forced: int,
    big: int,
    layout: int,
    ripe_chars: float,
    ripe_layout_share: float,
    levels: SumArray,
    is_root: BoolArray,
) -> None:
    """Mark the roots of blocks (Quark thesis, 3.1); ``levels``: the elements around, and theirs."""
    stack = levels[0]
    rests = levels[1]
    layouts = levels[2]
    bigs = levels[3]
    depth = 0
    for node in range(len(end) + 1):
        while depth and end[stack[depth - 1]] <= node:
            depth -= 1
            ended = stack[depth]
            rest = rests[depth]
            if rest > 0 and (
                ended == 0
                or custom[ended]
                or (kinds[tag[ended]] & forced) != 0
                or rest > ripe_chars
                or layouts[depth] > ripe_layout_share * (layouts[depth] + bigs[depth])
            ):
                is_root[ended] = True
                rest = 0
            elif depth:
                layouts[depth - 1] += layouts[depth]
                bigs[depth - 1] += bigs[depth]
            if depth:
                rests[depth - 1] -= text_chars[ended] - rest
        if node == len(end):
            break
        kind = kinds[tag[node]]
        if text_chars[node] and (node == 0 or custom[node] or kind & (forced | big)):
            stack[depth] = node
            rests[depth] = text_chars[node]
            layouts[depth] = 0
            bigs[depth] = 0
            depth += 1
        if depth and not hidden[node]:
            layouts[depth - 1] += (kind & layout) != 0
            bigs[depth - 1] += (kind & big) != 0


def number_blocks(
    roots: Places,
    run_start: IntArray,
    run_end: IntArray,
    run_hidden: BoolArray,
    run_chars: IntArray,
    work: IntArray,
    ranked: Places,
    run_block: IntArray,
) -> None:
    """Sort roots by the first run with a visible character, and tell each run its block."""
    starts = work[0]
    ends = work[1]
    rank = work[2]
    for number in range(len(roots)):
        starts[number] = run_start[roots[number]]
        ends[number] = run_end[roots[number]]
        rank[number] = -1
    fill_innermost(starts, ends, run_block)
    n_ranked = 0
    for run in range(len(run_block)):
        if run_hidden[run]:
            run_block[run] = -1
        block = run_block[run]
        if block >= 0 and run_chars[run] and rank[block] < 0:
            rank[block] = n_ranked
            ranked[n_ranked] = roots[block]
            n_ranked += 1
    for run in range(len(run_block)):
        if run_block[run] >= 0:
            run_block[run] = rank[run_block[run]]


def spread_blocks(root: Places, parent: IntArray, node_block: IntArray) -> None:
    """Block of each node: the nearest root that it is or stands below; else what it was, -1."""
    for number in range(len(root)):
        node_block[root[number]] = number
    for node in range(1, len(parent)):
        if node_block[node] < 0:
            node_block[node] = node_block[parent[node]]


def mark_custom(
    custom: BoolArray, hidden: BoolArray, node_block: IntArray, is_custom: BoolArray
) -> None:
    """Mark the blocks with a customized element that is shown."""
    for node in range(len(custom)):
        if custom[node] and not hidden[node] and node_block[node] >= 0:
            is_custom[node_block[node]] = True


def count_in_blocks(
    run_block: IntArray, chars: IntArray, linked: BoolArray, marks: IntArray, sums: SumArray
) -> None:
    """Characters, those of links and punctuation marks of each block: a row each of ``sums``."""
    for run in range(len(run_block)):
        block = run_block[run]
        if block >= 0:
            sums[0, block] += chars[run]
            sums[1, block] += chars[run] if linked[run] else 0
            sums[2, block] += marks[run]


def add_by_block(run_block: IntArray, values: SumArray, sums: SumArray) -> None:
    """Add the values of the runs of each block; those in none, -1, count nowhere."""
    for run in range(len(run_block)):
        block = run_block[run]
        if block >= 0:
            sums[block] += values[run]


def sort_by_block(run_block: IntArray, edges: Places, order: Places) -> None:
    """Sort runs by block, those of none first; block i starts at ``edges[i + 1]``."""
    for block in run_block:
        edges[block + 1] += 1
    for slot in range(1, len(edges)):
        edges[slot] += edges[slot - 1]
    for run in range(len(run_block) - 1, -1, -1):
        slot = run_block[run] + 1
        edges[slot] -= 1
        order[edges[slot]] = run


def find_beginnings(
    edges: Places, upto: SumArray, sets: Places, n_chars: int, from_ink: int, slices: Places
) -> None:
    """See `quarkcrawl.segment.Segmentation.first_texts`; ``slices`` get both ends of each."""
    for index in range(len(sets)):
        place = edges[sets[index]]
        last = edges[sets[index] + 1]
        enough = upto[place] + n_chars
        while from_ink and place < last and upto[place + 1] == upto[place]:
            place += 1
        slices[0, index] = place
        while place < last and upto[place] < enough:
            place += 1
        slices[1, index] = place


def piece_end(runs: Places, place: int, last: int, run_piece: IntArray) -> int:
    """Where the piece that begins at a place ends."""
    behind = place + 1
    while behind < last and run_piece[runs[behind]] == run_piece[runs[place]]:
        behind += 1
    return behind


def has_ink(runs: Places, place: int, behind: int, run_chars: IntArray) -> bool:
    """Whether runs have a visible character."""
    while place < behind and not run_chars[runs[place]]:
        place += 1
    return place < behind


def find_pieces(runs: Places, run_piece: IntArray, run_chars: IntArray, slices: Places) -> int:
    """Both ends of the pieces with a visible character; returns how many there are."""
    n = place = 0
    while place < len(runs):
        behind = piece_end(runs, place, len(runs), run_piece)
        if has_ink(runs, place, behind, run_chars):
            slices[0, n] = place
            slices[1, n] = behind
            n += 1
        place = behind
    return n


def most_codes(starts: IntArray, runs: Places, slices: Places) -> int:
    """Room for the texts of sets of runs, with a sign between pieces and one for an open gap."""
    total = 0
    for number in range(slices.shape[1]):
        for place in range(slices[0, number], slices[1, number]):
            total += starts[runs[place] + 1] - starts[runs[place]] + 2
    return total


def write_folded(
    out: Codes, n: int, codes: Codes, start: int, end: int, white: ByteArray, begin: int
) -> int:
    """Append a run to the piece that begins at ``begin``; an open gap is kept as a blank."""
    for place in range(start, end):
        code = codes[place]
        if not white[min(code, len(white) - 1)]:
            out[n] = code
            n += 1
        elif n > begin and out[n - 1] != ord(" "):
            out[n] = ord(" ")
            n += 1
    return n


def write_as_is(out: Codes, n: int, codes: Codes, start: int, end: int, begin: int) -> int:
    """Append a run of preformatted text without the line ends that the piece begins with."""
    for place in range(start, end):
        code = codes[place]
        if n > begin or (code != ord("\n") and code != ord("\r")):
            out[n] = code
            n += 1
    return n


def fold(
    codes: Codes,
    starts: IntArray,
    run_chars: IntArray,
    run_piece: IntArray,
    run_row: IntArray,
    run_pre: BoolArray,
    white: ByteArray,
    runs: Places,
    slices: Places,
    first_line: int,
    all_pieces: int,
    out: Codes,
) -> None:
    """Write texts one behind the other, ``slices`` of chosen runs become those of the texts.

    See `quarkcrawl.segment.lines`.
    """
    n = 0
    for number in range(slices.shape[1]):
        place = slices[0, number]
        last = slices[1, number]
        row = -1
        start = n
        while place < last:
            first = runs[place]
            behind = piece_end(runs, place, last, run_piece)
            inked = has_ink(runs, place, behind, run_chars)
            is_new = run_row[first] != row
            if first_line and is_new and row >= 0:
                break
            if (inked and n > start) or (all_pieces and place > slices[0, number]):
                out[n] = ord("\n") if is_new or all_pieces else ord("\t")
                n += 1
            begin = n
            for at in range(place, behind if inked else place):
                run = runs[at]
                end = max(starts[run + 1] - 1, starts[run])  # hidden: empty
                if run_pre[first] and not first_line and not all_pieces:
                    n = write_as_is(out, n, codes, starts[run], end, begin)
                else:
                    n = write_folded(out, n, codes, starts[run], end, white, begin)
            while n > begin and white[min(out[n - 1], len(white) - 1)]:
                n -= 1
            if inked:
                row = run_row[first]
            place = behind
        slices[0, number] = start
        slices[1, number] = n
