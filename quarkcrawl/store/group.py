"""Group commit: many pages and rows, one moment at which all of them are durable."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.errors import StoreError
from quarkcrawl.store.appendfile import AppendFile, storage_errors, sync_folder
from quarkcrawl.store.tables import synced_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path


_SYNC_THREADS = 8
_POOL_FROM = 4  # files; fewer are synced one after the other


@dataclass(frozen=True, slots=True)
class Appended:
    """What was appended between two cuts; holds a use of each file.

    Args:
        n_rows: rows of all kinds.
        files: page.dat files that grew, or did for a moment.
        folders: folders with new entries.
        journal: the journal file that grew, and ``journal_end``, its size at the cut.
    """

    n_rows: int
    files: Sequence[AppendFile]
    folders: Iterable[Path]
    journal: AppendFile
    journal_end: int

    def release(self) -> None:
        """Give the uses back."""
        for file in (*self.files, self.journal):
            file.release()


class Group:
    """Everything appended between two cuts.

    `sync` may run in any thread while the writer goes on. The caller then ends the leases of the
    group's pages, and says so with `acknowledged`: a journal file is compacted, and with that
    forgotten for recovery, only when all its groups are acknowledged.
    """

    def __init__(self, appended: Appended, number: int, commit: GroupCommit) -> None:
        self.number = number
        self.n_rows = appended.n_rows
        self.synced = False
        self.appended = appended
        self._commit = commit

    def sync(self) -> None:
        """Make the group, and all groups before it, durable. Idempotent, thread-safe.

        Raises:
            StoreError: the device failed (`StorageFullError`: is full). The group must not be
                acknowledged; the writer takes no more pages until it is opened anew.
        """
        self._commit.sync_upto(self)

    def acknowledged(self) -> None:
        """Say that the leases of this group and of all groups before it have ended.

        Call it in the thread that owns the writer: it may run ``on_rotate``.

        Raises:
            StoreError: the group is not synced.
        """
        if not self.synced:
            raise StoreError("a group can be acknowledged only after its sync")
        self._commit.on_acknowledged(self.number)


class GroupCommit:
    """Syncs groups in the order in which they were cut.

    Order matters for the ``synced`` line of the journal, which speaks for all bytes before it.

    Args:
        on_acknowledged: told the number of a group when a caller acknowledges it.
    """

    def __init__(self, on_acknowledged: Callable[[int], None]) -> None:
        self.on_acknowledged = on_acknowledged
        self.error: StoreError | None = None
        self._pending: list[Group] = []
        self._n_groups = 0
        self._order = threading.Lock()  # held while syncing
        self._pool: ThreadPoolExecutor | None = None

    def add(self, appended: Appended) -> Group:
        """A new group, to be synced when its owner says so."""
        self._n_groups += 1
        group = Group(appended, self._n_groups, self)
        self._pending.append(group)
        return group

    def sync_upto(self, last: Group) -> None:
        """Sync all pending groups up to ``last``; see `Group.sync`."""
        with self._order:
            if last.synced:
                return
            if self.error is not None:
                raise self.error
            batch = [group for group in self._pending if group.number <= last.number]
            try:
                self._sync([g.appended for g in batch if g.n_rows or g.appended.files])
            except StoreError as error:
                self.error = error
                raise
            del self._pending[: len(batch)]
            for group in batch:
                group.appended.release()
                group.synced = True

    def _sync(self, parts: list[Appended]) -> None:
        self._sync_files(list({id(f): f for part in parts for f in part.files}.values()))
        for folder in {folder for part in parts for folder in part.folders}:
            with storage_errors(folder):
                sync_folder(folder)
        ends = {id(part.journal): part for part in parts}  # the last part of each journal file
        for part in ends.values():
            part.journal.sync()
            with contextlib.suppress(StoreError):  # only a hint that spares recovery some work
                part.journal.append(synced_line(part.journal_end))

    def _sync_files(self, files: Sequence[AppendFile]) -> None:
        """fdatasync; of several files at once, so that they share the file system's commits.

        On ext4, 64 files of one record each take 15 ms in turn, 6 to 11 ms with eight threads.
        """
        if len(files) < _POOL_FROM:
            for file in files:
                file.sync()
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_SYNC_THREADS, "quarkcrawl-sync")
        list(self._pool.map(AppendFile.sync, files))

    def close(self) -> None:
        """Give up groups that were never synced and stop the threads."""
        with self._order:
            for group in self._pending:
                group.appended.release()
            self._pending.clear()
            if self._pool is not None:
                self._pool.shutdown()
                self._pool = None
