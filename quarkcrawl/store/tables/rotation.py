"""From one journal file to the next, and when the closed ones may go."""

from __future__ import annotations

import contextlib
import ctypes
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyarrow as pa

from quarkcrawl.errors import StoreError
from quarkcrawl.store.tables.compaction import compact
from quarkcrawl.store.tables.journal import journal_files, journal_path, open_journal
from quarkcrawl.store.tables.merge import merge_parts
from quarkcrawl.store.tables.parts import last_number

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from quarkcrawl.store.appendfile import AppendFile


logger = logging.getLogger(__name__)

_M_MMAP_THRESHOLD = -3  # malloc.h
MERGES_PER_ROTATION = 16
"""All buckets of a large crawl are due for a merge at once: a few at a time leave the crawl its
CPU and keep its memory even. Each rotation still removes more parts than it adds."""


class Rotation:
    """Keeps the active journal file; closes it at a cut once it is large enough.

    A closed file waits until the group at whose cut it was closed is acknowledged. Then
    ``on_rotate`` is called and a thread compacts the file. A compaction that fails (disk full)
    leaves the file and all later ones where they are, to be tried again at the next rotation or
    by the next writer; `close` says why the last one failed. Never out of order: readers take
    parts from the first journal file on for unfinished ones, and a merged part stands for every
    number in its span.

    Args:
        root: the corpus.
        rotate_bytes: see `CorpusWriter`.
        on_rotate: see `CorpusWriter`.
    """

    def __init__(self, root: Path, rotate_bytes: int, on_rotate: Callable[[], None] | None) -> None:
        self._root = root
        self._rotate_bytes = rotate_bytes
        self._on_rotate = on_rotate
        # Arrow's own allocator keeps what a compaction took for good: after merging 60,000 rows
        # 65 MB with 12 in use at most; malloc keeps 10, at the same speed.
        pa.set_memory_pool(pa.system_memory_pool())
        _map_large_blocks()
        self._thread = ThreadPoolExecutor(1, "quarkcrawl-compact")
        self._due: list[int] = []  # the thread's own
        self.force = False
        self.is_closing = False
        self._cut_error: StoreError | None = None
        self._error: StoreError | None = None  # the thread's
        numbers = [number for number, _ in journal_files(root)]
        self.number = numbers[-1] if numbers else last_number(root) + 1
        # Journal file → group whose acknowledgement frees it; 0: closed before this writer.
        self._closed = dict.fromkeys(numbers[:-1], 0)
        self.journal: AppendFile = open_journal(root, self.number)

    def cut_at(self, group: int) -> None:
        """The group of that number was cut: the place to change files."""
        full = self.journal.size >= self._rotate_bytes or (self.force and self.journal.size)
        self.force = False
        if not full:
            return
        try:
            following = open_journal(self._root, self.number + 1)
        except StoreError as error:  # no room for a new file: the old one will do
            self._cut_error = error
            return
        self._cut_error = None
        self._closed[self.number] = group
        self.journal.release()
        self.journal = following
        self.number += 1

    def acknowledged(self, group: int) -> None:
        """All leases up to the group of that number have ended."""
        free = [number for number, last in self._closed.items() if last <= group]
        if not free:
            return
        if self._on_rotate is not None:
            self._on_rotate()
        for number in free:
            del self._closed[number]
        self._thread.submit(self._compact, free)

    def _compact(self, numbers: list[int]) -> None:
        self._due += numbers
        try:
            while self._due:
                if journal_path(self._root, self._due[0]).exists():  # else: failed at its very end
                    compact(self._root, self._due[0])
                del self._due[0]
            _trim()
            merge_parts(self._root, limit=MERGES_PER_ROTATION)
            _trim()
        except StoreError as error:
            self._error = error
        except (MemoryError, pa.ArrowException) as error:
            self._error = StoreError(repr(error), where=self._root)
        except Exception as error:  # a thread must not die in silence
            self._error = StoreError(repr(error), where=self._root)
            logger.exception("compaction failed")  # whatever this is, its place is wanted
        else:
            self._error = None
            return
        if not self.is_closing:
            logger.warning("compaction failed, the next one makes it up: %s", self._error)

    def close(self) -> None:
        """Wait for the compaction and let go of the active file.

        Raises:
            StoreError: the last compaction failed; its rows are still in the journal.
        """
        self._thread.shutdown()
        empty = self.journal.size == 0
        self.journal.release()
        if empty:
            with contextlib.suppress(OSError):
                journal_path(self._root, self.number).unlink()
        if error := self._cut_error or self._error:
            message = f"compaction failed, the next run makes it up: {error.message}"
            raise type(error)(message, where=error.where) from error


def _trim() -> None:
    """Give freed memory back (malloc_trim): a compaction takes some 70 MB for a moment."""
    pa.default_memory_pool().release_unused()


def _map_large_blocks() -> None:
    """Have malloc map blocks of a mebibyte and more, so that they go back when they are freed.

    glibc raises that bound by itself to the largest block ever freed; then the buffers of one
    compaction (tens of megabytes) stay in the heap below later small blocks.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 1 << 20)
