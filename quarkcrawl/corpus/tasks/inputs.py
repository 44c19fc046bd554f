"""The inputs of all tasks as one Parquet file, and where it is cut.

Three columns are ours: to which folder of the results an input's rows belong (a part has rows of
one folder), what it weighs in bytes, and whether a slice may begin with it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.growingtable import GrowingTable
from quarkcrawl.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from quarkcrawl.corpus.tasks.plan import PartLimits


_OURS: Final = pa.schema(
    [
        pa.field("_folder", pa.string()),
        pa.field("_bytes", pa.int64()),
        pa.field("_may_begin", pa.bool_()),
    ]
)
_GROUP_ROWS: Final = 8192
_GROUP_CHARS: Final = 16 << 20
_BATCH_ROWS: Final = 512


class TaskInputs(AbstractContextManager["TaskInputs"]):
    """Inputs that are being listed.

    Args:
        path: the file.
        schema: columns of the job.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._table = GrowingTable(path, pa.schema([*_OURS, *schema]))
        self._n_held = self._n_chars = 0
        self.n_inputs = 0
        self.n_bytes = 0

    def add(
        self, values: Mapping[str, Any], folder: str, n_bytes: int, *, may_begin: bool = True
    ) -> None:
        """Add an input.

        Args:
            values: columns of the job.
            folder: where its rows go below the results; "" for the results' own folder.
            n_bytes: what it weighs.
            may_begin: whether a slice or a part may begin with it.
        """
        n_bytes = max(n_bytes, 1)
        ours = {"_folder": folder, "_bytes": n_bytes, "_may_begin": may_begin}
        self._table.add({**values, **ours})
        self.n_inputs += 1
        self.n_bytes += n_bytes
        self._n_held += 1
        self._n_chars += sum(len(value) for value in values.values() if isinstance(value, str))
        if self._n_held >= _GROUP_ROWS or self._n_chars >= _GROUP_CHARS:
            self._table.flush()
            self._n_held = self._n_chars = 0

    def __exit__(self, *error: object) -> None:
        self._table.__exit__(error[0])


class PartRange(NamedTuple):
    """Inputs whose rows become one part: where they begin and end, and where the part goes."""

    number: int
    folder: str
    start: int
    stop: int

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"part-{self.number:06}.parquet"


def slice_cuts(path: Path, n_bytes: int, n_slices: int) -> tuple[int, ...]:
    """Where slices of about equal bytes begin, and where the last one ends."""
    targets = np.arange(1, n_slices, dtype=np.int64) * (n_bytes / n_slices)
    cuts = [0]
    n_before = weight_before = 0
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=["_bytes", "_may_begin"])
            weights = table["_bytes"].to_numpy()
            begins = np.flatnonzero(table["_may_begin"].to_numpy())
            starts = weight_before + np.cumsum(weights) - weights
            nearest = np.searchsorted(starts[begins], targets[len(cuts) - 1 :])
            cuts += (n_before + begins[nearest[nearest < len(begins)]]).tolist()
            n_before += len(weights)
            weight_before += int(weights.sum())
    return (*cuts, *[n_before] * (n_slices + 1 - len(cuts)))


def part_ranges(path: Path, start: int, stop: int, limits: PartLimits) -> list[PartRange]:
    """The parts of a slice; they depend on the inputs alone."""
    ranges: list[PartRange] = []
    begin, held, here = start, 0, None
    columns = ["_folder", "_bytes", "_may_begin"]
    for place, row in enumerate(_rows(path, start, stop, columns), start):
        full = place - begin >= limits.inputs or held + row["_bytes"] > limits.n_bytes
        if place > begin and row["_may_begin"] and (full or row["_folder"] != here):
            ranges.append(PartRange(len(ranges), here or "", begin, place))
            begin, held = place, 0
        here = row["_folder"]
        held += row["_bytes"]
    if stop > begin:
        ranges.append(PartRange(len(ranges), here or "", begin, stop))
    return ranges


def read_inputs(path: Path, start: int, stop: int) -> Iterator[dict[str, Any]]:
    """Some inputs, with the columns of the job."""
    with pq.ParquetFile(path) as file:
        names = [name for name in file.schema_arrow.names if name not in _OURS.names]
    yield from _rows(path, start, stop, names)


def _rows(path: Path, start: int, stop: int, columns: list[str]) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            before = 0
            for group in range(file.num_row_groups):
                n_rows = file.metadata.row_group(group).num_rows
                first, last = max(start - before, 0), min(stop - before, n_rows)
                before += n_rows
                if first < last:
                    table = file.read_row_group(group, columns=columns).slice(first, last - first)
                    for batch in table.to_batches(_BATCH_ROWS):
                        yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise StoreError(f"cannot read ({error})", where=path) from error
