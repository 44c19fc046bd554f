"""The extension that takes the place of Scrapy's feed exporter in a durable job."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter, apply_uri_params
from scrapy.utils.project import data_path

from quarkcrawl.crawl.jobs.feeds.feed import Feed, FeedState
from quarkcrawl.crawl.jobs.feeds.formats import check_continued
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot

    from quarkcrawl.crawl.jobs.feeds.batch import Batch


_LOG: Final = logging.getLogger(__name__)
_UNEXPORTED: Final = "feedexport/unexported_count"

_MOST_STORES: Final = 2
"""At a time; converting rows to Parquet takes memory."""


class JobFeeds(FeedExporter):
    """Scrapy's feeds, each item exactly once whenever the process dies.

    It does nothing by itself: the job's scheduler calls `restore` before the first item, `write`
    and `sync` in each commit, and `close` at the end. What ``FEEDS`` says means what Scrapy's
    manual says, but that a feed appears in its storage (S3, FTP, a custom one; Parquet) when
    the file is full or the job ends.

    Args:
        crawler: its settings have ``FEEDS``.

    Raises:
        NotConfigured: there are no feeds, or one that Scrapy refuses.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._open_feeds: list[Feed] = []
        self._commit: Callable[[Mapping[str, str]], None]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._storing: set[asyncio.Task[None]] = set()
        self._stores = asyncio.Semaphore(_MOST_STORES)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy; connects to no signal."""
        return cls(crawler)

    def restore(
        self,
        states: Mapping[str, str],
        commit: Callable[[Mapping[str, str]], None],
        *,
        folder: Path | None = None,
    ) -> None:
        """Make all feeds what they were at a commit; call it before the first `write`.

        Called again, it takes back what was written since that commit.

        Args:
            states: those of the last commit, by feed; none for a new job.
            commit: adds states to those of the last commit and makes them durable at once. It is
                called before a file is made, so that one knows after a kill what to remove, and
                in `close`.
            folder: that of the job, where files wait for their storage; None: ``JOBDIR``, or
                ``.scrapy/jobs/SPIDER`` of the project.

        Raises:
            ConfigError: a feed cannot be continued, or was begun with other options.
            StoreError: the file of a feed is gone, or shorter than it was.
        """
        for feed in self._open_feeds:  # those of a group that does not count after all
            feed.batch.roll_back()
        self._commit = commit
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        for template, options in self.feeds.items():
            check_continued(template, options, self.exporters[options["format"]])
        spool = self._spool(folder)
        for template in states.keys() - self.feeds.keys():
            FeedState.from_text(states[template], template).restore(spool)
            _LOG.warning("Feed %s of this job is not in FEEDS any more: it ends here", template)
        self._open_feeds = []
        for template, options in self.feeds.items():
            feed = Feed(template, options, self.filters[template], self._slot)
            feed.restore(states.get(template), spool, commit)
            self._open_feeds.append(feed)
        self.slots = [feed.batch.slot for feed in self._open_feeds]

    def _spool(self, folder: Path | None) -> Path:
        if folder is None:
            spider = self.crawler.spider
            assert spider is not None
            folder = Path(self.settings["JOBDIR"] or data_path(f"jobs/{spider.name}"))
        return folder.absolute() / "feeds"

    def _slot(
        self, template: str, batch_id: int, *, uri: str = "", previous: FeedSlot | None = None
    ) -> FeedSlot:
        spider, options = self.crawler.spider, self.feeds[template]
        assert spider is not None
        if not uri:
            params = self._get_uri_params(spider, options["uri_params"], previous)
            uri = apply_uri_params(template, params)
        return self._start_new_batch(
            batch_id=batch_id,
            uri=uri,
            feed_options=options,
            spider=spider,
            uri_template=template,
        )

    def write(self, items: Sequence[object]) -> None:
        """Write items to the feeds that accept them.

        One that a format cannot express is logged, counted and left out, as by Scrapy. A call
        says that the states of the last `sync` are committed.

        Args:
            items: in the order of the feeds.

        Raises:
            StoreError: a device failed or is full; then only `close` may be called.
        """
        self._store_synced()
        for item in items:
            for feed in self._open_feeds:
                try:
                    feed.write(item)
                except QuarkError:
                    raise
                except Exception:  # noqa: BLE001 - of an exporter, a serializer, a filter
                    where = feed.batch.slot.uri
                    _LOG.error("Item not written to %s: %r", where, item, exc_info=True)
                    self._count(_UNEXPORTED)
        self.slots = [feed.batch.slot for feed in self._open_feeds]

    def sync(self) -> Mapping[str, str]:
        """Make everything written so far survive a power cut.

        Returns:
            States that changed since the last call, to be committed with the requests whose items
            they hold.

        Raises:
            StoreError: a device failed or is full; then only `close` may be called.
        """
        self._store_synced()
        return _changes((feed, feed.sync()) for feed in self._open_feeds)

    async def close(self, *, finished: bool = False) -> None:
        """End all files and hand them to their storages; one that fails is logged and counted.

        Of a job that is to go on, too, files are valid then; the next process cuts off what stands
        at their end. A call says that the states of the last `sync` are committed.

        Args:
            finished: nothing waits any more. Otherwise files for storages are kept for the
                next process, too, and those that would be appended to a remote file are not stored.
        """
        if any(feed.failed for feed in self._open_feeds):
            # All of them, so that there is room for what stands at the ends.
            for feed in self._open_feeds:
                self._logged(feed, feed.batch.roll_back)
        ends = [(feed, self._logged(feed, feed.end)) for feed in self._open_feeds]
        self._begin_storing()
        while self._storing:
            await asyncio.wait(self._storing)
        for feed, batch in ends:
            if batch is not None and (finished or not batch.appends):
                await self._store(feed, batch, keep=not finished)
        if states := _changes((feed, feed.changed()) for feed in self._open_feeds):
            self._commit(states)
        await self.crawler.signals.send_catch_log_async(signals.feed_exporter_closed)

    def _logged(self, feed: Feed, step: Callable[[], Batch | None]) -> Batch | None:
        try:
            return step()
        except QuarkError as error:
            _LOG.error("Feed not ended: %s", error)
            self._count(f"feedexport/failed_count/{type(feed.batch.slot.storage).__name__}")
            return None

    def _store_synced(self) -> None:
        """Begin to store the files that were full at the last commit."""
        if self._loop is not None and any(feed.unhanded for feed in self._open_feeds):
            self._loop.call_soon_threadsafe(self._begin_storing)

    def _begin_storing(self) -> None:
        for feed in self._open_feeds:
            for batch in feed.unhanded:
                task = asyncio.ensure_future(self._store(feed, batch))
                self._storing.add(task)
                task.add_done_callback(self._storing.discard)
            feed.unhanded = []

    async def _store(self, feed: Feed, batch: Batch, *, keep: bool = False) -> None:
        slot = batch.slot
        storage = type(slot.storage).__name__
        message = f"{slot.format} feed ({slot.itemcount} items) in: {slot.uri}"
        try:
            async with self._stores:
                await batch.store()
        except Exception:  # noqa: BLE001 - of a storage, also a custom one
            spool_note = f"; its content is kept in {batch.spool_file}" if batch.spool_file else ""
            _LOG.error("Error storing %s%s", message, spool_note, exc_info=True)
            self._count(f"feedexport/failed_count/{storage}")
        else:
            _LOG.info("Stored %s", message)
            self._count(f"feedexport/success_count/{storage}")
            if not keep:
                feed.forget(batch)
        await self.crawler.signals.send_catch_log_async(signals.feed_slot_closed, slot=slot)

    def _count(self, name: str) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(name)


def _changes(states: Iterable[tuple[Feed, str | None]]) -> dict[str, str]:
    return {feed.template: state for feed, state in states if state is not None}
