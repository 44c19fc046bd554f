"""The journal of analysis rows: append-only lines that prove themselves.

    root/journal/rows-000001.jsonl
    9ae0daaf {"kind":"page","url":"http://…",…}

A line is the CRC-32 of its JSON in eight hex digits, a space, the JSON, a line feed. The writer
appends to the file with the highest number; files before it are closed and wait to be compacted
to Parquet, which deletes them. After a group of rows and pages has reached the disk, a line
``{"kind":"synced","upto":N}`` says that everything before byte N is durable: after a power cut
only rows behind the last such line need to be checked against their records.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isal import isal_zlib

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import AppendFile, storage_errors, sync_folder
from quarkcrawl.store.tables.json import decode_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.store.tables.rows import Row, RowKind


_NAME = re.compile(r"rows-(\d{6,})\.jsonl$")
_FRAME_BYTES = 9  # eight hex digits and a space
_KIND = re.compile(rb'\{"kind":"([a-z]+)"')


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One line of a journal file.

    Args:
        offset: where it begins.
        end: offset behind its line feed.
        payload: its JSON; None when the line is torn or damaged.
    """

    offset: int
    end: int
    payload: bytes | None

    @property
    def kind(self) -> RowKind | str | None:
        """Kind of the row, ``"synced"``, or None if damaged."""
        match = _KIND.match(self.payload) if self.payload is not None else None
        return match[1].decode() if match else None


def journal_folder(root: Path) -> Path:
    """Folder of the journal files."""
    return Path(root) / "journal"


def journal_path(root: Path, number: int) -> Path:
    """Path of one journal file."""
    return journal_folder(root) / f"rows-{number:06}.jsonl"


def journal_files(root: Path) -> list[tuple[int, Path]]:
    """Journal files present, oldest first."""
    folder = journal_folder(root)
    if not folder.is_dir():
        return []
    numbered = [(int(m[1]), path) for path in folder.iterdir() if (m := _NAME.match(path.name))]
    return sorted(numbered)


def frame(payload: bytes) -> bytes:
    """One journal line around a JSON text."""
    return b"%08x %s\n" % (isal_zlib.crc32(payload), payload)


def synced_line(upto: int) -> bytes:
    """The line that says that everything before byte ``upto`` is durable."""
    return frame(b'{"kind":"synced","upto":%d}' % upto)


def read_lines(path: Path) -> Iterator[JournalLine]:
    """All lines of a journal file, damaged ones marked; never raises for content."""
    offset = 0
    with path.open("rb") as file:
        for raw in file:
            end = offset + len(raw)
            yield JournalLine(offset, end, _payload(raw))
            offset = end


def _payload(raw: bytes) -> bytes | None:
    payload = raw[_FRAME_BYTES:-1]
    return payload if raw == frame(payload) else None


def read_rows(path: Path) -> Iterator[Row]:
    """Rows of one journal file, without what is damaged."""
    for line in read_lines(path):
        if line.payload is not None and line.kind != "synced":
            yield decode_row(json.loads(line.payload))


def replay(root: Path) -> Iterator[Row]:
    """Rows that are not in the Parquet tables yet, in the order in which they were written.

    Args:
        root: folder of the corpus.
    """
    for _, path in journal_files(root):
        yield from read_rows(path)


def open_journal(root: Path, number: int) -> AppendFile:
    """Open a journal file for appending, making the folder if need be.

    Its name is made durable at once: a sync of a file does not promise that of its folder.

    Raises:
        StoreError: the folder cannot be written.
    """
    folder = journal_folder(root)
    with storage_errors(folder):
        is_new = not folder.is_dir()
        folder.mkdir(exist_ok=True)
        if is_new:
            sync_folder(Path(root))
    file = AppendFile(journal_path(root, number))
    try:
        with storage_errors(folder):
            sync_folder(folder)
    except StoreError:
        file.release()
        raise
    return file
