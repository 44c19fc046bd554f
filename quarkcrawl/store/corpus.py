"""A corpus for reading: rows, records, pages. Needs no lock, also while a crawl writes."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quarkcrawl.page import Page
from quarkcrawl.store.info import CorpusInfo, collect_info
from quarkcrawl.store.layout import record_file, record_sizes
from quarkcrawl.store.marker import check_marker, create_marker
from quarkcrawl.store.storagepath import StoragePath
from quarkcrawl.store.tables import iter_rows, open_table
from quarkcrawl.store.tianwang import read_at, split_reply
from quarkcrawl.store.workingcopy import copy_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow.dataset as ds

    from quarkcrawl.store.tables import (
        DropRow,
        DuplicateRow,
        PageRow,
        RedirectRow,
        RowKind,
        VisitRow,
    )
    from quarkcrawl.store.tianwang import TianwangRecord


class Corpus:
    """A folder of page.dat files and analysis tables.

    >>> corpus = Corpus.open("corpus")                              # doctest: +SKIP
    >>> for row in corpus.pages():                                  # doctest: +SKIP
    ...     print(row.url, row.title, len(corpus.page(row).links))
    """

    def __init__(self, root: Path | str) -> None:
        place = StoragePath(str(root))
        self.root = _copied(place) if place.is_uri else Path(root)
        self._copy: weakref.finalize[..., Corpus] | None = None
        if place.is_uri:
            self._copy = weakref.finalize(self, shutil.rmtree, self.root, ignore_errors=True)
        check_marker(self.root)

    @classmethod
    def open(cls, root: Path | str) -> Corpus:
        """Open a corpus.

        Args:
            root: its folder, or a URI such as ``s3://bucket/corpus``: then the tables are copied
                to this machine until the corpus is no longer used (after `table`, until the
                program ends), and records are read by range.

        Raises:
            StoreError: the folder is none.
        """
        return cls(root)

    @classmethod
    def create(cls, root: Path | str) -> Corpus:
        """Make an empty corpus, or open the one that is there.

        Args:
            root: its folder.

        Raises:
            StoreError: the folder holds other things or cannot be written.
        """
        create_marker(Path(root))
        return cls(root)

    def hosts(self) -> Iterator[str]:
        """Hosts with a page.dat, by bucket and name."""
        for host, _ in record_sizes(self.root):
            yield host

    def pages(self) -> Iterator[PageRow]:
        """Rows of the stored pages."""
        yield from cast("Iterator[PageRow]", iter_rows(self.root, "page"))  # which holds self

    def duplicates(self) -> Iterator[DuplicateRow]:
        """Rows of pages dropped as exact duplicates."""
        yield from cast("Iterator[DuplicateRow]", iter_rows(self.root, "duplicate"))

    def redirects(self) -> Iterator[RedirectRow]:
        """Rows of redirects."""
        yield from cast("Iterator[RedirectRow]", iter_rows(self.root, "redirect"))

    def drops(self) -> Iterator[DropRow]:
        """Rows of URLs that ended without being stored."""
        yield from cast("Iterator[DropRow]", iter_rows(self.root, "drop"))

    def visits(self) -> Iterator[VisitRow]:
        """Rows of stored pages that were asked for again and had no new version."""
        yield from cast("Iterator[VisitRow]", iter_rows(self.root, "visit"))

    def versions(self) -> Iterator[PageRow]:
        """Rows of the versions of pages before those of `pages`."""
        yield from cast("Iterator[PageRow]", iter_rows(self.root, "version"))

    def table(self, kind: RowKind = "page") -> ds.Dataset:
        """One table as a pyarrow dataset, rows still in the journal included.

        Args:
            kind: name of the table.
        """
        if self._copy is not None and self._copy.detach():  # what is made of it may outlive all
            atexit.register(shutil.rmtree, self.root, ignore_errors=True)
        return open_table(self.root, kind)

    def read(self, row: PageRow) -> TianwangRecord:
        """The stored record of a page.

        Args:
            row: row of the page.

        Raises:
            DamagedRecordError: it is not there or not whole.
        """
        return read_at(record_file(self.root, row.host), row.offset, row.length)

    def page(self, row: PageRow) -> Page:
        """The stored page, parsed as it was in the crawl.

        Args:
            row: row of the page.

        Raises:
            DamagedRecordError: the record is not there or not whole.
        """
        reply = split_reply(self.read(row).data)
        return Page.from_bytes(reply.body, row.url, reply.content_type)

    def info(self) -> CorpusInfo:
        """Counts and sizes."""
        return collect_info(self.root)


def _copied(place: StoragePath) -> Path:
    """A copy of the tables of a corpus elsewhere."""
    copy = Path(tempfile.mkdtemp(prefix="quarkcrawl-"))
    try:
        copy_tables(place, copy)
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    return copy
