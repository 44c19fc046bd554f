"""What a way to compare texts has to offer, in the parts that the job needs.

A method says what is kept of a text (its sketch, a row of columns), by which keys texts are
brought together, and how a text finds its class among the first members of classes. Texts that
share no key have nothing to do with each other; simhash besides compares the values of those that
do, since bands of a few bits are shared by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    import duckdb
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from quarkcrawl.dedup import Index


class KeyRows(NamedTuple):
    """Search keys of some texts.

    Args:
        owners: for each key the place of its text.
        values: for each key what is compared besides, if the method does so.
    """

    keys: NDArray[np.uint64]
    owners: NDArray[np.int64]
    values: NDArray[np.uint64] | None = None


class NearMethod(Protocol):
    """A method of comparison.

    Its ``name`` is that of its folder, ``columns`` are those of a sketch, and ``member_bytes`` is
    what a first member takes in memory.
    """

    @property
    def name(self) -> str:
        """Name of the folder."""

    @property
    def columns(self) -> pa.Schema:
        """Columns of a sketch."""

    @property
    def member_bytes(self) -> int:
        """What a first member takes in memory."""

    def sketching(self) -> dict[str, Any]:
        """The settings that sketches depend on."""

    def grouping(self) -> dict[str, Any]:
        """The other settings."""

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""

    def sketches(self, batch: pa.RecordBatch, stopped: Collection[str]) -> Sequence[Any]:
        """Rows of sketch columns in the form that the index takes."""

    def keys_per_text(self, n_texts: int) -> int:
        """Most keys of a text in a corpus of so many."""

    def keys(self, sketches: Sequence[Any], n_texts: int) -> KeyRows:
        """Search keys of some of the texts of a corpus that has ``n_texts``."""

    def index(self) -> Index:
        """No first members yet."""


@dataclass(frozen=True, slots=True)
class NearJob:
    """What all stages of a run work with.

    Args:
        database: a connection with its bounds set.
        texts: the numbered texts.
        method: how they are compared.
        stopped: codes that say nothing.
    """

    database: duckdb.DuckDBPyConnection
    texts: Path
    method: NearMethod
    stopped: frozenset[str] = frozenset()

    @property
    def n_texts(self) -> int:
        """How many texts there are."""
        return int(pq.read_metadata(self.texts).num_rows)
