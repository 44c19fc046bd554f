"""A Scrapy scheduler that loses nothing when its process dies.

It takes the place of Scrapy's scheduler, duplicate filter, feed exporter and spider state, for
any spider; see `SpiderJob` for what is kept and when.
"""

from __future__ import annotations

import logging
import sys
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.project import inside_project, project_data_dir

from quarkcrawl.crawl.jobs.feeds import JobFeeds
from quarkcrawl.crawl.jobs.job import GROUP_AGE_S, SpiderJob
from quarkcrawl.crawl.jobs.opened import (
    JOB_FAILED,
    OpenRequest,
    OpenRequests,
    StartedBeforeError,
    parsed_request,
    without_marks,
)
from quarkcrawl.crawl.jobs.requests import NotStorableError, StoredRequestError
from quarkcrawl.errors import CorpusLockedError, QuarkError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.spiders import Spider
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

REFUSE: Final = "QUARKCRAWL_JOB_REFUSE"
"""Setting: drop requests that JSON cannot say instead of keeping them in memory."""


class DurableScheduler(BaseScheduler):
    """See the module text."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._open = OpenRequests(self._is_out, self._ended)
        self._start_output: object = None
        self._has_warned = False
        self._failure: Exception | None = None
        self._job: SpiderJob | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DurableScheduler:
        """Build for a crawler."""
        return cls(crawler)

    # -- opening and closing -------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the job, as the last process that worked on it left it."""
        self._spider = spider
        self._crawler.signals.connect(self._spider_opened, signals.spider_opened)
        if not is_asyncio_available():
            self._refuse("the asyncio reactor of Twisted is needed, which is Scrapy's default")
            return None
        settings = self._crawler.settings
        folder = job_folder(settings, spider)
        assert self._crawler.request_fingerprinter is not None
        try:
            self._job = SpiderJob(
                folder,
                spider,
                self._crawler.request_fingerprinter,
                self._crawler.get_extension(JobFeeds),
                is_first_in="Fifo" in str(settings["SCHEDULER_DISK_QUEUE"]),
                refuses=settings.getbool(REFUSE),
            )
        except CorpusLockedError as error:
            self._refuse(f"{folder}: the job is {error.args[0]}")
            return None
        except QuarkError as error:
            self._refuse(str(error))
            return None
        self._the_job.bind(self._open)
        self._filter = _own_filter(self._crawler)
        if self._filter is not None:
            self._filter.open()
        self._say_resumed(folder)
        connect = self._crawler.signals.connect
        connect(self._item_scraped, signals.item_scraped)
        connect(self._item_lost, signals.item_dropped)
        connect(self._item_lost, signals.item_error)
        self._ticker = create_looping_call(self._tick)
        self._ticker.start(GROUP_AGE_S, now=False)
        return None

    def _refuse(self, reason: str) -> None:
        """End before anything was done, with one line."""
        logger.error("quarkcrawl: %s", reason)

    def _spider_opened(self) -> None:
        """Close a spider that has no job: Scrapy wants all of its parts to be open by then."""
        if self._job is None:
            raise CloseSpider("job_refused")

    def _say_resumed(self, folder: Path) -> None:
        job = self._the_job
        if not job.is_resumed and (folder / "requests.queue").exists():
            logger.warning(
                "%s has a queue of Scrapy's own, which this job does not read: it begins anew",
                folder,
            )
        if job.is_resumed:
            logger.info(
                "Job in %s goes on: %d requests wait (remove the folder to begin anew)",
                folder,
                len(job.waiting),
            )
        for request in job.newly_lost:
            logger.warning(
                "lost with the last process, which alone had it (%s cannot be stored): <%s %s>",
                request.attribute,
                request.method,
                request.url,
            )
        self._count("job/lost", len(job.newly_lost))

    def close(self, reason: str) -> Deferred[None] | None:
        """Commit, end the feeds, release the job."""
        if self._job is None:
            return None
        self._ticker.stop()
        if self._filter is not None:
            self._filter.close(reason)
        return deferred_from_coro(self._close(self._job, reason))

    async def _close(self, job: SpiderJob, reason: str) -> None:
        if self._failure is not None:
            job.abandon()
            return
        self._finish()
        is_finished = reason == "finished" and not job.waiting and not self._open
        try:
            await job.close(is_finished=is_finished)
        except QuarkError as error:
            self._fail(error)

    @property
    def _the_job(self) -> SpiderJob:
        assert self._job is not None
        return self._job

    # -- what ParsingMiddleware asks -----------------------------------------------------------

    def opened(self, number: int) -> OpenRequest | None:
        """An open request, by its number."""
        return self._open.get(number)

    def begin_start(self, output: object) -> OpenRequest | None:
        """For an item of ``start()`` what stands for its request.

        Raises:
            StartedBeforeError: an earlier run of the job has had the output.
        """
        if self._job is None:
            raise StartedBeforeError
        if isinstance(output, Request):
            fingerprint = self._the_job.request_fingerprint(output)
        else:
            fingerprint = self._the_job.item_fingerprint(output)
        if not self._the_job.take_start(fingerprint):
            raise StartedBeforeError
        if isinstance(output, Request):
            self._start_output = output
            return None
        return OpenRequest(0, None, started=fingerprint)

    # -- what the engine asks ------------------------------------------------------------------

    def __len__(self) -> int:
        return 0 if self._job is None else len(self._job.waiting)

    def has_pending_requests(self) -> bool:
        """Whether requests wait."""
        return self._failure is None and len(self) > 0

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from a callback, ``start()``, a middleware or an extension."""
        if self._job is None or self._failure is not None:
            return False
        try:
            return self._enqueue(self._job, request)
        except QuarkError as error:
            self._fail(error)
            return False

    def _enqueue(self, job: SpiderJob, request: Request) -> bool:
        is_start, self._start_output = request is self._start_output, None
        if self._is_out(request):  # a callback gives the very request that it was called for
            request = request.copy()
        replaced = self._open.replaced(request)
        parent = None if replaced is not None else self._parent()
        without_marks(request)
        fingerprint = None
        if is_start or (not request.dont_filter and self._filter is None):
            fingerprint = job.request_fingerprint(request)
        started = fingerprint if is_start else None
        if request.dont_filter:
            fingerprint = None
        elif self._is_duplicate(job, request, fingerprint, parent):
            if started is not None:
                job.note_started(started)
            return False
        assert self._crawler.engine is not None
        slot = self._crawler.engine.downloader.get_slot_key(request)
        if replaced is not None:
            self._open.withdraw(replaced)
            job.put_back(replaced, request, slot, fingerprint)
            return True
        try:
            fault = job.add(request, slot, fingerprint=fingerprint, parent=parent, started=started)
        except NotStorableError as error:
            self._say_undurable(request, error, is_refused=True)
            return False
        if fault is not None:
            self._say_undurable(request, fault, is_start=is_start)
        self._count("scheduler/enqueued")
        self._count("scheduler/enqueued/memory" if fault else "scheduler/enqueued/disk")
        return True

    def _parent(self) -> OpenRequest | None:
        """The request whose callback gives what is enqueued now, unless that has ended."""
        parent = parsed_request.get()
        return None if parent is None or parent.is_done or not parent.number else parent

    def _is_duplicate(
        self,
        job: SpiderJob,
        request: Request,
        fingerprint: bytes | None,
        parent: OpenRequest | None,
    ) -> bool:
        """Whether a request is filtered, by the job or by the project's own filter."""
        if self._filter is not None:
            if not self._filter.request_seen(request):
                return False
            self._filter.log(request, self._spider)
            return True
        if fingerprint is None or not job.is_duplicate(fingerprint, parent):
            return False
        self._count("dupefilter/filtered")
        return True

    def _say_undurable(
        self,
        request: Request,
        error: NotStorableError,
        *,
        is_refused: bool = False,
        is_start: bool = False,
    ) -> None:
        self._count("job/refused" if is_refused else "job/undurable")
        self._count(f"job/undurable/{error.attribute}")
        if is_start or (self._has_warned and not is_refused):
            return  # start() gives it again after a crash
        self._has_warned = True
        if is_refused:
            logger.error("%s is dropped, since JSON cannot say its %s", request, error)
        else:
            logger.warning(
                "%s is kept in memory only, since JSON cannot say its %s; it is lost if the "
                "process dies. Further ones are counted (job/undurable); %s=True drops them",
                request,
                error,
                REFUSE,
            )

    def next_request(self) -> Request | None:
        """The next request; what is done by now is noted before."""
        job = self._job
        if job is None or self._failure is not None:
            return None
        # The engine calls in the context of whoever woke it, perhaps a callback; what begins here,
        # middlewares among it, stems from none.
        parsed_request.set(None)
        try:
            self._finish()
            if job.is_group_due:
                job.commit()
            opened = self._pop(job)
        except Exception as error:  # noqa: BLE001 (a crawl that cannot commit must end)
            self._fail(error)
            return None
        if opened is None:
            return None
        self._count("scheduler/dequeued")
        return self._open.open(opened)

    def _pop(self, job: SpiderJob) -> OpenRequest | None:
        while True:
            try:
                return job.pop()
            except StoredRequestError as error:
                self._count("job/unreadable")
                logger.error("%s", error)

    # -- ends ----------------------------------------------------------------------------------

    def _is_out(self, request: Request) -> bool:
        slot = getattr(self._crawler.engine, "_slot", None)
        return slot is not None and request in slot.inprogress

    def _ended(self, opened: OpenRequest) -> None:
        self._the_job.waiting.ended(opened.slot)

    def _finish(self) -> None:
        self._the_job.note_done(self._open.finish())

    def _item_scraped(self, item: object) -> None:
        opened = parsed_request.get()
        if self._job is None or self._failure is not None:
            return
        self._job.note_item(opened, item)
        self._end_start_item(self._job, opened)

    def _item_lost(self) -> None:
        if self._job is not None:
            self._end_start_item(self._job, parsed_request.get())

    @staticmethod
    def _end_start_item(job: SpiderJob, opened: OpenRequest | None) -> None:
        """An item of ``start()`` is done when it has come through, or was dropped."""
        if opened is not None and opened.started and not opened.is_done:
            opened.is_done = True
            job.note_done([opened])

    def _tick(self) -> None:
        if self._failure is not None:
            return
        try:
            self._finish()
            if self._the_job.is_group_due:
                self._the_job.commit()
        except Exception as error:  # noqa: BLE001 (the timer must not stop silently)
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Nothing can be made durable any more: the crawl ends, the job stays as it is."""
        if self._failure is not None:
            return
        self._failure = error
        logger.error(
            "quarkcrawl: %s; the same command goes on from the last commit",
            error,
            exc_info=None if isinstance(error, QuarkError) else error,
        )
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            deferred_from_coro(engine.close_spider_async(reason=JOB_FAILED))

    def _count(self, name: str, number: int = 1) -> None:
        if number and self._crawler.stats is not None:
            self._crawler.stats.inc_value(name, number)


def _own_filter(crawler: Crawler) -> BaseDupeFilter | None:
    """The duplicate filter that the project has chosen instead of Scrapy's."""
    cls = load_object(crawler.settings["DUPEFILTER_CLASS"])
    if cls is RFPDupeFilter:
        return None
    if cls is not BaseDupeFilter:
        logger.warning(
            "DUPEFILTER_CLASS %s is asked instead of the job's own filter: what it remembers is "
            "not rolled back after a crash, so requests may be filtered that were never made",
            cls.__qualname__,
        )
    own_filter: BaseDupeFilter = build_from_crawler(cls, crawler)
    return own_filter


def job_folder(settings: BaseSettings, spider: Spider) -> Path:
    """Where the job of a spider is kept: ``JOBDIR``, else ``.scrapy/jobs/SPIDER`` of the project.

    A digest of the command's ``-a`` arguments is added: another category is another job.
    """
    if settings["JOBDIR"]:
        return Path(settings["JOBDIR"])
    arguments = _spider_arguments(sys.argv)
    name = spider.name
    if arguments:
        said = "\n".join(sorted(arguments)).encode(errors="surrogateescape")
        name += "-" + sha1(said, usedforsecurity=False).hexdigest()[:8]
    root = Path(project_data_dir()) if inside_project() else Path(".scrapy")
    return root / "jobs" / name


def _spider_arguments(command: Sequence[str]) -> list[str]:
    """The ``-a NAME=VALUE`` of a command line, but for those that differ each time.

    Scrapy hands them to the spider only, which may change them.
    """
    arguments: list[str] = []
    words = iter(command)
    for word in words:
        if word == "-a":
            arguments.append(next(words, ""))
        elif word.startswith("-a") and "=" in word:
            arguments.append(word[2:])
    return [each for each in arguments if not each.startswith("_job=")]  # by scrapyd
