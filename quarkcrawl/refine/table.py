"""The labels of a corpus: Parquet parts, one row a document.

    analysis/labels/LOCK
    analysis/labels/texts/_options.json         with what they were made
    analysis/labels/texts/part-000001.parquet   labels of a text by itself
    analysis/labels/repeats/part-000001.parquet what a text repeats of others

A part appears whole or not at all. A row holds for the text with the MD5 that stands in it; a
text that has changed since has no labels until the next run. Any engine reads them:

    SELECT language, count(*) FROM 'corpus/analysis/labels/texts/*.parquet' GROUP BY ALL
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl import __version__
from quarkcrawl.corpus import OptionsNote, read_part, replace_part
from quarkcrawl.store import storage_errors, sync_folder
from quarkcrawl.store.tables import folder_parts, part_path, write_part

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path


class LabelTable:
    """One table of labels; a writer must hold the lock.

    Args:
        path: its folder.
        schema: its columns; ``url`` and ``offset`` tell documents apart.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path = path
        self.schema = schema.with_metadata({"quarkcrawl_version": __version__})
        self._note = OptionsNote(path)

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
        self._note.prepare(options, restart=restart)

    def note(self, options: Mapping[str, Any]) -> None:
        """Note with what the rows were made.

        Raises:
            StoreError: it cannot be written.
        """
        self._note.write(options)

    def files(self) -> list[Path]:
        """The parts, in the order in which they were written."""
        return [part.path for part in folder_parts(self.path)]

    def drop(self, places: Collection[tuple[str, int]]) -> int:
        """Take the rows of documents out; returns how many.

        Args:
            places: URL and offset of each.

        Raises:
            StoreError: a part cannot be read or written.
        """
        n_dropped = 0
        unwanted = pa.array([_key(url, offset) for url, offset in places], pa.string())
        for path in self.files() if places else ():
            table = read_part(path)
            keys = pc.binary_join_element_wise(
                table.column("offset").cast(pa.string()), table.column("url"), " "
            )
            is_stale = pc.is_in(keys, value_set=unwanted)
            n_stale = pc.sum(is_stale).as_py() or 0
            if n_stale:
                replace_part(path, table.filter(pc.invert(is_stale)))
                n_dropped += n_stale
        return n_dropped

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add a part.

        Raises:
            StorageFullError: no room; the part is not there, all others are.
            StoreError: any other failure, likewise.
        """
        last = max((part.last for part in folder_parts(self.path)), default=0)
        path = part_path(self.path, last + 1, last + 1)
        with storage_errors(path):
            write_part(pa.Table.from_pylist(rows, self.schema), path)
            sync_folder(self.path)


def _key(url: str, offset: int) -> str:
    return f"{offset} {url}"
