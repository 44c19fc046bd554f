"""Many sequences in flat arrays, each distinct one once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quarkcrawl.template.structure.weights import token_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.template.structure.sequence import TagSequence

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


class SequenceSet(NamedTuple):
    """Sequences one after the other.

    Args:
        tokens: all tokens.
        begin: where each sequence begins, and the end of the last.
        weights: weight of each token.
        total: weight of each sequence.
        n_pages: for how many pages each sequence stands.
    """

    tokens: NDArray[np.int32]
    begin: NDArray[np.int64]
    weights: NDArray[np.int64]
    total: NDArray[np.int64]
    n_pages: NDArray[np.int64]

    def row(self) -> LongArray:
        """Room for a row of comparisons with one of the sequences."""
        return np.empty(int(np.diff(self.begin).max(initial=0)) + 1, np.int64)

    def take(self, numbers: LongArray) -> SequenceSet:
        """Some of the sequences, in the given order."""
        slices = [slice(self.begin[i], self.begin[i + 1]) for i in numbers]
        parts = [self.tokens[s] for s in slices]
        heavy = [self.weights[s] for s in slices]
        return _joined(parts, heavy, self.n_pages[numbers])


def distinct(sequences: Sequence[TagSequence]) -> tuple[LongArray, LongArray]:
    """Find equal sequences.

    Returns:
        For each distinct sequence, by digest, one that has it (the first); and for each
        sequence the number of its distinct one.
    """
    digests = np.array([sequence.digest for sequence in sequences], "S16")
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    return first.astype(np.int64), inverse.astype(np.int64)


def flatten(
    sequences: Sequence[TagSequence], weight: str = "inverse", count: LongArray | None = None
) -> SequenceSet:
    """Put sequences into one set.

    Args:
        sequences: in the order of their numbers.
        weight: one of `quarkcrawl.template.structure.weights.WEIGHTS`.
        count: pages each stands for; None: one.
    """
    parts = [sequence.tokens for sequence in sequences]
    heavy = [token_weights(tokens, weight) for tokens in parts]
    return _joined(parts, heavy, np.ones(len(parts), np.int64) if count is None else count)


def _joined(parts: list[IntArray], heavy: list[LongArray], count: LongArray) -> SequenceSet:
    begin = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=begin[1:])
    tokens = np.concatenate([np.zeros(0, np.int32), *parts])
    weights = np.concatenate([np.zeros(0, np.int64), *heavy])
    total = np.array([int(part.sum()) for part in heavy], np.int64)
    return SequenceSet(tokens, begin, weights, total, count)
