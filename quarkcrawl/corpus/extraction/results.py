"""The folder of an extraction: Parquet parts by bucket, one row a page.

    analysis/extractions/LOCK
    analysis/extractions/quark/_options.json
    analysis/extractions/quark/_sites/bucket=214.json
    analysis/extractions/quark/_tasks/plan.json        of tasks, see `quarkcrawl.corpus.tasks`
    analysis/extractions/quark/bucket=214/part-000001.parquet

A part appears whole or not at all, and no page is in two of them: rows that have become stale
leave their part, which is written anew under its old name, before their page is done again. So
the parts are a table at any moment. Each says in its metadata which version wrote it. Any engine
reads them:

    SELECT url, content_text FROM read_parquet('corpus/analysis/extractions/quark/*/*.parquet')
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from quarkcrawl import __version__
from quarkcrawl.content import method_name
from quarkcrawl.corpus.optionsnote import OptionsNote
from quarkcrawl.corpus.pagerows import page_files, state_of_files
from quarkcrawl.corpus.parts import read_part, replace_part
from quarkcrawl.corpus.tasks import TaskFolder
from quarkcrawl.errors import StoreError
from quarkcrawl.store import (
    BLOCK_COLUMNS,
    CONTENT_COLUMNS,
    N_BUCKETS,
    storage_errors,
    sync_folder,
)
from quarkcrawl.store.tables import columns_of, folder_parts, part_path, write_part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

RESULT_SCHEMA: Final = pa.schema(
    [
        *columns_of("url", "host", "offset"),
        ("failure", pa.string()),
        ("detail", pa.string()),
        *((name, kind) for name, (kind, _) in (CONTENT_COLUMNS | BLOCK_COLUMNS).items()),
        ("repeated_chars", pa.int32()),
        ("taught_chars", pa.int32()),
        ("site_digest", pa.string()),
    ]
)
"""Columns of a result; ``bucket`` comes from the name of the folder. ``repeated_chars`` is how many
visible characters were taken out since the host repeats them, ``taught_chars`` how many were taken
out or put in by what people taught, ``site_digest`` tells what was known of the host; they are NULL
where it repeats nothing and nobody taught anything."""

PART_SCHEMA: Final = RESULT_SCHEMA.with_metadata({"quarkcrawl_version": __version__})
_BUCKET: Final = pa.field("bucket", pa.int32())


def results_base(root: Path, out: Path | str | None) -> Path:
    """The folder of the extractions of a corpus, by all methods."""
    return root / "analysis" / "extractions" if out is None else Path(out)


def writable_base(root: Path, out: Path | str | None) -> Path:
    """The same, made if it is not there.

    Raises:
        StoreError: it cannot be made.
    """
    folder = results_base(root, out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "" if out is not None else "; --out puts the rows elsewhere"
        raise StoreError(f"cannot write ({error.strerror}){hint}", where=folder) from error
    return folder


class DoneRow(NamedTuple):
    """A page that has a row."""

    offset: int
    failure: str | None
    site_digest: str | None


class ResultFolder:
    """The results of one method on one corpus; a writer must hold the lock.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._note = OptionsNote(path)

    @property
    def sites(self) -> Path:
        """The folder of what the hosts repeat; engines pass over it, too."""
        return self.path / "_sites"

    @property
    def tasks(self) -> tuple[TaskFolder, TaskFolder]:
        """The tasks that learn what hosts repeat, and those that do the pages."""
        return TaskFolder(self.sites), TaskFolder(self.path)

    def clear_tasks(self, *, restart: bool) -> None:
        """Forget tasks that are finished; with ``restart`` also those that are not.

        Raises:
            StoreError: tasks are under way.
        """
        for tasks in self.tasks:
            tasks.make_way(restart=restart)

    # Options

    def options(self) -> dict[str, Any] | None:
        """With what the rows were made; None if there are none.

        Raises:
            StoreError: the note of the options cannot be read.
        """
        return self._note.read()

    def open(self, options: Mapping[str, Any], *, restart: bool) -> None:
        """Prepare for writing; with ``restart`` without the rows that are there.

        Raises:
            ConfigError: the rows that are there were made with other options.
            StoreError: the folder cannot be written.
        """
        if not restart:
            self._note.check(options)
        with storage_errors(self.path):
            self._prepare(options, restart=restart)

    def _prepare(self, options: Mapping[str, Any], *, restart: bool) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        if restart and self.sites.exists():
            shutil.rmtree(self.sites)
        for folder in self._folders():
            if restart:
                shutil.rmtree(folder)
                continue
            for leftover in folder.glob(".*.tmp"):  # of a run that was killed
                leftover.unlink()
        self._note.write(options)

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
            table = read_part(path, ["url", *DoneRow._fields])
            columns = (table.column(name).to_pylist() for name in table.column_names)
            rows |= {url: DoneRow(*rest) for url, *rest in zip(*columns, strict=True)}
        return rows

    def drop(self, bucket: int, urls: Collection[str]) -> int:
        """Take rows out of the parts of a bucket; returns how many."""
        n_dropped = 0
        unwanted = pa.array(urls, pa.string())
        for path in self.parts(bucket) if urls else ():
            stale = pc.is_in(read_part(path, ["url"]).column("url"), value_set=unwanted)
            n_stale = pc.sum(stale).as_py() or 0
            if n_stale:
                rest = read_part(path).filter(pc.invert(stale))
                replace_part(path, rest)
                n_dropped += n_stale
        return n_dropped

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
            write_part(pa.Table.from_pylist(rows, PART_SCHEMA), path)
            sync_folder(folder)
            if not last:
                sync_folder(self.path)


def text_state(roots: Sequence[Path], method: str | None) -> str:
    """What tells the texts of corpora from what they will be when pages are added or extracted.

    Args:
        roots: the corpora.
        method: whose texts they are; None for the content that the crawl stored.
    """
    paths = []
    for root in roots:
        paths += page_files(root)
        if method is not None:
            for folder in ("extractions", "cleaned"):
                paths += ResultFolder(root / "analysis" / folder / method_name(method)).parts()
    return state_of_files(paths)
