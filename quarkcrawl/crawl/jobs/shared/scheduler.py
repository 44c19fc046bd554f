"""A Scrapy scheduler on a frontier that many workers share, for any spider.

A request waits on the server of its host. A worker leases it, downloads and parses it; what it
gives waits on the servers again, and what it gives as items is written in groups, see
`WorkerGroups`. A redirect is a request like another. Retries, and requests that cannot be said in
JSON, stay in memory: the lease of the request that they belong to does not end before they do, so
if the worker dies that one is asked again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from copy import copy
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final

import orjson
from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import call_later, create_looping_call, is_asyncio_available
from scrapy.utils.defer import deferred_from_coro

from quarkcrawl.crawl.jobs.feeds import JobFeeds
from quarkcrawl.crawl.jobs.opened import (
    JOB_FAILED,
    OPEN_KEY,
    OpenRequest,
    OpenRequests,
    parsed_request,
    without_marks,
)
from quarkcrawl.crawl.jobs.requests import NotStorableError, RequestCodec, StoredRequestError
from quarkcrawl.crawl.jobs.shared.candidates import RequestCandidates, host_of, without_slot_of
from quarkcrawl.crawl.jobs.shared.groups import DoneRequest, WorkerGroups
from quarkcrawl.crawl.jobs.shared.memory import MemoryRequests
from quarkcrawl.crawl.jobs.shared.pace import PACE_S, HostPace
from quarkcrawl.crawl.jobs.shared.worker import frontier_rules, take_place, worker_report
from quarkcrawl.crawl.jobs.values import OddValueError
from quarkcrawl.errors import CorpusLockedError, QuarkError
from quarkcrawl.frontier import WorkerHooks, agree_on_rules, collecting, open_shared, steady_time

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.spiders import Spider
    from twisted.internet.defer import Deferred

    from quarkcrawl.frontier import CollectingFrontier, Lease

logger = logging.getLogger(__name__)

GROUP_AGE_S: Final = 0.5
GROUP_SIZE: Final = 200
_REAP_S: Final = 1.0
_MOST_WAIT_S: Final = 5.0
_SETTINGS: Final = {
    "delay_s": "DOWNLOAD_DELAY",
    "concurrency": "CONCURRENT_REQUESTS_PER_DOMAIN",
    "lease_s": "QUARKCRAWL_LEASE_S",
}


class SharedScheduler(BaseScheduler):
    """See the module text."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._open = OpenRequests(self._is_out, self._ended)
        self._leases: dict[int, Lease] = {}
        self._given: dict[int, Counter[bytes]] = {}
        self._started: Counter[bytes] = Counter()
        self._start_output: object = None
        self._memory = MemoryRequests()
        self._arrived: deque[OpenRequest] = deque()
        self._waiting_for_turn: set[asyncio.Task[None]] = set()
        self._moved: set[int] = set()
        self._fetched: set[int] = set()
        self._done: list[DoneRequest] = []
        self._warned: set[str] = set()
        self._failure: QuarkError | None = None
        self._frontier: CollectingFrontier | None = None
        self._writing: asyncio.Task[None] | None = None
        self._is_group_due = asyncio.Event()
        self._wake: Any = None
        self._n_pages = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SharedScheduler:
        """Build for a crawler."""
        return cls(crawler)

    # -- opening and closing -------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Take a worker's place and join the crawl."""
        if not is_asyncio_available():
            self._refuse("the asyncio reactor of Twisted is needed, which is Scrapy's default")
        self._spider = spider
        try:
            self._join(spider)
        except CorpusLockedError as error:
            self._refuse(f"the worker is at work: {error}")
        except QuarkError as error:
            self._refuse(str(error))
        connect = self._crawler.signals.connect
        connect(self._item_scraped, signals.item_scraped)
        connect(self._item_lost, signals.item_dropped)
        connect(self._item_lost, signals.item_error)
        connect(self._reached_downloader, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        self._tickers = [
            create_looping_call(each) for each in (self._tick, self._hold_back, self._reap)
        ]
        for ticker, every_s in zip(self._tickers, (GROUP_AGE_S, PACE_S, _REAP_S), strict=True):
            ticker.start(every_s, now=False)
        self._writing = asyncio.ensure_future(self._write_groups())
        return None

    def _join(self, spider: Spider) -> None:
        settings = self._crawler.settings
        self._place = take_place(settings, spider)
        servers = None
        try:
            rules = frontier_rules(settings)
            wait_s = settings.getfloat("QUARKCRAWL_REDIS_WAIT_S")
            servers = open_shared(
                str(settings["QUARKCRAWL_REDIS"]), worker=self._place.job, wait_s=wait_s
            )
            agree_on_rules(servers, rules, settings=_SETTINGS)
            codec = RequestCodec(spider, trusted=True)
            self._values = codec.values
            if not hasattr(spider, "worker"):
                spider.worker = self._place.name  # type: ignore[attr-defined]
            self._groups = WorkerGroups(
                self._place.folder,
                self._place.job,
                servers,
                self._crawler.get_extension(JobFeeds),
                codec.values,
            )
        except BaseException:
            if servers is not None:
                servers.close()
            self._place.lock.release()
            raise
        spider.state = self._groups.state  # type: ignore[attr-defined]
        self._candidates = RequestCandidates(self._crawler, spider)
        starts = str(settings["QUARKCRAWL_REDIS_STARTS"] or "")
        frontier = self._frontier = collecting(
            servers,
            wait_s=wait_s,
            starts=starts % {"name": spider.name} if starts else "",
            read_start=self._candidates.of_entry,
        )
        slots = settings.getdict("DOWNLOAD_SLOTS")
        delays = {name: float(slot["delay"]) for name, slot in slots.items() if "delay" in slot}
        self._pace = HostPace(frontier, delays, asks_robots=settings.getbool("ROBOTSTXT_OBEY"))
        frontier.start(
            WorkerHooks(report=self._report, on_leases=self._look_again, on_failure=self._fail)
        )
        for name, slot in slots.items():
            frontier.set_host(name, delay_s=slot.get("delay"), concurrency=slot.get("concurrency"))
        self._started_at = steady_time()
        logger.info(
            "Worker %s of %s: files in %s%s",
            self._place.name,
            servers.address,
            self._place.folder,
            "; what its last run wrote and others have done is cut off" * self._groups.has_cut,
        )

    def _refuse(self, reason: str) -> None:
        """End before anything was done, with one line."""
        logger.error("quarkcrawl: %s", reason)
        raise CloseSpider("job_refused")

    def close(self, reason: str) -> Deferred[None] | None:
        """Write the last group, give back what is out, leave."""
        if self._frontier is None:
            return None
        for ticker in self._tickers:
            if ticker.running:
                ticker.stop()
        self._cancel_wake()
        return deferred_from_coro(self._close(self._frontier, reason))

    async def _close(self, frontier: CollectingFrontier, reason: str) -> None:
        frontier.stopping()
        assert self._writing is not None
        for task in self._waiting_for_turn:
            task.cancel()
        try:
            self._finish()
            self._writing.cancel()  # it is not canceled amidst a group, see there
            await asyncio.wait([self._writing])
            if self._failure is None:
                await self._end_done(frontier)
                await frontier.stop()
        except QuarkError as error:
            self._fail(error)
        try:
            if self._failure is None:
                await self._groups.close(is_finished=reason == "finished")
            else:
                self._groups.file.abandon()
            frontier.close()
        except QuarkError as error:
            self._fail(error)
        finally:
            self._place.lock.release()

    # -- what ParsingMiddleware asks -----------------------------------------------------------

    def opened(self, number: int) -> OpenRequest | None:
        """An open request, by its number."""
        return self._open.get(number)

    def begin_start(self, output: object) -> OpenRequest | None:
        """For an item of ``start()`` what stands for its request; all workers run ``start()``."""
        if isinstance(output, Request):
            self._start_output = output
            return None
        return OpenRequest(0, None, started=self._item_fingerprint(output))

    def _item_fingerprint(self, item: object) -> bytes:
        """By which workers know an item of ``start()``; equal ones are counted."""
        try:
            said = orjson.dumps(self._values.encode(ItemAdapter(item).asdict()))
        except (OddValueError, TypeError, RecursionError):
            said = repr(item).encode(errors="surrogatepass")
        self._started[said] += 1
        return sha1(b"%d %s" % (self._started[said], said), usedforsecurity=False).digest()

    # -- what the engine asks ------------------------------------------------------------------

    def has_pending_requests(self) -> bool:
        """Whether a request waits or is out, here or with another worker."""
        frontier = self._frontier
        if frontier is None or self._failure is not None:
            return False
        if (
            self._memory.waiting
            or self._waiting_for_turn
            or self._arrived
            or self._open
            or self._done
        ):
            return True
        if self._crawler.settings.getbool("QUARKCRAWL_WAIT") and frontier.state() != "draining":
            return True
        return frontier.next_ready(now=steady_time()) is not None

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from a callback, ``start()``, a middleware or an extension."""
        frontier = self._frontier
        if frontier is None or self._failure is not None:
            return False
        is_start, self._start_output = request is self._start_output, None
        replaced = self._open.replaced(request)
        parent = replaced
        if replaced is None and not is_start:
            parent = parsed_request.get()
        without_marks(request)
        if parent is not None:
            without_slot_of(request, parent.request)
        root = None if parent is None else self._memory.root_of(parent)
        if replaced is not None and root is not None:
            if self._is_retry(request, replaced):
                assert replaced.request is not None
                # Where a retry is redirected to must be known as what it is without a retry.
                request.dont_filter = replaced.request.dont_filter
                self._put_in_memory(request, root)
                return True
            self._moved.add(root.number)
        try:
            candidate = self._candidates.candidate(request, *self._origin(root, is_start=is_start))
        except NotStorableError as error:
            return self._keep_in_memory(request, root, error)
        try:
            frontier.push([candidate])
        except QuarkError as error:
            self._fail(error)
            return False
        self._count("scheduler/enqueued/redis")
        return True

    def _is_retry(self, request: Request, replaced: OpenRequest) -> bool:
        """Whether a request asks once more for what a downloader middleware did not get.

        It stays with the lease: if it waited on the server, who does the request again after a
        crash would do it twice.
        """
        assert replaced.request is not None
        assert self._crawler.request_fingerprinter is not None
        fingerprint = self._crawler.request_fingerprinter.fingerprint
        return fingerprint(request) == fingerprint(replaced.request)

    def _origin(self, root: OpenRequest | None, *, is_start: bool) -> tuple[str, Counter[bytes]]:
        """What gave a request, the same whoever does it again, and what it gave before."""
        if is_start:
            return "start", self._started
        if root is None or root.number not in self._leases:
            return self._place.job, self._given.setdefault(0, Counter())
        given = self._given.setdefault(root.number, Counter())
        return self._leases[root.number].url, given

    def _keep_in_memory(
        self, request: Request, root: OpenRequest | None, error: NotStorableError
    ) -> bool:
        """Let a request wait here, and the lease of the one that gave it with it."""
        is_refused = self._crawler.settings.getbool("QUARKCRAWL_JOB_REFUSE")
        self._count("job/refused" if is_refused else "job/undurable")
        self._count(f"job/undurable/{error.attribute}")
        if is_refused:
            logger.error("%s is dropped, since JSON cannot say its %s", request, error)
            return False
        if error.attribute not in self._warned:
            self._warned.add(error.attribute)
            logger.warning(
                "%s is kept in this worker's memory, since JSON cannot say its %s; further ones "
                "are counted (job/undurable); QUARKCRAWL_JOB_REFUSE=True drops them",
                request,
                error,
            )
        self._put_in_memory(request, root)
        return True

    def _put_in_memory(self, request: Request, root: OpenRequest | None) -> None:
        """Let a request wait here; the lease of the one that it belongs to lasts until it ends."""
        if root is not None and root.number in self._leases:
            self._fetched.add(root.number)
            self._memory.put(request, root)
        else:
            self._memory.put(request, None)

    def next_request(self) -> Request | None:
        """The next request that may be sent now."""
        frontier = self._frontier
        if frontier is None or self._failure is not None:
            return None
        while self._memory.waiting:
            opened = self._memory.waiting.popleft()
            assert opened.request is not None
            if self._pace.delay_s(host_of(opened.request)) <= 0:
                return self._open.open(opened)
            self._at_turn(opened)
        if frontier.state() != "running" and not self._arrived:
            return None
        try:
            return self._next_leased(frontier)
        except QuarkError as error:
            self._fail(error)
            return None

    def _next_leased(self, frontier: CollectingFrontier) -> Request | None:
        while not self._arrived:
            now = steady_time()
            leases = frontier.lease(self._room(), now=now)
            if not leases:
                self._wake_later(now)
                return None
            for lease in leases:
                self._arrive(lease, now)
        self._count("scheduler/dequeued/redis")
        return self._open.open(self._arrived.popleft())

    def _room(self) -> int:
        """How many leases are worth having."""
        assert self._crawler.engine is not None
        active = len(self._crawler.engine.downloader.active)
        return max(1, self._crawler.settings.getint("CONCURRENT_REQUESTS") - active)

    def _arrive(self, lease: Lease, now: float) -> None:
        try:
            request = self._candidates.request(lease)
        except StoredRequestError as error:
            self._refuse_row(lease, error)
            return
        self._leases[lease.token] = lease
        opened = OpenRequest(lease.token, request)
        if self._pace.meets(lease.host):
            self._at_turn(opened, lease)
        else:
            self._pace.begin(lease, now)
            self._arrived.append(opened)

    def _at_turn(self, opened: OpenRequest, lease: Lease | None = None) -> None:
        """Serve a request at a turn of its host that it gets besides leases."""
        task = asyncio.ensure_future(self._wait_for_turn(opened, lease))
        self._waiting_for_turn.add(task)
        task.add_done_callback(self._waiting_for_turn.discard)

    async def _wait_for_turn(self, opened: OpenRequest, lease: Lease | None) -> None:
        assert opened.request is not None
        assert self._frontier is not None
        host = host_of(opened.request)
        delay_s = self._pace.delay_s(host)
        try:
            # That of robots.txt comes first.
            at = await self._frontier.take_turns(host, 1 if lease is None else 2)
        except QuarkError as error:
            self._fail(error)
            return
        await asyncio.sleep(max(0.0, at - steady_time()))
        if lease is not None:
            self._pace.begin(lease, steady_time(), at + delay_s)
        self._arrived.append(opened)
        self._look_again()

    def _refuse_row(self, lease: Lease, error: StoredRequestError) -> None:
        """A row that is no request of this spider: it ends, is listed and counted."""
        self._count("job/unreadable")
        logger.error("%s: %s", lease.host, error)
        self._groups.file.note_refused(lease.host, lease.url, str(error))
        self._done.append(DoneRequest(lease.token, "unreadable", []))

    # -- ends ----------------------------------------------------------------------------------

    def _is_out(self, request: Request) -> bool:
        slot = getattr(self._crawler.engine, "_slot", None)
        return slot is not None and request in slot.inprogress

    def _ended(self, opened: OpenRequest) -> None:
        self._pace.forget(opened.number)

    def _finish(self) -> None:
        """Note what the engine has let go of."""
        for ended in self._open.finish():
            done = self._memory.ended(ended)
            if done is not None and done.number < 0:
                self._done.append(DoneRequest(0, "", done.items))
            elif done is not None:
                self._note_done(done)
        if len(self._done) >= GROUP_SIZE:
            self._is_group_due.set()

    def _note_done(self, opened: OpenRequest) -> None:
        token = opened.number
        self._given.pop(token, None)
        if self._leases.pop(token, None) is None:
            return
        assert self._frontier is not None
        if token in self._moved:
            self._moved.discard(token)
            reason = "redirected"
        else:
            reason = "stored" if opened.is_parsed else "failed"
        self._n_pages += reason == "stored"
        self._frontier.settle([token])
        self._done.append(DoneRequest(token, reason, opened.items))

    def _item_scraped(self, item: object) -> None:
        opened = parsed_request.get()
        item = copy(item)  # a callback may go on to fill the same one
        if opened is None or opened.is_done:
            self._done.append(DoneRequest(0, "", [item]))
        elif opened.started:
            self._done.append(DoneRequest(0, "", [item], self._mark(opened)))
            opened.is_done = True
        else:
            opened.items.append(item)

    def _item_lost(self) -> None:
        opened = parsed_request.get()
        if opened is not None and opened.started:
            opened.is_done = True

    @staticmethod
    def _mark(opened: OpenRequest) -> str:
        return f"start {opened.started.hex()}"

    def _downloaded(self, request: Request) -> None:
        """A body is here: its host may be asked again, and the lease lasts on."""
        token = request.meta.get(OPEN_KEY)
        if token in self._leases and self._frontier is not None and self._failure is None:
            self._fetched.add(token)
            self._frontier.fetched([token], now=steady_time())

    def _reached_downloader(self, request: Request) -> None:
        """A request is sent now, or when its slot's delay is over."""
        token = request.meta.get(OPEN_KEY)
        if token not in self._leases or self._failure is not None:
            return
        assert self._crawler.engine is not None
        downloader = self._crawler.engine.downloader
        slot = downloader.slots[downloader.get_slot_key(request)]
        loop_s = asyncio.get_running_loop().time()  # the clock of a slot
        wait_s = slot.lastseen + slot.delay * (1 + len(slot.queue)) - loop_s if slot.delay else 0.0
        self._pace.sent(token, steady_time() + max(0.0, wait_s))

    # -- timers --------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._failure is not None or self._frontier is None:
            return
        try:
            self._finish()
            self._fetched &= self._leases.keys()
            out = self._fetched | {one.token for one in self._done if one.token}
            self._frontier.fetched(out, now=steady_time())
        except QuarkError as error:
            self._fail(error)
        if self._done:
            self._is_group_due.set()
        else:
            self._look_again()  # all workers may have ended

    def _hold_back(self) -> None:
        if self._failure is None:
            self._pace.hold_back(steady_time())

    def _reap(self) -> None:
        """What dead workers had out waits again; what nobody can do ends."""
        if self._failure is not None or self._frontier is None:
            return
        try:
            self._frontier.reap(now=steady_time())
            for candidate, reason in self._frontier.drain_closed():
                self._count(f"job/given_up/{reason}")
                logger.error("given up (%s): %s", reason, candidate.url)
        except QuarkError as error:
            self._fail(error)

    async def _write_groups(self) -> None:
        """Write a group whenever one is due; ends between two groups."""
        assert self._frontier is not None
        while True:
            await self._is_group_due.wait()
            self._is_group_due.clear()
            group = asyncio.ensure_future(self._end_done(self._frontier))
            try:
                await asyncio.shield(group)
            except asyncio.CancelledError:
                await asyncio.wait([group])
                if (error := group.exception()) is not None:
                    self._fail_by(error)
                raise
            except Exception as error:  # noqa: BLE001 (of a custom storage or exporter, too)
                self._fail_by(error)
                return
            self._look_again()

    async def _end_done(self, frontier: CollectingFrontier) -> None:
        done, self._done = self._done, []
        if done:
            await self._groups.end(done, frontier, lambda: getattr(self._spider, "state", None))

    def _fail_by(self, error: BaseException) -> None:
        if not isinstance(error, QuarkError):
            logger.error("quarkcrawl: a group could not be written", exc_info=error)
            error = QuarkError(f"a group could not be written ({error})")
        self._fail(error)

    def _fail(self, error: QuarkError) -> None:
        """Nothing can be made durable any more: the run ends; the next one goes on."""
        if self._failure is not None:
            return
        self._failure = error
        logger.error("quarkcrawl: %s; the same command goes on from here", error)
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            deferred_from_coro(engine.close_spider_async(reason=JOB_FAILED))

    def _wake_later(self, now: float) -> None:
        """Ask the engine to look again when the next host is due."""
        assert self._frontier is not None
        due = self._frontier.next_ready(now=now)
        if due is None:
            return
        self._cancel_wake()
        self._wake = call_later(min(max(due - now, 0.0), _MOST_WAIT_S), self._wake_up)

    def _wake_up(self) -> None:
        self._wake = None
        self._look_again()

    def _cancel_wake(self) -> None:
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None

    def _look_again(self) -> None:
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()

    # -- what is told --------------------------------------------------------------------------

    def _report(self) -> dict[str, object]:
        assert self._frontier is not None
        return worker_report(self._place, self._frontier, self._started_at, self._n_pages)

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(name)
