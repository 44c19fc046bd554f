"""What the journal says after a crash, and writing it anew without what is not true."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import sync_folder, write_whole
from quarkcrawl.store.tables.journal import (
    JournalLine,
    journal_files,
    journal_folder,
    journal_path,
    read_lines,
    synced_line,
)

if TYPE_CHECKING:
    from pathlib import Path


_MARK_BYTES: Final = 64  # longer than any ``synced`` line, shorter than any row

Place = tuple[int, int]
"""Number of a journal file and offset in it; places compare in the order of writing."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page row, as far as recovery needs it."""

    at: Place
    url: str
    host: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class JournalState:
    """The journal after a crash.

    Args:
        entries: page rows in order of writing, without those behind ``cut_at``.
        durable: everything before this place was synced together with its pages.
        cut_at: first damaged line behind ``durable``; what follows it was never acknowledged.
        bytes_cut: how much that is.
        ragged: files whose last ``synced`` line (itself never synced) is damaged.
    """

    entries: tuple[PageEntry, ...]
    durable: Place
    cut_at: Place | None
    bytes_cut: int
    ragged: frozenset[int]


def read_state(root: Path) -> JournalState:
    """Read all journal files.

    Raises:
        StoreError: the durable part is damaged, which no crash does.
    """
    entries: list[PageEntry] = []
    damaged: list[Place] = []
    ragged: set[int] = set()
    durable: Place = (0, 0)
    for number, path in journal_files(root):
        for line in read_lines(path):
            if line.payload is None:
                damaged.append((number, line.offset))
                if _is_last_mark(path, line):
                    ragged.add(number)
            elif line.kind == "synced":
                durable = (number, json.loads(line.payload)["upto"])
            elif line.kind == "page":
                entries.append(_entry(number, line))
    _refuse_early(root, [place for place in damaged if place < durable], ragged)
    cut_at = next((place for place in damaged if place >= durable), None)
    if cut_at is None:
        return JournalState(tuple(entries), durable, None, 0, frozenset(ragged))
    before_cut = tuple(entry for entry in entries if entry.at < cut_at)
    return JournalState(before_cut, durable, cut_at, _bytes_behind(root, cut_at), frozenset(ragged))


def _refuse_early(root: Path, damaged: list[Place], ragged: set[int]) -> None:
    for number, offset in damaged:
        if number not in ragged:
            raise StoreError(
                "damaged where it was synced: `corpus salvage` repairs it",
                where=f"{journal_path(root, number)}@{offset}",
            )


def _is_last_mark(path: Path, line: JournalLine) -> bool:
    """Whether a damaged line is what is left of the last ``synced`` line, itself never synced."""
    return line.end == path.stat().st_size and line.end - line.offset < _MARK_BYTES


def _entry(number: int, line: JournalLine) -> PageEntry:
    row = json.loads(line.payload or b"{}")
    place = (number, line.offset)
    return PageEntry(place, row["url"], row["host"], row["offset"], row["length"])


def _bytes_behind(root: Path, place: Place) -> int:
    sizes = {number: path.stat().st_size for number, path in journal_files(root)}
    later = sum(size for number, size in sizes.items() if number > place[0])
    return sizes[place[0]] - place[1] + later


def rewrite_journal(root: Path, state: JournalState, dropped: set[Place]) -> None:
    """Write the journal files without dropped rows and without what lies behind the cut.

    Each file is replaced by a rename; a crash in between is recovered from like the first. Every
    row that stays is durable now, which a ``synced`` line at the end of each file says.
    """
    for number, path in journal_files(root):
        if state.cut_at is not None and number > state.cut_at[0]:
            path.unlink()
        elif number in state.ragged or (number, path.stat().st_size) > state.durable:
            _rewrite(number, path, state, dropped)
    sync_folder(journal_folder(root))


def _rewrite(number: int, path: Path, state: JournalState, dropped: set[Place]) -> None:
    with path.open("rb") as source, write_whole(path) as target:
        for line in read_lines(path):
            place = (number, line.offset)
            if state.cut_at is not None and place >= state.cut_at:
                break
            if line.payload is None or line.kind == "synced" or place in dropped:
                continue
            source.seek(line.offset)
            target.write(source.read(line.end - line.offset))
        target.write(synced_line(target.tell()))
