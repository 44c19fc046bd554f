"""A corpus or the shards of a shared crawl, read as one without merging them."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.merge.numbered import NumberedRows, as_duplicates
from quarkcrawl.corpus.merge.plan import SORT_BYTES, SORT_THREADS, NumberedFile, NumberedList, Plan
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import NotStoredError
from quarkcrawl.progress import CountedStep, no_progress, reported
from quarkcrawl.store import is_sharded, schema_of, shard_roots, storage_errors
from quarkcrawl.store.tables import conform, iter_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables import RowKind


SHARD: Final = "shard"
"""Column with the index of a page's shard."""


class Shards(AbstractContextManager["Shards"]):
    """What a folder holds, row for row as the corpus that `merge_corpora` would make of it.

    Pages have the places of their shards. That a record is damaged is not seen here: a merge
    would take another copy of its page. A context manager.

    Args:
        root: a corpus, or a folder of shards; no crawl should be writing to it.
        work: folder for lists of rows, made if need be and removed at the end.

    Raises:
        NotStoredError: the folder is neither, or has no shards yet.
    """

    def __init__(self, root: Path | str, work: Path) -> None:
        self.root = Path(root)
        self.folders = shard_roots(self.root)
        if not self.folders:
            raise NotStoredError("no worker has stored anything", where=self.root)
        self.is_one = not is_sharded(self.root)
        self._work = work
        self._rows = NumberedRows(self.folders)
        self._lists: tuple[Path, Path] | None = None

    def _planned(self) -> tuple[Path, Path]:
        """The lists of pages that stay and of what becomes of the other URLs; made once."""
        if self._lists is None:
            with storage_errors(self._work):
                self._work.mkdir(parents=True, exist_ok=True)
            with DuckEngine(
                memory_bytes=SORT_BYTES, threads=SORT_THREADS, spill=self._work
            ) as engine:
                plan = Plan(self._work, engine)
                plan.number(self._rows.all_rows())
                pages, _ = plan.chosen()
                plan.note_stored(pages)
                self._lists = pages, plan.others()
        return self._lists

    def pages(
        self, columns: Sequence[str], on_progress: Progress = no_progress
    ) -> Iterator[tuple[int, pa.Table]]:
        """Rows of pages by batches, each with the index of its shard in ``folders``.

        Args:
            columns: columns of the table; such as a file lacks are null.
            on_progress: is told of each bucket, or of the rows of shards.

        Raises:
            StoreError: a table cannot be read, or has changed meanwhile.
        """
        schema = _schema("page", columns)
        if self.is_one:
            for batch in iter_batches(self.root, "page", columns, on_progress):
                yield 0, conform(pa.Table.from_batches([batch]), schema)
            return
        index = {folder: n for n, folder in enumerate(self.folders)}
        on_progress("which pages stay", 0, None)
        path = self._planned()[0]
        step = CountedStep("pages", on_progress, int(pq.read_metadata(path).num_rows))
        for shard, rows, _ in self._rows.listed("page", NumberedList(path), columns):
            step.add(rows.num_rows)
            yield index[shard], conform(rows, schema)

    def rows(
        self, kind: RowKind, columns: Sequence[str], on_progress: Progress = no_progress
    ) -> Iterator[pa.Table]:
        """Rows of any kind by batches.

        Args:
            kind: which table.
            columns: columns of the table; such as a file lacks are null.
            on_progress: is told of each bucket, or of the rows of shards.

        Raises:
            StoreError: a table cannot be read, or has changed meanwhile.
        """
        schema = _schema(kind, columns)
        if kind == "page":
            for _, rows in self.pages(columns, on_progress):
                yield rows
        elif self.is_one:
            for batch in iter_batches(self.root, kind, columns, on_progress):
                yield conform(pa.Table.from_batches([batch]), schema)
        else:
            others = self._others(kind, columns)
            for rows in reported(others, f"{kind}s", on_progress, size=len):
                yield conform(rows, schema)

    def _others(self, kind: RowKind, columns: Sequence[str]) -> Iterator[pa.Table]:
        others = NumberedList(self._planned()[1])
        if kind == "duplicate":
            of_page = [name for name in columns if name != "duplicate_of"]
            for _, rows, listed in self._rows.listed("page", others, of_page):
                yield as_duplicates(rows, listed["owner"])
            columns = list(dict.fromkeys([*columns, "duplicate_of"]))
        for _, rows, listed in self._rows.listed(kind, others, columns):
            yield as_duplicates(rows, listed["owner"]) if kind == "duplicate" else rows

    def write(self, kind: RowKind, columns: Sequence[str], path: Path) -> None:
        """Write rows of any kind as a Parquet file, in the order of shards and their buckets.

        Args:
            kind: which table.
            columns: columns of the table; those of pages get the index of the shard besides, as
                the column `SHARD`.
            path: the file; its folder is made if need be.

        Raises:
            StorageFullError: no room.
            StoreError: a table cannot be read, or has changed meanwhile.
        """
        schema = _schema(kind, columns)
        with storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        if kind != "page":
            with NumberedFile(path, schema) as out:
                for rows in self.rows(kind, columns):
                    out.add(rows)
            return
        with NumberedFile(path, schema.append(pa.field(SHARD, pa.int32()))) as out:
            for shard, rows in self.pages(columns):
                numbers = pa.array(np.full(rows.num_rows, shard, np.int32))
                out.add(rows.append_column(SHARD, numbers))

    def close(self) -> None:
        """Remove the lists."""
        shutil.rmtree(self._work, ignore_errors=True)

    def __exit__(self, *_: object) -> None:
        self.close()


def _schema(kind: RowKind, columns: Sequence[str]) -> pa.Schema:
    schema = schema_of(kind)
    return pa.schema([schema.field(name) for name in columns])
