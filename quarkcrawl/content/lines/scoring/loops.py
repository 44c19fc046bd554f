"""The compiled loops that score lines: words hashed, weights summed, boosted trees walked.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    WeightArray = NDArray[np.float32]
    CodeArray = NDArray[np.uint32]
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    FloatArray = NDArray[np.float64]
    PlaceArray = NDArray[np.intp]


def char_kind(code: int) -> int:
    """0 for white space, 1 for Latin letters, 2 for digits, 3 for all else."""
    if code <= 32 or code == 0xA0 or code == 0x3000:  # noqa: PLR1714
        return 0
    lower = code | 32
    if 97 <= lower <= 122:
        return 1
    return 2 if 48 <= code <= 57 else 3


def read_words(codes: CodeArray, start: int, stop: int, words: CodeArray, n_words: int) -> int:
    """Hash the words of a piece of text: Latin words, digits by their number, single others."""
    mask = 0xFFFFFFFF
    value = before = 0
    for place in range(start, stop):
        char = int(codes[place])
        kind = char_kind(char)
        if kind == 3 or (kind and kind != before):
            value = 2166136261
            n_words += 1
        if kind == 1:
            char |= 32
        elif kind == 2:
            char = 48
        if kind:
            value = ((value ^ char) * 16777619) & mask
            words[n_words - 1] = value
        before = kind
    return n_words


def hash_words(
    codes: CodeArray,
    bounds: IntArray,
    run_line: IntArray,
    bits: int,
    max_head: int,
    max_tail: int,
    words: CodeArray,
    starts: IntArray,
    tokens: IntArray,
) -> int:
    """See `quarkcrawl.content.lines.scoring.line_tokens`; returns the number of tokens."""
    mask = 0xFFFFFFFF
    n_tokens = run = 0
    for line in range(len(starts) - 1):
        n_words = 0
        while run < len(run_line) and run_line[run] <= line:
            if run_line[run] == line:
                n_words = read_words(codes, bounds[run], bounds[run + 1] - 1, words, n_words)
            run += 1
        before = 94
        for place in range(n_words + 1):
            if max_head <= place < n_words - max_tail:
                continue
            word = 36
            if place < n_words:
                word = int(words[place])
            mixed = ((before * 40503) ^ (word * 2654435)) & mask
            tokens[n_tokens] = (mixed ^ (mixed >> 15)) & ((1 << bits) - 1)
            n_tokens += 1
            if place < n_words:
                tokens[n_tokens] = (word ^ (word >> 13)) & ((1 << bits) - 1)
                n_tokens += 1
            before = word
        starts[line + 1] = n_tokens
    return n_tokens


def score_tokens(
    starts: IntArray, tokens: IntArray, weights: WeightArray, scores: FloatArray
) -> None:
    """See `quarkcrawl.content.lines.scoring.text_scores`."""
    for line in range(len(scores)):
        total = 0.0
        for place in range(starts[line], starts[line + 1]):
            total += float(weights[tokens[place]])
        scores[line] = total / math.sqrt(max(starts[line + 1] - starts[line], 1))


def score_names(
    parent: IntArray,
    far: FloatArray,
    near: FloatArray,
    n_words: IntArray,
    total: FloatArray,
    words_of_node: IntArray,
    scores: FloatArray,
) -> None:
    """See `quarkcrawl.content.lines.scoring.class_scores`.

    ``words_of_node`` has how many words each node and its ancestors have, and the nearest two of
    them with words.
    """
    for v in range(len(parent)):
        above = parent[v]
        score = far[v]
        n_counted = n_words[v]
        last = before = -1
        if above >= 0:
            score += total[above]
            n_counted += words_of_node[above, 0]
            last = words_of_node[above, 1]
            before = words_of_node[above, 2]
        if n_words[v] > 0:
            before = last
            last = v
        total[v] = score
        words_of_node[v, 0] = n_counted
        words_of_node[v, 1] = last
        words_of_node[v, 2] = before
        if last >= 0:
            score += near[last]
            n_counted += n_words[last]
        if before >= 0:
            score += near[before]
            n_counted += n_words[before]
        if n_counted > 1:
            score /= math.sqrt(n_counted)
        scores[v] = score


def number_leaves(
    roots: IntArray,
    node: IntArray,
    shift: int,
    most: int,
    tree: IntArray,
    n_leaves: IntArray,
    first_leaf: IntArray,
) -> None:
    """Tree of each node, leaves in its subtree (counted to one above ``most``), first of them."""
    mask = (1 << shift) - 1
    for place in range(len(node) - 1, -1, -1):
        n_leaves[place] = 1
        if node[place] >= 0:
            left = node[place] & mask
            n_leaves[place] = min(n_leaves[left] + n_leaves[left + 1], most + 1)
    for number in range(len(roots)):
        tree[roots[number]] = number
        first_leaf[roots[number]] = 0
    for place in range(len(node)):
        if node[place] >= 0:
            left = node[place] & mask
            tree[left] = tree[left + 1] = tree[place]
            first_leaf[left] = first_leaf[place]
            first_leaf[left + 1] = first_leaf[place] + n_leaves[left]


def add_scores(
    matrix: Matrix,
    rows: PlaceArray,
    start_tree: int,
    stop_tree: int,
    columns: IntArray,
    column: IntArray,
    threshold: WeightArray,
    masks: CodeArray,
    leaves: Matrix,
    values: Matrix,
    alive: CodeArray,
    score: FloatArray,
    total: FloatArray,
) -> None:
    """Add the values of some trees to the scores of some rows, see `Trees.scores`.

    As many rows at once as ``values``, ``alive`` and ``score`` have room for, two questions at
    once: compiled, several rows are compared by one instruction.
    """
    every = 0xFFFFFFFF
    n_lanes = values.shape[1]
    start = 0
    while start < len(rows):
        n = min(len(rows) - start, n_lanes)
        for lane in range(n):
            row = rows[start + lane]
            score[lane] = 0.0
            for number in range(len(columns)):
                values[number, lane] = matrix[row, columns[number]]
        for tree in range(start_tree, stop_tree):
            for lane in range(n):
                alive[lane] = every
            for place in range(0, column.shape[1], 2):
                a = column[tree, place]
                b = column[tree, place + 1]
                most_a = threshold[tree, place]
                most_b = threshold[tree, place + 1]
                mask_a = masks[tree, place]
                mask_b = masks[tree, place + 1]
                for lane in range(n):
                    alive[lane] &= (mask_a if values[a, lane] > most_a else every) & (
                        mask_b if values[b, lane] > most_b else every
                    )
            for lane in range(n):
                bits = int(alive[lane])
                score[lane] += float(leaves[tree, leaf_slot(bits & -bits)])
        for lane in range(n):
            total[rows[start + lane]] += score[lane]
        start += n_lanes


def leaf_slot(bit: int) -> int:
    """A number below 32, another one for each power of two of 32 bits."""
    return bit * 0x077CB531 >> 27 & 31


def draw_together(
    score: FloatArray,
    look: LongArray,
    order: PlaceArray,
    weight: FloatArray,
    most: float,
    min_lines: int,
    share: float,
    smooth: FloatArray,
) -> None:
    """See `quarkcrawl.content.lines.scoring.smoothed_scores`; ``order`` sorts lines by look."""
    n = len(order)
    for line in range(n):
        smooth[line] = min(max(score[line], -most), most)
    start = 0
    while start < n:
        stop = start
        total = total_weight = 0.0
        while stop < n and look[order[stop]] == look[order[start]]:
            line = order[stop]
            own_weight = math.sqrt(weight[line] + 1)
            total += smooth[line] * own_weight
            total_weight += own_weight
            stop += 1
        if stop - start >= min_lines:
            for place in range(start, stop):
                line = order[place]
                smooth[line] = (1 - share) * smooth[line] + share * total / total_weight
        start = stop


def best_f1(
    probability: FloatArray, weight: FloatArray, order: PlaceArray, f1_and_expected: FloatArray
) -> None:
    """The best expected F1 of the first lines of an order, and how much content is expected."""
    expected = content = taken = best = 0.0
    for place in range(len(order)):
        line = order[place]
        expected += weight[line] * probability[line]
    for place in range(len(order)):
        line = order[place]
        content += weight[line] * probability[line]
        taken += weight[line]
        if expected > 0:
            best = max(best, 2 * content / (taken + expected))
    f1_and_expected[0] = best
    f1_and_expected[1] = max(expected, 0.0)
