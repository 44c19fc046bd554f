"""The rows of several corpora under the numbers that a plan knows them by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.corpus.merge.plan import KINDS
from quarkcrawl.errors import StoreError
from quarkcrawl.store import schema_of
from quarkcrawl.store.tables import iter_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.corpus.merge.plan import NumberedList
    from quarkcrawl.store.tables import RowKind


_PLAN_COLUMNS: Final = ("url", "md5", "fetched_at", "version")


class NumberedRows:
    """Reads rows in the order of their numbers; nobody may write to the corpora meanwhile.

    Args:
        shards: folders of the corpora.
    """

    def __init__(self, shards: Sequence[Path]) -> None:
        self._shards = shards
        self._ends: list[int] = []  # number behind the rows of each kind and shard

    @property
    def n_pages(self) -> int:
        """How many pages there are, once all rows were read."""
        return self._ends[len(self._shards) - 1] if self._shards else 0

    def all_rows(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """What a plan needs of each row, with the index of its kind."""
        self._ends.clear()
        end = 0
        for index, kind in enumerate(KINDS):
            columns = [name for name in _PLAN_COLUMNS if name in schema_of(kind).names]
            for shard in self._shards:
                for batch in iter_batches(shard, kind, columns):
                    end += batch.num_rows
                    yield index, batch
                self._ends.append(end)

    def listed(
        self, kind: RowKind, rows: NumberedList, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[Path, pa.Table, pa.Table]]:
        """The rows of a kind that are in a list, by batches: the shard, the rows, the list's.

        Raises:
            StoreError: a corpus has changed since its rows were numbered.
        """
        for place, shard in enumerate(self._shards, KINDS.index(kind) * len(self._shards)):
            end = self._ends[place - 1] if place else 0
            rows.skip_to(end)  # those of other kinds
            if not rows.has_before(self._ends[place]):
                continue
            for batch in iter_batches(shard, kind, columns):
                begin, end = end, end + batch.num_rows
                if (listed := rows.take_before(end)) is not None:
                    listed_rows = batch.take(pa.array(listed["n"].to_numpy() - begin))
                    yield shard, pa.Table.from_batches([listed_rows]), listed
            if end != self._ends[place]:
                raise StoreError("the corpus has changed while it was read", where=shard)


def as_duplicates(rows: pa.Table, owners: pa.ChunkedArray) -> pa.Table:
    """Rows of pages, or of duplicates, as duplicates of the URLs that have their bodies.

    Args:
        rows: what becomes duplicates.
        owners: the URL that has the body; null where it is the one that a duplicate has.
    """
    if "duplicate_of" in rows.column_names:
        owners = pc.coalesce(owners, rows["duplicate_of"])
        rows = rows.drop_columns("duplicate_of")
    names = [name for name in schema_of("duplicate").names if name in rows.column_names]
    return rows.select(names).append_column("duplicate_of", owners)
