"""The folder of an extraction: Parquet parts by bucket, one row a page.

    analysis/extractions/LOCK
    analysis/extractions/quark/_options.json
    analysis/extractions/quark/bucket=214/part-000001.parquet

A part appears whole or not at all, and no page is in two of them: rows that have become stale
leave their part, which is written anew under its old name, before their page is done again. So
the parts are a table at any moment. Each says in its metadata which version wrote it. Any engine
reads them:

    SELECT url, content_text FROM read_parquet('corpus/analysis/extractions/quark/*/*.parquet')
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from quarkcrawl import __version__
from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.store import (
    BLOCK_COLUMNS,
    CONTENT_COLUMNS,
    N_BUCKETS,
    storage_errors,
    sync_folder,
    write_whole,
)
from quarkcrawl.store.tables import columns_of, folder_parts, open_part, part_path, write_part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path


RESULT_SCHEMA: Final = pa.schema(
    [
        *columns_of("url", "host", "offset"),
        ("failure", pa.string()),
        ("detail", pa.string()),
        *((name, kind) for name, (kind, _) in (CONTENT_COLUMNS | BLOCK_COLUMNS).items()),
    ]
)
"""Columns of a result; ``bucket`` comes from the name of the folder."""

_SCHEMA: Final = RESULT_SCHEMA.with_metadata({"quarkcrawl_version": __version__})
_BUCKET: Final = pa.field("bucket", pa.int32())
_OPTIONS = "_options.json"  # engines pass over names that begin so


class DoneRow(NamedTuple):
    """A page that has a row."""

    offset: int
    failure: str | None


class ResultFolder:
    """The results of one method on one corpus; a writer must hold the lock.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    # Options

    def options(self) -> dict[str, Any] | None:
        """With what the rows were made; None if there are none.

        Raises:
            StoreError: the note of the options cannot be read.
        """
        path = self.path / _OPTIONS
        try:
            noted: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read ({error})", where=path) from error
        return noted

    def open(self, options: Mapping[str, Any], *, restart: bool) -> None:
        """Prepare for writing; with ``restart`` without the rows that are there.

        Raises:
            ConfigError: the rows that are there were made with other options.
            StoreError: the folder cannot be written.
        """
        noted = (not restart and self.options()) or dict(options)
        for name, value in options.items():
            if noted.get(name) != value:
                other = f"with {name} = {_shown(noted.get(name))}, not {_shown(value)}"
                other = "from another corpus" if name == "corpus" else other
                message = f"the rows there were made {other}; --restart makes them all anew"
                raise ConfigError(message, where=self.path)
        with storage_errors(self.path):
            self._prepare(options, restart=restart)

    def _prepare(self, options: Mapping[str, Any], *, restart: bool) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        for folder in self._folders():
            if restart:
                shutil.rmtree(folder)
                continue
            for leftover in folder.glob(".*.tmp"):  # of a run that was killed
                leftover.unlink()
        with write_whole(self.path / _OPTIONS) as file:
            file.write(json.dumps(dict(options), ensure_ascii=False).encode() + b"\n")
        sync_folder(self.path)

    # Rows

    def _folders(self) -> Iterator[Path]:
        yield from sorted(self.path.glob("bucket=*"))

    def parts(self, bucket: int | None = None) -> list[Path]:
        """The files of one bucket, or of all."""
        numbers = range(N_BUCKETS) if bucket is None else [bucket]
        folders = (self.path / f"bucket={number}" for number in numbers)
        return [part.path for folder in folders for part in folder_parts(folder)]

    def dataset(self) -> ds.Dataset:
        """All rows; ``bucket`` is the last column."""
        schema = RESULT_SCHEMA.append(_BUCKET)
        paths = [str(path) for path in self.parts()]
        if not paths:
            return ds.dataset(schema.empty_table())
        hive = ds.partitioning(pa.schema([_BUCKET]), flavor="hive")
        return ds.dataset(paths, schema=schema, format="parquet", partitioning=hive)

    def done(self, bucket: int) -> dict[str, DoneRow]:
        """The pages of a bucket that have a row, by URL.

        Raises:
            StoreError: a part cannot be read.
        """
        rows: dict[str, DoneRow] = {}
        for path in self.parts(bucket):
            table = _read(path, ["url", "offset", "failure"])
            columns = (table.column(name).to_pylist() for name in table.column_names)
            rows |= {url: DoneRow(*rest) for url, *rest in zip(*columns, strict=True)}
        return rows

    def drop(self, bucket: int, urls: Collection[str]) -> int:
        """Take rows out of the parts of a bucket; returns how many."""
        n_dropped = 0
        unwanted = pa.array(urls, pa.string())
        for path in self.parts(bucket) if urls else ():
            stale = pc.is_in(_read(path, ["url"]).column("url"), value_set=unwanted)
            n_stale = pc.sum(stale).as_py() or 0
            if n_stale:
                rest = _read(path).filter(pc.invert(stale))
                self._replace(path, rest)
                n_dropped += n_stale
        return n_dropped

    def _replace(self, path: Path, rest: pa.Table) -> None:
        with storage_errors(path):
            if rest.num_rows:
                write_part(rest, path)
            else:
                path.unlink()
            sync_folder(path.parent)

    def write(self, bucket: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add a part.

        Raises:
            StorageFullError: no room; the part is not there, all others are.
            StoreError: any other failure, likewise.
        """
        folder = self.path / f"bucket={bucket}"
        last = max((part.last for part in folder_parts(folder)), default=0)
        path = part_path(folder, last + 1, last + 1)
        with storage_errors(path):
            folder.mkdir(exist_ok=True)
            write_part(pa.Table.from_pylist(rows, _SCHEMA), path)
            sync_folder(folder)
            if not last:
                sync_folder(self.path)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    try:
        with open_part(path) as file:
            return pq.read_table(file, columns=columns)
    except (OSError, pa.ArrowException) as error:
        message = f"cannot read a part ({error}); delete it, and its pages are done again"
        raise StoreError(message, where=path) from error
