"""One file of a feed: its state at the last commit, and its items since then."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast
from uuid import uuid4

from scrapy.extensions.feedexport import (
    FileFeedStorage,
    GCSFeedStorage,
    S3FeedStorage,
    StdoutFeedStorage,
)
from scrapy.extensions.postprocessing import PostProcessingManager
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import build_from_crawler

from quarkcrawl.crawl.jobs.feeds.feedfile import FeedFile, StreamSink, create_file, cut_file
from quarkcrawl.crawl.jobs.feeds.formats import continue_exporter, exporter_state
from quarkcrawl.crawl.jobs.feeds.parquet import ParquetItemExporter
from quarkcrawl.errors import InputError
from quarkcrawl.store import AppendFile, make_folder, storage_errors, sync_folder, write_whole

if TYPE_CHECKING:
    from scrapy.exporters import BaseItemExporter
    from scrapy.extensions.feedexport import FeedSlot


@dataclass(slots=True)
class BatchState:
    """What is known of a file of a feed at a commit; ``size`` is None before its first item.

    ``begin`` and ``existed`` say how the file was before the job; a file in the spool is named by
    its name there.
    """

    batch_id: int
    uri: str
    path: str
    spooled: bool
    existed: bool = False
    begin: int = 0
    size: int | None = None
    items: int = 0
    exporter: dict[str, Any] = field(default_factory=dict)

    def file(self, spool: Path) -> Path:
        """Where it lies."""
        return spool / self.path if self.spooled else Path(self.path)

    def take_away(self, spool: Path) -> None:
        """Remove what a job wrote to a file after the last commit it knows nothing of."""
        path = self.file(spool)
        with storage_errors(path):
            if not path.exists():
                return
            if self.existed:
                cut_file(path, min(self.begin, path.stat().st_size))
            else:
                path.unlink()
                sync_folder(path.parent)

    def cut(self, spool: Path) -> None:
        """Cut the file back to this state.

        Raises:
            StoreError: it is shorter, or gone.
        """
        if self.size is not None:
            cut_file(self.file(spool), self.size)


class Batch:
    """A file of a feed with its slot, which is what Scrapy's signals give.

    A local file is written in place. A feed for any other storage is written to a spool file that
    is handed to the storage at the end, as is the one of a Parquet feed, which is converted.
    """

    def __init__(self, slot: FeedSlot, spool: Path, state: BatchState | None = None) -> None:
        self.slot = slot
        self.is_parquet = issubclass(slot.exporters[slot.format], ParquetItemExporter)
        self.is_stream = not self.is_parquet and _is_stream(slot)
        self._spool = spool
        self._file: FeedFile | None = None
        self._is_new = state is None
        self.state = state or self._first_state()
        slot.itemcount = self.state.items

    def _first_state(self) -> BatchState:
        slot = self.slot
        if self.is_stream or (_is_local(slot) and not self.is_parquet):
            path = getattr(slot.storage, "path", slot.uri)
            return BatchState(slot.batch_id, slot.uri, path, spooled=False)
        # No two files of a folder get the same name, also those of jobs that are over: one of
        # them may be the only copy of a feed that could not be stored.
        name = f"{slot.batch_id:05d}-{uuid4().hex}.{slot.format}"
        return BatchState(slot.batch_id, slot.uri, name, spooled=True)

    @property
    def is_open(self) -> bool:
        """Whether items can be written."""
        return self._file is not None

    @property
    def appends(self) -> bool:
        """Whether its storage adds to what is there, so that it may be stored but once."""
        options, storage = self.slot.feed_options, self.slot.storage
        if not self.state.spooled or self.is_parquet or isinstance(storage, _REPLACING):
            return False
        return not options.get("overwrite", not isinstance(storage, FileFeedStorage))

    def prepare(self) -> None:
        """Note how the file is before it is opened for the first time.

        Raises:
            InputError: Parquet would have to be appended to it.
        """
        path, overwrite = self.state.file(self._spool), self._overwrites
        if self._is_new and self.is_parquet and _is_local(self.slot) and not overwrite:
            target = Path(cast("FileFeedStorage", self.slot.storage).path)
            if target.exists() and target.stat().st_size:
                message = "a Parquet feed cannot be appended to it; set overwrite (or -O)"
                raise InputError(message, where=target)
        self.state.existed = path.exists()
        self.state.begin = path.stat().st_size if self.state.existed and not overwrite else 0

    @property
    def _overwrites(self) -> bool:
        return bool(self.slot.feed_options.get("overwrite", False))

    def open(self) -> None:
        """Open the file, behind the items that are in it.

        Raises:
            StoreError: it cannot be opened.
        """
        slot, state = self.slot, self.state
        path = state.file(self._spool)
        sink: AppendFile | StreamSink
        if self.is_stream:
            sink = StreamSink(cast("Any", slot.storage.open(slot.spider)), slot.uri)
        elif state.size is None:
            sink = create_file(path, overwrite=state.spooled or self._overwrites)
        else:
            sink = AppendFile(path)
        self._file = FeedFile(sink, slot.feed_options, postprocessed=not self.is_parquet)
        self._begin_exporter()

    def _begin_exporter(self) -> None:
        assert self._file is not None
        buffer = self._file.renew_buffer()
        exporter = self._exporter(cast("IO[bytes]", buffer))
        self.slot.file, self.slot.exporter = cast("IO[bytes]", buffer), exporter
        if isinstance(exporter, ParquetItemExporter):
            exporter.rows = buffer
            return
        exporter.start_exporting()
        if self.slot.itemcount and not self.is_stream:
            self._file.reject()  # the head is in the file
            continue_exporter(exporter, self.state.exporter)

    def _exporter(self, file: IO[bytes]) -> BaseItemExporter:
        slot, options = self.slot, self.slot.feed_options
        return build_from_crawler(
            slot.exporters[slot.format],
            slot.crawler,
            file,
            fields_to_export=options["fields"],
            encoding=options["encoding"],
            indent=options["indent"],
            **options["item_export_kwargs"],
        )

    def export(self, item: object) -> None:
        """Write an item; one that cannot be exported leaves nothing in the file.

        Raises:
            StoreError: the device failed or is full.
        """
        assert self._file is not None
        assert self.slot.exporter is not None
        try:
            self.slot.exporter.export_item(item)
        except BaseException:
            self._file.reject()
            if not self.slot.itemcount:  # it may think that it has written the head of a table
                self._begin_exporter()
            raise
        self.slot.itemcount += 1
        self._file.accept()

    def sync(self) -> None:
        """Make the items survive a power cut, and bring the state up to them.

        Raises:
            StoreError: the device failed or is full.
        """
        if self._file is None or self.slot.itemcount == self.state.items:
            return
        assert self.slot.exporter is not None
        size = self._file.sync()
        self.state.size = None if self.is_stream else size
        self.state.items = self.slot.itemcount
        self.state.exporter = exporter_state(self.slot.exporter)

    def finish(self) -> None:
        """Write what stands at the end of the format and close the file; the state stays.

        Raises:
            StoreError: the device failed or is full.
        """
        if self._file is None:
            return
        assert self.slot.exporter is not None
        try:
            if not self.is_parquet:
                self.slot.exporter.finish_exporting()
            self._file.accept()
            self._file.sync(at_end=True)
        finally:
            self._file.close()
            self._file = None

    def roll_back(self) -> None:
        """After a failure: go back to the last sync, from where the feed can be ended or continued.

        Raises:
            StoreError: that fails, too.
        """
        if self._file is not None:
            self._file.close()
            self._file = None
        self.slot.itemcount = self.state.items
        if self.is_stream:
            return
        if self.state.size is None:
            self.state.take_away(self._spool)
        else:
            self.state.cut(self._spool)

    async def store(self) -> None:
        """Hand the file to its storage.

        Raises:
            Exception: whatever the storage raises.
        """
        if not self.state.spooled:
            return
        rows = self.state.file(self._spool)
        if self.is_parquet and _is_local(self.slot):
            await asyncio.to_thread(self._replace_local, rows)
            return
        storage = self.slot.storage
        target_file = storage.open(self.slot.spider)
        await asyncio.to_thread(self._copy, rows, target_file)
        await ensure_awaitable(storage.store(target_file))

    def _replace_local(self, rows: Path) -> None:
        target = Path(cast("FileFeedStorage", self.slot.storage).path).resolve()
        with storage_errors(target):
            make_folder(target.parent)
            with write_whole(target) as file:
                self._copy(rows, file)
            sync_folder(target.parent)

    def _copy(self, rows: Path, target: Any) -> None:
        with rows.open("rb") as source:
            if not self.is_parquet:
                shutil.copyfileobj(source, target, 1 << 20)
                return
            options = self.slot.feed_options
            plugins = options.get("postprocessing", ())
            packed = PostProcessingManager(plugins, target, options) if plugins else target
            exporter = self._exporter(cast("IO[bytes]", packed))
            assert isinstance(exporter, ParquetItemExporter)
            exporter.convert(source)
            if plugins:
                packed.close()

    @property
    def is_stored(self) -> bool:
        """Whether an earlier process has stored it: then its file is no longer in the spool."""
        return self.state.spooled and not self.state.file(self._spool).exists()

    @property
    def spool_file(self) -> Path | None:
        """Its file in the spool, if it has one."""
        return self.state.file(self._spool) if self.state.spooled else None


_REPLACING = (S3FeedStorage, GCSFeedStorage)


def _is_local(slot: FeedSlot) -> bool:
    """Whether it is a local file by Scrapy's own storage, not by another one for files."""
    return type(slot.storage) is FileFeedStorage


def _is_stream(slot: FeedSlot) -> bool:
    storage = slot.storage
    if not _is_local(slot):
        return isinstance(storage, StdoutFeedStorage)
    path = Path(cast("FileFeedStorage", storage).path)
    return path.exists() and not path.is_file()
