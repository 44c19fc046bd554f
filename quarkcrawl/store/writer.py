"""The one writer of a corpus: pages and rows in, groups out.

    writer = CorpusWriter(root)
    writer.append_page(item)        # one write to the host's page.dat, one to the journal
    group = writer.cut()            # everything so far, as a group …
    group.sync()                    # … made durable (any thread, while the owner goes on)
    frontier.acknowledge(endings)   # only now may the leases end
    group.acknowledged()            # and only now may a full journal file be compacted

The page is written before its row, so a row never points at nothing; recovery removes a record
whose row did not make it. When the device is full, both are taken back.
"""

from __future__ import annotations

import dataclasses
import shutil
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarkcrawl.errors import StoreError
from quarkcrawl.progress import no_progress
from quarkcrawl.store.appendfile import new_folder
from quarkcrawl.store.group import Appended, Group, GroupCommit
from quarkcrawl.store.hostfiles import HostFiles
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.marker import check_marker, create_marker
from quarkcrawl.store.repair import Recovery, recover
from quarkcrawl.store.tables import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Rotation,
    VisitRow,
    encode_row,
    frame,
    page_row,
    settle_versions,
)
from quarkcrawl.store.tianwang import TianwangRecord, build_reply, encode_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quarkcrawl.page import PageItem
    from quarkcrawl.progress import Progress
    from quarkcrawl.store.appendfile import AppendFile


ROTATE_BYTES: Final = 32 * 1024 * 1024
"""Size at which a journal file is closed; some two thousand pages with links and blocks. Each
compaction writes a part for each of up to 256 buckets, at 3.5 ms of CPU however small it is.

Compaction holds one file's rows in memory, about three times this.
"""


class CorpusWriter(AbstractContextManager["CorpusWriter"]):
    """Appends to a corpus, which it makes if need be; a context manager.

    Not thread-safe but for `Group.sync`: one thread owns it.

    Args:
        root: folder of the corpus.
        max_open_files: page.dat files kept open.
        rotate_bytes: size at which a journal file is closed and, once all its groups are
            acknowledged, compacted to Parquet in a thread.
        on_rotate: called, in the owner's thread, before a closed journal file is compacted and
            deleted; a crawl checkpoints its frontier here.

    Raises:
        CorpusLockedError: another writer holds the corpus.
        StoreError: the folder cannot be used.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        max_open_files: int = 256,
        rotate_bytes: int = ROTATE_BYTES,
        on_rotate: Callable[[], None] | None = None,
    ) -> None:
        self.root = Path(root)
        create_marker(self.root)
        self._lock = CorpusLock(self.root)
        try:
            self.recovery: Recovery = recover(self.root)
            self._rotation = Rotation(self.root, rotate_bytes, on_rotate)
        except BaseException:
            self._lock.release()
            raise
        self._files = HostFiles(self.root, max_open_files)
        self._commit = GroupCommit(self._rotation.acknowledged)
        self._grown: dict[str, AppendFile] = {}
        self._n_rows = 0
        self._error: StoreError | None = None
        self._closed = False

    def append_page(self, item: PageItem) -> PageRow:
        """Store a page and its row.

        Args:
            item: the page with its analysis.

        Raises:
            InputError: the item cannot be stored (host is no folder name, body too large).
            StorageFullError: no room; nothing of the page remains, all before it is good.
            StoreError: the device failed, or failed before.
        """
        self._check()
        head = item.fetched
        reply, packed = b"", None
        if item.packed is not None and item.packed.body is item.body:
            packed = item.packed[:2]
        else:
            reply = build_reply(*head.reply_head, item.body)
        record = TianwangRecord(head.url, int(head.fetched_at), head.ip, reply, head.origin)
        row = page_row(head, item.page, links=item.links, flags=item.flags, analysis=item.analysis)
        return self.append_stored(encode_record(record, packed=packed), row)

    def append_stored(self, record: bytes, row: PageRow) -> PageRow:
        """Store a page whose record is made: the record as it is, its row with the new place.

        Args:
            record: the record, such as it is in another corpus.
            row: its row there.

        Raises:
            InputError: the host is no folder name.
            StorageFullError: no room; nothing of the page remains, all before it is good.
            StoreError: the device failed, or failed before.
        """
        self._check()
        file = self._files.get(row.host)
        row = dataclasses.replace(row, offset=file.size, length=len(record))
        line = frame(encode_row(row))
        self._note(file)  # first: what is taken back must be gone from the disk too
        self._append(file, record)
        try:
            self._append(self._rotation.journal, line)
        except StoreError as error:
            file.take_back(row.offset)
            if file.broken:  # it still holds the record: later rows would point beside theirs
                self._error = error
            raise
        self._n_rows += 1
        return row

    def append_row(self, row: DuplicateRow | RedirectRow | DropRow | VisitRow) -> None:
        """Store the row of a URL without a page, or without a new one.

        Args:
            row: duplicate, redirect, drop or visit.

        Raises:
            StorageFullError: no room; nothing of the row remains, all before it is good.
            StoreError: the device failed, or failed before.
        """
        self._check()
        self._append(self._rotation.journal, frame(encode_row(row)))
        self._n_rows += 1

    def _append(self, file: AppendFile, data: bytes) -> None:
        try:
            file.append(data)
        except StoreError as error:
            if file.broken:
                self._error = error
            raise

    def _note(self, file: AppendFile) -> None:
        """Remember that the group writes to this file; the group holds a use of it."""
        key = str(file.path)
        file_before = self._grown.get(key)
        if file_before is not file:
            self._grown[key] = file.retain()
            if file_before is not None:  # evicted and opened again within the group: same inode
                file_before.release()

    def cut(self) -> Group:
        """A group of everything appended since the last cut; it may be empty."""
        self._check()
        journal = self._rotation.journal
        appended = Appended(
            n_rows=self._n_rows,
            files=tuple(self._grown.values()),
            folders=self._files.take_new_folders(),
            journal=journal.retain(),
            journal_end=journal.size,
        )
        self._grown = {}
        self._n_rows = 0
        group = self._commit.add(appended)
        self._rotation.cut_at(group.number)
        return group

    def sync(self) -> Group:
        """Cut and sync in one go; the group still has to be `Group.acknowledged`."""
        group = self.cut()
        group.sync()
        return group

    def rotate(self) -> None:
        """Sync, close the journal file and compact it in a thread, whatever its size.

        Everything appended so far counts as acknowledged.
        """
        self._check()
        self._rotation.force = True
        self.sync().acknowledged()

    def commit(self, n_rows: int = 1) -> None:
        """Sync what was appended once it is so many rows; all of it counts as acknowledged.

        Args:
            n_rows: least number of rows.
        """
        if self._n_rows >= n_rows:
            self.sync().acknowledged()

    def _check(self) -> None:
        if self._closed:
            raise StoreError("the writer is closed", where=self.root)
        error = self._error or self._commit.error
        if error is not None:
            raise StoreError(f"the writer stopped: {error}", where=self.root) from error

    def close(self) -> None:
        """Sync, compact all journal files and let go of the corpus; safe to call twice.

        Everything appended so far counts as acknowledged. After an error nothing more is
        written; what is durable stays so, and the next writer's recovery sees to the rest.

        Raises:
            StorageFullError: no room; what is durable stays so, and rows stay in the journal.
            StoreError: the device or the compaction failed, likewise.
        """
        if self._closed:
            return
        try:
            self._rotation.is_closing = True
            if self._error is None and self._commit.error is None:
                self.rotate()
        finally:
            self._closed = True
            self._release()

    def _release(self) -> None:
        for file in self._grown.values():
            file.release()
        self._grown = {}
        self._commit.close()
        self._files.close()
        try:
            self._rotation.close()
        finally:
            self._lock.release()

    def __exit__(self, *_: object) -> None:
        self.close()


def settle_corpus(root: Path, *, on_progress: Progress = no_progress) -> int:
    """Give each page one row again, after a run that kept versions was killed.

    Args:
        root: the corpus, to which nobody writes.
        on_progress: is told of files that were looked at.

    Returns:
        How many rows were moved to the table of versions.

    Raises:
        CorpusLockedError: a writer holds the corpus.
        StorageFullError: no room; nothing is lost.
        StoreError: the folder is no corpus, or the device failed.
    """
    check_marker(root)
    CorpusWriter(root).close()  # what a kill has left in the journal
    with CorpusLock(root):
        return settle_versions(root, on_progress)


@contextmanager
def new_corpus(out: Path, suffix: str) -> Iterator[CorpusWriter]:
    """A writer of a corpus that appears under its name once the block has ended well.

    Args:
        out: folder of the corpus; it must not be there.
        suffix: what its name ends with until then; what an earlier run left there is removed.

    Raises:
        StorageFullError: no room; what was written is removed.
        StoreError: the device failed, or something else has the name of the draft.
    """
    with corpus_draft(out, suffix) as draft, CorpusWriter(draft) as writer:
        yield writer


@contextmanager
def corpus_draft(out: Path, suffix: str) -> Iterator[Path]:
    """Name of a folder for a corpus that gets its own name once the block has ended well.

    Args:
        out: folder of the corpus; it must not be there.
        suffix: what its name ends with until then; what an earlier run left there is removed.

    Raises:
        StorageFullError: no room; what was written is removed.
        StoreError: the device failed, or something else has the name of the draft.
    """
    draft = out.with_name(out.name + suffix)
    with new_folder(out, draft, _remove_draft):
        yield draft


def _remove_draft(draft: Path) -> None:
    """Remove an incomplete corpus; it holds copies only."""
    if draft.is_dir() and not any(draft.iterdir()):  # no room for the marker
        draft.rmdir()
    elif draft.exists():
        check_marker(draft)  # nothing but a corpus is removed
        shutil.rmtree(draft)
