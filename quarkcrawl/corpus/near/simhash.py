"""Texts compared by the bits in which their simhash values differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from quarkcrawl.corpus.near.protocol import KeyRows
from quarkcrawl.dedup import (
    SimhashClasses,
    band_masks,
    masked_keys,
    simhash,
    simhash_of_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


DEFAULT_K: Final = 3
"""Most differing bits, if it is not said."""


@dataclass(frozen=True, slots=True)
class BySimhash:
    """Simhash of four-grams, or of words: at most k bits differ."""

    k: int = DEFAULT_K
    words: bool = False

    def __post_init__(self) -> None:
        SimhashClasses(self.k)  # says so if there is no such k

    @property
    def name(self) -> str:
        """``simhash``, and k if it is another than 3."""
        base = "simhash-words" if self.words else "simhash"
        return base if self.k == DEFAULT_K else f"{base}-{self.k}"

    @property
    def columns(self) -> pa.Schema:
        """Length in characters, and the value."""
        return pa.schema([("n_chars", pa.int32()), ("simhash", pa.uint64())])

    @property
    def member_bytes(self) -> int:
        """Measured: some 30 bytes a band, twice while it is sorted."""
        return 100 + 60 * (self.k + 1)

    def sketching(self) -> dict[str, Any]:
        """What the value is made of."""
        return {"simhash": "words" if self.words else "four-grams"}

    def grouping(self) -> dict[str, Any]:
        """The bound."""
        return {"k": self.k}

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""
        value: Callable[[str], int] = simhash_of_words if self.words else simhash
        return {"n_chars": len(text), "simhash": value(text)}

    def sketches(self, batch: pa.RecordBatch, stopped: Collection[str]) -> list[int]:  # noqa: ARG002
        """The values."""
        values: list[int] = batch.column("simhash").to_pylist()
        return values

    def keys_per_text(self, n_texts: int) -> int:
        """One a mask."""
        return len(band_masks(self.k, n_texts))

    def keys(self, sketches: Sequence[int], n_texts: int) -> KeyRows:
        """The bits under each mask, and the value to compare."""
        values = np.array(sketches, np.uint64)
        keys = masked_keys(values, band_masks(self.k, n_texts))
        owners = np.repeat(np.arange(len(values)), keys.shape[1])
        return KeyRows(keys.ravel(), owners, values[owners])

    def index(self) -> SimhashClasses:
        """No first members yet."""
        return SimhashClasses(self.k)
