"""Two small linear models whose scores of a line are features of the large one.

One reads the words of the line itself (pairs of characters for Chinese, words and pairs of words
for Latin script): "责任编辑", "上一篇", "copyright". The other reads the words of the class names
and ids around it. Words are hashed, so that a model is one array of weights and knows no list of
words; it is trained on other sites than those it is then used on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.scoring import loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float32]
    IntArray = NDArray[np.int32]


TEXT_BITS: Final = 15
"""The text model has a weight for each hash of so many bits."""

CLASS_BITS: Final = 16
"""The class name model has a weight for each hash of so many bits for words of any ancestor, and as
many again for those of the nearest ones."""

MAX_HEAD: Final = 40
MAX_TAIL: Final = 20
"""So many words at the start and at the end of a line are read."""


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
    words = np.empty(len(codes) + 1, np.uint32)
    tokens = np.empty(2 * len(codes) + 2 * n_lines + 2, np.int32)
    starts = np.zeros(n_lines + 1, np.int32)
    n_tokens = loops.hash_words(
        codes, bounds, run_line, bits, max_head, max_tail, words, starts, tokens
    )
    return starts, tokens[:n_tokens].copy()


def text_scores(starts: IntArray, tokens: IntArray, weights: FloatArray) -> NDArray[np.float64]:
    """Sum of weights of each line's tokens over the root of their number.

    Args:
        starts: where each line's tokens start, and the end.
        tokens: hashed tokens.
        weights: one number for each hash; ``tokens`` are places in it.
    """
    scores = np.empty(len(starts) - 1)
    loops.score_tokens(starts, tokens, weights, scores)
    return scores


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
    total, words_of_node, scores = np.empty(n), np.empty((n, 3), np.int32), np.empty(n)
    loops.score_names(parent, far, near, n_words, total, words_of_node, scores)
    return scores


def word_hash(word: str) -> int:
    """Hash of a word of a name in lower case; the same in every process."""
    code = 2166136261
    for char in word.encode():
        code = ((code ^ char) * 16777619) & 0xFFFFFFFF
    return (code ^ (code >> 16)) & ((1 << CLASS_BITS) - 1)
