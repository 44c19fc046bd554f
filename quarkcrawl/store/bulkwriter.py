"""A new corpus filled by blocks: records as they are, rows as tables.

For jobs that make a corpus of others: it has no journal, since it counts only when it is whole,
and is made durable once, at its end. Rows of pages come shard by shard, sorted by bucket within
each; whenever the bucket goes back, the next part number begins.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import storage_error, storage_errors
from quarkcrawl.store.hostfiles import HostFiles
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.marker import create_marker
from quarkcrawl.store.tables import by_bucket, conform, merge_parts, part_path, table_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from quarkcrawl.store.tables import RowKind


_GROUP_ROWS: Final = 8192
_GROUP_BYTES: Final = 16 << 20
"""A row group is written when it has so many rows or so many bytes in memory."""


class BulkWriter(AbstractContextManager["BulkWriter"]):
    """Fills an empty folder with a corpus; a context manager, which ends it unless the block fails.

    Args:
        root: folder of the corpus, see `corpus_draft`.
        schemas: schema of each kind of row, that of pages with ``bucket``; columns that a table
            lacks are null.

    Raises:
        StoreError: the folder cannot be used.
    """

    def __init__(self, root: Path, schemas: Mapping[RowKind, pa.Schema]) -> None:
        self.root = root
        self.n_hosts = 0
        create_marker(root)
        self._lock = CorpusLock(root)
        self._schemas = schemas
        self._files = HostFiles(root, 1)
        self._page_part: _Part | None = None
        self._bucket = self._number = 0
        self._parts: dict[RowKind, _Part] = {}
        with storage_errors(root):
            self._fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def append_records(self, host: str, data: bytes) -> int:
        """Write records of one host; returns where in its page.dat they begin.

        Args:
            host: key of the host.
            data: whole records.

        Raises:
            InputError: the host is no folder name.
            StorageFullError: no room.
            StoreError: the device failed.
        """
        file = self._files.get(host)
        self._files.take_new_folders()
        self.n_hosts += file.size == 0
        return file.append(data)

    def append_pages(self, rows: pa.Table) -> None:
        """Write rows of pages whose records are written, sorted by bucket.

        Args:
            rows: the rows with their new places.

        Raises:
            StorageFullError: no room.
            StoreError: the device failed, or a column has another type than the schema's.
        """
        for bucket, piece in by_bucket(rows):
            if self._page_part is None or bucket != self._bucket:
                self._begin_bucket(bucket)
            if self._page_part is not None:
                self._page_part.add(piece)

    def _begin_bucket(self, bucket: int) -> None:
        if self._page_part is None or bucket < self._bucket:
            self._number += 1
        self._end_bucket()
        self._bucket = bucket
        schema = self._schemas["page"]
        folder = table_folder(self.root, "page") / f"bucket={bucket}"
        without = schema.remove(schema.get_field_index("bucket"))
        self._page_part = _Part(folder, self._number, without)

    def _end_bucket(self) -> None:
        if self._page_part is not None:
            self._page_part.close()

    def append_rows(self, kind: RowKind, rows: pa.Table) -> None:
        """Write rows of URLs without a page.

        Args:
            kind: which table.
            rows: columns of that table; further ones are left out.

        Raises:
            StorageFullError: no room.
            StoreError: the device failed, or a column has another type than the schema's.
        """
        part = self._parts.get(kind)
        if part is None:
            part = _Part(table_folder(self.root, kind), 1, self._schemas[kind])
            self._parts[kind] = part
        part.add(rows)

    def close(self) -> None:
        """End the corpus: everything written, parts merged where they are many, all of it durable.

        Raises:
            StorageFullError: no room.
            StoreError: the device failed.
        """
        self._end_bucket()
        for part in self._parts.values():
            part.close()
        self._files.close()
        merge_parts(self.root)
        _sync_file_system(self._fd, self.root)

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            self._files.close()
            os.close(self._fd)
            self._lock.release()


class _Part:
    """A Parquet part that grows by row groups."""

    def __init__(self, folder: Path, number: int, schema: pa.Schema) -> None:
        self._path = part_path(folder, number, number)
        self._schema = schema
        self._pending: list[pa.Table] = []
        self._n_rows = self._n_bytes = 0
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = pq.ParquetWriter(str(self._path), schema, compression="zstd")

    def add(self, rows: pa.Table) -> None:
        try:
            table = conform(rows, self._schema)
        except pa.ArrowException as error:
            raise StoreError(f"rows do not fit the table ({error})", where=self._path) from error
        self._pending.append(table)
        self._n_rows += table.num_rows
        self._n_bytes += table.nbytes
        if self._n_rows >= _GROUP_ROWS or self._n_bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._pending:
            with storage_errors(self._path):
                self._file.write_table(pa.concat_tables(self._pending))
        self._pending = []
        self._n_rows = self._n_bytes = 0

    def close(self) -> None:
        self._flush()
        with storage_errors(self._path):
            self._file.close()


def _sync_file_system(fd: int, root: Path) -> None:
    """Make all that was written below ``root`` durable.

    One call for the file system takes the place of one a file: of 2,000 hosts in 8 shards that
    would be 4,000. ``fd`` was opened before the first byte, so that it reports what failed since.
    """
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:  # another system than Linux
        os.sync()
    elif syncfs(fd):
        error = ctypes.get_errno()
        raise storage_error(OSError(error, os.strerror(error)), root)
