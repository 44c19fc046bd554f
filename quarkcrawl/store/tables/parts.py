"""Which files make up the analysis tables at this moment.

    root/analysis/pages/bucket=214/part-000012.parquet
    root/analysis/drops/part-000012.parquet

A part has the rows of one journal file, whose number it bears; a merged part,
``part-000001-000016.parquet``, those of several. While a journal file exists, its rows are read
from it and parts with its number are ignored, for they may be incomplete. So a reader sees each
row once, whatever a writer does meanwhile and wherever it died.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from quarkcrawl.errors import StoreError
from quarkcrawl.store.tables.columns import TABLES
from quarkcrawl.store.tables.journal import journal_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.store.tables.rows import RowKind


_NAME = re.compile(r"part-(\d{6,})(?:-(\d{6,}))?\.parquet$")
_PARTITION = re.compile(r"bucket=(\d+)$")
_TRIES = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TableFile:
    """One Parquet file: rows of journal files ``first`` to ``last``, of one bucket or of all."""

    path: Path
    first: int
    last: int
    bucket: int | None

    @property
    def folder(self) -> Path:
        """Folder of the part."""
        return self.path.parent


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files that hold the rows of one kind, each row once."""

    parts: tuple[TableFile, ...]
    journals: tuple[tuple[int, Path], ...]


def table_folder(root: Path, kind: RowKind) -> Path:
    """Folder of a table."""
    return Path(root) / "analysis" / TABLES[kind]


def part_path(folder: Path, first: int, last: int) -> Path:
    """Path of a part in its folder."""
    span = f"{first:06}" if first == last else f"{first:06}-{last:06}"
    return folder / f"part-{span}.parquet"


def all_parts(root: Path, kind: RowKind) -> list[TableFile]:
    """Every part of a table that is there, by bucket and number."""
    folder = table_folder(root, kind)
    if not folder.is_dir():
        return []
    places = [folder, *(sub for sub in folder.iterdir() if _PARTITION.match(sub.name))]
    parts = [part for place in places for part in folder_parts(place)]
    return sorted(parts, key=lambda part: (part.bucket or 0, part.first, -part.last))


def folder_parts(folder: Path) -> list[TableFile]:
    """The parts in one folder, by number; none of one that is not there."""
    if not folder.is_dir():
        return []
    partition = _PARTITION.match(folder.name)
    bucket = int(partition[1]) if partition else None
    return sorted(
        (
            TableFile(path, int(name[1]), int(name[2] or name[1]), bucket)
            for path in folder.iterdir()
            if (name := _NAME.match(path.name))
        ),
        key=lambda part: (part.first, -part.last),
    )


def retried(read: Callable[[], T], where: Path) -> T:
    """What a function reads; it begins anew when a merge has deleted a file meanwhile.

    Raises:
        StoreError: that happens every time.
    """
    for _ in range(_TRIES):
        try:
            return read()
        except FileNotFoundError:
            continue
    raise StoreError("the tables change faster than they can be read", where=where)


def stable(listing: Callable[[], T]) -> T:
    """A listing that was the same twice in a row: none that a rename or deletion went through.

    A directory that changes while it is read may show neither the old nor the new name.
    """
    seen = listing()
    for _ in range(_TRIES):
        again = listing()
        if again == seen:
            break
        seen = again
    return seen


def covered(parts: list[TableFile]) -> set[Path]:
    """Parts whose rows are also in a merged part of the same folder."""
    hidden: set[Path] = set()
    merged = [part for part in parts if part.first != part.last]
    by_folder: dict[Path, list[TableFile]] = {}
    for part in merged:
        by_folder.setdefault(part.folder, []).append(part)
    for part in parts:
        for other in by_folder.get(part.folder, ()):
            if other is not part and other.first <= part.first and part.last <= other.last:
                hidden.add(part.path)
    return hidden


def last_number(root: Path) -> int:
    """Highest journal number that is in use; 0 for a new corpus."""
    parts = max((part.last for kind in TABLES for part in all_parts(root, kind)), default=0)
    return max(parts, *(number for number, _ in journal_files(root)), 0)


def snapshot(root: Path, kind: RowKind) -> Snapshot:
    """The files to read for one kind of row.

    Compaction may run meanwhile: the listing is repeated until nothing changes.
    """
    journals, parts = stable(lambda: (journal_files(root), all_parts(root, kind)))
    live = {number for number, _ in journals}
    whole = [part for part in parts if not (part.first == part.last and part.first in live)]
    hidden = covered(whole)
    return Snapshot(tuple(part for part in whole if part.path not in hidden), tuple(journals))
