"""Texts compared by the similarity that MinHash estimates, and by length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from quarkcrawl.corpus.near.protocol import KeyRows
from quarkcrawl.dedup import N_BANDS, N_BINS, MinHashIndex, band_keys, code_text, minhash

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ByMinHash:
    """One-permutation MinHash: estimated similarity of .85, lengths within 1.10."""

    jaccard: float = 0.85
    length_ratio: float = 1.10
    name: str = "minhash"

    @property
    def columns(self) -> pa.Schema:
        """Length, and the bins one after the other."""
        return pa.schema([("n_chars", pa.int32()), ("bins", pa.binary())])

    @property
    def member_bytes(self) -> int:
        """Measured: 512 bytes of bins, and 32 keys in a dictionary with a list each."""
        return 7000

    def sketching(self) -> dict[str, Any]:
        """What is taken of a text."""
        return {"bins": N_BINS}

    def grouping(self) -> dict[str, Any]:
        """The bounds."""
        return {"jaccard": self.jaccard, "length_ratio": self.length_ratio}

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""
        return {"n_chars": code_text(text).n_chars, "bins": minhash(text).tobytes()}

    def sketches(
        self,
        batch: pa.RecordBatch,
        stopped: Collection[str],  # noqa: ARG002
    ) -> list[tuple[NDArray[np.uint32], int]]:
        """Bins and length of each."""
        bins = [np.frombuffer(row, np.uint32) for row in batch.column("bins").to_pylist()]
        return list(zip(bins, batch.column("n_chars").to_pylist(), strict=True))

    def keys_per_text(self, n_texts: int) -> int:  # noqa: ARG002
        """One a band."""
        return N_BANDS

    def keys(self, sketches: Sequence[tuple[NDArray[np.uint32], int]], n_texts: int) -> KeyRows:  # noqa: ARG002
        """The keys of the bands."""
        keys = [band_keys(bins) for bins, _ in sketches]
        joined = np.concatenate(keys) if keys else np.empty(0, np.uint64)
        return KeyRows(joined, np.repeat(np.arange(len(keys)), [len(row) for row in keys]))

    def index(self) -> MinHashIndex:
        """No first members yet."""
        return MinHashIndex(self.jaccard, self.length_ratio)
