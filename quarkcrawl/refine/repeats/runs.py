"""Rows in the order of a key, however many: sorted runs on disk, merged as they are read.

Runs are in the order in which rows were added, and sorting is stable, so rows of equal keys come
in the order in which they were added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import StoreError
from quarkcrawl.store import storage_errors, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Rows = NDArray[np.void]


_LEAST_BLOCK_ROWS: Final = 256
"""Of a run that are taken at once: below that, seeking costs more than memory."""


class SortedRuns:
    """Rows that are added in portions and read back in order.

    Args:
        folder: where the runs are kept; it exists.
        name: what their files' names begin with.
        dtype: a row; its field ``key`` is what it is sorted by.
    """

    def __init__(self, folder: Path, name: str, dtype: np.dtype[np.void]) -> None:
        self._folder = folder
        self._name = name
        self._dtype = dtype

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number:06d}.rows"

    def write(self, number: int, rows: Rows) -> None:
        """Write a run; one of the same number, from an attempt that was cut off, is replaced."""
        path = self._path(number)
        order = np.argsort(rows["key"], kind="stable")
        with storage_errors(path), write_whole(path) as file:
            file.write(rows[order].tobytes())

    def delete(self, n_runs: int) -> None:
        """Delete the runs, which nothing needs any more."""
        for number in range(n_runs):
            self._path(number).unlink(missing_ok=True)

    def merged(self, n_runs: int, block_rows: int) -> Iterator[Rows]:
        """The rows of all runs in order.

        About ``block_rows`` are in memory; more if there are so many runs that each gives its
        least.
        """
        runs = [_Run(self._path(number), self._dtype) for number in range(n_runs)]
        while runs := [run for run in runs if run.n_left]:
            n_each = max(_LEAST_BLOCK_ROWS, block_rows // len(runs))
            for run in runs:
                run.fill(n_each)
            yield _next_rows(runs)


class _Run:
    """A run that is read from its beginning to its end.

    Args:
        path: its file.
        dtype: a row.
    """

    def __init__(self, path: Path, dtype: np.dtype[np.void]) -> None:
        self._path = path
        self._dtype = dtype
        try:
            self._n_rows = path.stat().st_size // dtype.itemsize
        except OSError as error:
            raise StoreError(f"cannot read ({error.strerror})", where=path) from error
        self._n_read = 0
        self.block: Rows = np.empty(0, dtype)

    @property
    def n_left(self) -> int:
        """Rows that were not taken."""
        return self.n_unread + len(self.block)

    @property
    def n_unread(self) -> int:
        """Rows that are on disk only."""
        return self._n_rows - self._n_read

    def fill(self, n_rows: int) -> None:
        """Have at least so many rows in memory, or all that are left."""
        n = min(n_rows - len(self.block), self.n_unread)
        if n > 0:
            place = self._n_read * self._dtype.itemsize
            try:
                more = np.fromfile(self._path, self._dtype, n, offset=place)
            except OSError as error:
                raise StoreError(f"cannot read ({error.strerror})", where=self._path) from error
            self.block = np.concatenate([self.block, more]) if len(self.block) else more
            self._n_read += n

    def take(self, n_rows: int) -> Rows:
        """The next rows, of those in memory."""
        rows, self.block = self.block[:n_rows], self.block[n_rows:]
        return rows


def _next_rows(runs: list[_Run]) -> Rows:
    """The next rows in order: up to the least of the keys that the blocks of the runs end with.

    Of the run with that key, and of those after it, rows with that key follow later: so equal keys
    that fill many blocks neither fill memory nor change their order.
    """
    ends = [(run.block["key"][-1], k) for k, run in enumerate(runs) if run.n_unread]
    if ends:
        pivot, pivot_run = min(ends)
        cut = [
            len(run.block)
            if k == pivot_run
            else int(np.searchsorted(run.block["key"], pivot, "right" if k < pivot_run else "left"))
            for k, run in enumerate(runs)
        ]
    else:
        cut = [len(run.block) for run in runs]
    rows = np.concatenate([run.take(n) for run, n in zip(runs, cut, strict=True)])
    ordered: Rows = rows[np.argsort(rows["key"], kind="stable")]
    return ordered
