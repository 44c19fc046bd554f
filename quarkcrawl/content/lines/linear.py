"""Two small linear models whose scores of a line are features of the large one.

One reads the words of the line itself (pairs of characters for Chinese, words and pairs of words
for Latin script): "责任编辑", "上一篇", "copyright". The other reads the words of the class names
and ids around it. Words are hashed, so that a model is one array of weights and knows no list of
words; it is trained on other sites than those it is then used on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float32]
    IntArray = NDArray[np.int32]


TEXT_BITS: Final = 15
"""The text model has a weight for each hash of so many bits."""

CLASS_BITS: Final = 13
"""The class name model has a weight for each hash of so many bits for words of any ancestor, and as
many again for those of the nearest ones."""

MAX_HEAD: Final = 40
MAX_TAIL: Final = 20
"""So many words at the start and at the end of a line are read."""


@compiled
def _kind(code: int) -> int:
    """0 for white space, 1 for Latin letters, 2 for digits, 3 for all else."""
    if code <= 32 or code in (0xA0, 0x3000):
        return 0
    lower = code | 32
    return 1 if 97 <= lower <= 122 else 2 if 48 <= code <= 57 else 3


@compiled
def _read_words(
    codes: NDArray[np.uint32], start: int, stop: int, words: NDArray[np.uint32], n_words: int
) -> int:
    """Hash the words of a piece of text: Latin words, digits by their number, single others."""
    place = start
    while place < stop:
        kind = _kind(codes[place])
        value = np.uint32(2166136261)
        first = place
        while place < stop and _kind(codes[place]) == kind and (kind != 3 or place == first):
            char = codes[place] | np.uint32(32) if kind == 1 else codes[place]
            char = np.uint32(48) if kind == 2 else char
            value = np.uint32((value ^ char) * np.uint32(16777619))
            place += 1
        if kind:
            words[n_words] = value
            n_words += 1
    return n_words


@compiled
def line_tokens(
    codes: NDArray[np.uint32],
    bounds: IntArray,
    run_line: IntArray,
    n_lines: int,
    bits: int,
    max_head: int,
    max_tail: int,
) -> tuple[IntArray, IntArray]:
    """Hashed words and pairs of words of each line.

    Args:
        codes: characters of the runs, each with a sign that ends it.
        bounds: where each run starts in ``codes``.
        run_line: line of each run, -1 for none.
        n_lines: number of lines.
        bits: hashes are below two to the power of it.
        max_head: words read at the start of a line.
        max_tail: and at its end.

    Returns:
        Where each line's tokens start, and the tokens.
    """
    words = np.zeros(len(codes) + 1, np.uint32)
    tokens = np.zeros(2 * len(codes) + 2 * n_lines + 2, np.int32)
    starts = np.zeros(n_lines + 1, np.int32)
    mask = np.uint32((1 << bits) - 1)
    n_tokens, run, n_runs = 0, 0, len(run_line)
    for line in range(n_lines):
        n_words = 0
        while run < n_runs and run_line[run] <= line:
            if run_line[run] == line:
                n_words = _read_words(codes, bounds[run], bounds[run + 1] - 1, words, n_words)
            run += 1
        before = np.uint32(94)
        for place in range(n_words + 1):
            if max_head <= place < n_words - max_tail:
                continue
            word = words[place] if place < n_words else np.uint32(36)
            mixed = np.uint32((before * np.uint32(40503)) ^ (word * np.uint32(2654435)))
            tokens[n_tokens] = (mixed ^ (mixed >> np.uint32(15))) & mask
            n_tokens += 1
            if place < n_words:
                tokens[n_tokens] = (word ^ (word >> np.uint32(13))) & mask
                n_tokens += 1
            before = word
        starts[line + 1] = n_tokens
    return starts, tokens[:n_tokens].copy()


@compiled
def text_scores(starts: IntArray, tokens: IntArray, weights: FloatArray) -> NDArray[np.float64]:
    """Sum of weights of each line's tokens over the root of their number.

    Args:
        starts: where each line's tokens start, and the end.
        tokens: hashed tokens.
        weights: one number for each hash; ``tokens`` are places in it.
    """
    scores = np.zeros(len(starts) - 1)
    for line in range(len(scores)):
        total = 0.0
        for place in range(starts[line], starts[line + 1]):
            total += weights[tokens[place]]
        scores[line] = total / np.sqrt(max(starts[line + 1] - starts[line], 1))
    return scores


@compiled
def class_scores(
    parent: IntArray, far: NDArray[np.float64], near: NDArray[np.float64], n_words: IntArray
) -> NDArray[np.float64]:
    """Score of the names around each node: of all ancestors, and again of the nearest two named.

    Args:
        parent: parent of each node.
        far: sum of the weights of each node's own words.
        near: sum of their weights as words of a near node.
        n_words: number of its words.
    """
    n = len(parent)
    total, count = far.copy(), n_words.copy()
    last, before = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    scores = np.zeros(n)
    for v in range(n):
        above = parent[v]
        if above >= 0:
            total[v] += total[above]
            count[v] += count[above]
            last[v], before[v] = last[above], before[above]
        if n_words[v] > 0:
            last[v], before[v] = v, last[v]
        score, n_counted = total[v], count[v]
        for named in (last[v], before[v]):
            if named >= 0:
                score += near[named]
                n_counted += n_words[named]
        scores[v] = score / np.sqrt(max(n_counted, 1))
    return scores


def word_hash(word: str) -> int:
    """Hash of a word of a name in lower case; the same in every process."""
    code = 2166136261
    for char in word.encode():
        code = ((code ^ char) * 16777619) & 0xFFFFFFFF
    return (code ^ (code >> 16)) & ((1 << CLASS_BITS) - 1)
