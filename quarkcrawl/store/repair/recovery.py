"""After a crash: back to the last moment at which pages and rows agreed.

A killed process leaves at most one record without a row, or one torn line. A power cut may leave
any part of what was not synced: such pages were never acknowledged and will be fetched again, so
their records and rows are removed and nothing is stored twice. In detail, with the lock held:

1. The journal is cut at the first damaged line behind its last ``synced`` line.
2. Page rows behind that line are checked against their records; from the first bad one of a host
   on, its rows are dropped.
3. Every page.dat longer than its rows say is cut. What is cut is first copied to
   ``salvage/cut-…``: should the rows have been lost in another way, `salvage` finds the pages.

A corpus without journal files was closed properly, and nothing is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quarkcrawl.errors import DamagedRecordError, StoreError
from quarkcrawl.store.appendfile import storage_errors, sync_file
from quarkcrawl.store.layout import page_dat_path, stored_files
from quarkcrawl.store.marker import SALVAGE_NOTE
from quarkcrawl.store.repair.cuts import FileCut, cut_files
from quarkcrawl.store.tables import (
    JournalState,
    PageEntry,
    delete_covered,
    journal_files,
    read_state,
    record_ends,
    rewrite_journal,
)
from quarkcrawl.store.tianwang import read_at, url_text

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was found and done at opening.

    Args:
        rows_checked: page rows behind the last ``synced`` line.
        rows_dropped: rows of them whose records had not reached the disk.
        journal_bytes_cut: torn or unsynced bytes cut from the journal.
        cuts: page.dat files that had more than their rows say.
    """

    rows_checked: int = 0
    rows_dropped: int = 0
    journal_bytes_cut: int = 0
    cuts: tuple[FileCut, ...] = ()

    @property
    def nothing_done(self) -> bool:
        """Whether the corpus was as it should be."""
        return not (self.rows_dropped or self.journal_bytes_cut or self.cuts)


def recover(root: Path) -> Recovery:
    """Bring a corpus back to a state in which each record has its row and each row its record.

    The caller holds the lock.

    Raises:
        StoreError: a page.dat is shorter than acknowledged rows say (`salvage` repairs that), or
            the folder cannot be written.
    """
    root = Path(root)
    if (root / SALVAGE_NOTE).exists():
        raise StoreError("a salvage was interrupted: run `corpus salvage` again", where=root)
    with storage_errors(root):
        delete_covered(root)
        return _recover(root) if journal_files(root) else Recovery()


def _recover(root: Path) -> Recovery:
    state = read_state(root)
    suspects = [entry for entry in state.entries if entry.at >= state.durable]
    dropped = _without_record(root, suspects)
    ends = _ends(root, state, dropped)
    cuts = cut_files(root, _surplus(root, ends))
    if suspects or state.cut_at is not None or state.ragged:
        for host in {entry.host for entry in suspects} & ends.keys():
            sync_file(page_dat_path(root, host))
        rewrite_journal(root, state, {entry.at for entry in dropped})
    return Recovery(len(suspects), len(dropped), state.bytes_cut, tuple(cuts))


def _without_record(root: Path, suspects: Iterable[PageEntry]) -> list[PageEntry]:
    """Entries from the first bad record of their host on."""
    bad_hosts: set[str] = set()
    dropped = []
    for entry in suspects:
        if entry.host not in bad_hosts and not _is_stored(root, entry):
            bad_hosts.add(entry.host)
        if entry.host in bad_hosts:
            dropped.append(entry)
    return dropped


def _is_stored(root: Path, entry: PageEntry) -> bool:
    try:
        record = read_at(page_dat_path(root, entry.host), entry.offset, entry.length)
    except (DamagedRecordError, StoreError):
        return False
    return url_text(record.url) == entry.url


def _ends(root: Path, state: JournalState, dropped: list[PageEntry]) -> dict[str, int]:
    """Where the rows say that each host's records end."""
    ends = record_ends(root)
    gone = {entry.at for entry in dropped}
    for entry in state.entries:
        if entry.at not in gone:
            ends[entry.host] = max(ends.get(entry.host, 0), entry.offset + entry.length)
    return ends


def _surplus(root: Path, ends: dict[str, int]) -> list[FileCut]:
    """Files with more bytes than their rows say.

    Raises:
        StoreError: a file has less.
    """
    surplus = []
    missing = set(ends)
    for _, host, path in stored_files(root):
        if path != page_dat_path(root, host):
            continue  # in a folder where we would never write; a matter for verify
        missing.discard(host)
        end, size = ends.get(host, 0), path.stat().st_size
        if size < end:
            raise StoreError(
                f"{size} bytes, but acknowledged rows say {end}: `corpus salvage` repairs it",
                where=path,
            )
        if size > end:
            surplus.append(FileCut(path, host, end, size - end))
    for host in missing:
        where = page_dat_path(root, host)
        raise StoreError("missing, but rows point at it: `corpus salvage` repairs it", where=where)
    return surplus
