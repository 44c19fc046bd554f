"""A Scrapy scheduler on the frontier.

Scrapy asks `next_request` whenever it has room; the scheduler answers with leases of hosts whose
time has come. Where Scrapy's own loop would leave a gap, the scheduler fills it: a timer wakes
the engine when the next host is due (Scrapy polls every five seconds otherwise), and failures
come back through an errback that every leased request carries.

Requests that come in through `enqueue_request`:

- with a lease (a redirect or retry made by a downloader middleware): served next, since the
  lease is out already;
- plain GET requests to the spider's ``parse``: queued in the frontier, level from
  ``request.meta["level"]`` (1 if there is none);
- anything else (POST, other callbacks): served from memory, without the frontier's promises.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.asyncio import call_later, create_looping_call
from scrapy.utils.defer import deferred_from_coro

from quarkcrawl.crawl.campaign import (
    HOST_FAULTS,
    RETRIED,
    SILENCE,
    STORAGE_FAULTS,
    Campaign,
    http_reason,
    robots_text,
)
from quarkcrawl.crawl.components.analysis import Analyzer
from quarkcrawl.crawl.components.lists import ListReader
from quarkcrawl.crawl.components.pages import ITEM_KEY
from quarkcrawl.crawl.http import (
    GATE_KEY,
    LIST_BYTES_KEY,
    REDIRECTS,
    AddressBusyError,
    AddressGate,
    fetch_of,
    lease_of,
    reason_of,
    redirect_target,
    request_of,
    retry_after_s,
    url_refusal,
)
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.frontier import Candidate, robots_url, steady_time
from quarkcrawl.page import canonicalize, host_key
from quarkcrawl.store import RobotsText, log_robots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.spiders import Spider
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    from quarkcrawl.frontier import Lease


logger = logging.getLogger(__name__)

_TICK_S = 0.2
_MAX_WAIT_S = 5.0
_ASKS_FOR_TIME = frozenset({429, 503})


class FrontierScheduler(BaseScheduler):
    """See the module text."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._ready: deque[Request] = deque()
        self._gate: AddressGate | None = None
        self._memory: deque[Request] = deque()
        self._wake: Any = None
        self._has_run = False
        self._stopping = False
        self._state = "running"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FrontierScheduler:
        """Build for a crawler."""
        return cls(crawler)

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the campaign and start its timer."""
        self.campaign = campaign = Campaign.of(self._crawler)
        campaign.on_failure = self._storage_failed
        campaign.outcomes.ask_host = self._ask_host
        campaign.start(self._look_again)
        self._analyzer = Analyzer.of(self._crawler, campaign.config)
        self._analyzer.on_room = self._look_again
        self._analyzer.start()
        self._lists = ListReader(campaign, self._analyzer)
        if campaign.config.ip_concurrency:
            self._gate = AddressGate(campaign.frontier, campaign.config)
        self._spider = spider
        self._ticker = create_looping_call(self._tick)
        self._ticker.start(_TICK_S, now=False)
        connect = self._crawler.signals.connect
        connect(self._spider_error, signals.spider_error)
        return None

    def close(self, reason: str) -> Deferred[None] | None:
        """Release what is out, make the last group durable, close the corpus."""
        logger.debug("scheduler closes: %s", reason)
        if self._ticker.running:
            self._ticker.stop()
        if reason == "shutdown":  # which the ticker has not seen if nothing was out
            self.campaign.frontier.stopping()
        self._cancel_wake()
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        await self._analyzer.close()
        await self.campaign.close()

    # -- Scrapy asks ---------------------------------------------------------------------------

    def has_pending_requests(self) -> bool:
        """True while anything waits or is out, so that the spider is not closed."""
        if self._ready or self._memory or self._analyzer.is_busy:
            return True
        if self.campaign.failure is not None or self.campaign.state == "draining":
            return False
        if self.campaign.outcomes.has_doubts():
            return True
        returning = self.campaign.returning
        if self.campaign.frontier.next_ready(now=steady_time()) is not None:
            return True
        return returning is not None and (self.campaign.config.watch or returning.is_due())

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from the engine; see the module text."""
        if LEASE_KEY in request.meta:
            self._ready.appendleft(request)
            return True
        plain = request.method == "GET" and not request.body
        if not plain or request.callback not in (None, self._spider.parse):
            self._memory.append(request)
            return True
        url = canonicalize(request.url)
        if url is None:
            return False
        level = int(request.meta.get("level", 1))
        return self.campaign.push([Candidate(url, host_key(url), level)]) > 0

    def next_request(self) -> Request | None:
        """Return the next request whose host may be asked now, or None."""
        self._has_run = True
        if self._ready:
            return self._ready.popleft()
        if self._memory:
            return self._memory.popleft()
        if self._stopping or self.campaign.state != "running" or self._analyzer.is_full:
            return None
        with self.campaign.storage_guard():
            return self._next_leased()
        return None

    def _next_leased(self) -> Request | None:
        now = steady_time()
        while leases := self.campaign.frontier.lease(self._room(), now=now):
            self._ready.extend(r for lease in leases if (r := self._request(lease)) is not None)
            if self._ready:
                return self._ready.popleft()
        self._wake_later(now)
        return None

    def _room(self) -> int:
        assert self._crawler.engine is not None
        active = len(self._crawler.engine.downloader.active)
        return max(1, self.campaign.config.concurrency - active)

    def _request(self, lease: Lease) -> Request | None:
        """A request for a lease, or None if the URL may not be fetched: then its lease ends."""
        campaign = self.campaign
        campaign.ledger.begin(lease)
        if campaign.opt_out.covers(lease.host):
            campaign.outcomes.leave_host(lease, "opted_out")
            return None
        if lease.kind == "robots":
            return self._robots_request(lease.url, lease)
        if campaign.outcomes.waits_for_look(lease):
            return None
        mark = ListMark.parse(lease.origin)
        if mark is None or mark.is_guess:
            campaign.seek_sitemaps(lease)
        if mark is not None and mark.is_guess and campaign.robots.sitemaps(lease.host, lease.url):
            # After a crash it was guessed before robots.txt was known again.
            campaign.outcomes.drop(lease, "no_sitemap", "robots.txt names others")
            return None
        if (reason := self._refusal(lease, is_list=mark is not None)) is not None:
            campaign.outcomes.drop(lease, reason)
            return None
        page = {"verbatim_url": True, "level": lease.level, GATE_KEY: self._gate}
        callback = self._spider.parse
        if mark is not None:
            page[LIST_BYTES_KEY] = campaign.config.max_sitemap_bytes
            callback = self._lists.read
        request = _leased(lease.url, lease, callback, self._failed, page)
        if campaign.returning is not None:
            request.headers.update(campaign.returning.conditions(lease.url))
        return request

    def _refusal(self, lease: Lease, *, is_list: bool) -> str | None:
        """Why a URL may not be fetched after all."""
        campaign = self.campaign
        reason = url_refusal(lease.url, allow_private=campaign.config.allow_private)
        if reason is None and not campaign.robots.allows(lease.url, lease.host):
            return "robots"
        if reason is None and campaign.returning is not None and not is_list:
            return campaign.returning.refusal(lease)
        return reason

    # -- robots.txt ----------------------------------------------------------------------------

    def _robots_request(self, url: str, lease: Lease, hops: int = 0) -> Request:
        robots = {"dont_redirect": True, "dont_retry": True, "any_type": True, "robots_hops": hops,
                  GATE_KEY: self._gate}  # fmt: skip
        return _leased(url, lease, self._robots_done, self._robots_failed, robots)

    def _robots_done(self, response: Response) -> Iterator[Request]:
        lease, hops = response.meta[LEASE_KEY], response.meta["robots_hops"]
        text = robots_text(response.status, response.body)
        if response.status in REDIRECTS:
            target = redirect_target(response)
            if target is not None and hops < self.campaign.config.max_redirects:
                if self.campaign.opt_out.covers(host_key(target)):
                    self._robots_retry(lease, "opted_out", None)
                else:
                    yield self._robots_request(target, lease, hops + 1)
                return
            text = ""
        if text is None:
            wait_s = retry_after_s(response, self.campaign.config.max_retry_after_s)
            is_asking = wait_s is not None and response.status in _ASKS_FOR_TIME
            if not (is_asking and self.campaign.outcomes.put_off(lease, wait_s or 0.0)):
                self._robots_retry(lease, http_reason(response.status), wait_s)
        else:
            self._robots_known(lease, text)
        self.campaign.outcomes.pace(lease, fetch_of(response).sent_at)  # on top of a crawl-delay

    def _robots_known(self, lease: Lease, text: str) -> None:
        delay = self.campaign.robots.learn(lease.host, text)
        self.campaign.outcomes.let_in(lease)
        self.campaign.ledger.forget([lease.token])
        now = steady_time()
        self.campaign.frontier.set_robots(lease.token, robots=text, delay_s=delay, now=now)
        log_robots(self.campaign.root, RobotsText(lease.host, time.time(), text))

    def _robots_failed(self, failure: Failure) -> None:
        if not self._is_nobodys_fault(failure):
            self._robots_retry(lease_of(failure), reason_of(failure.value), None)

    def _follow_later(self, request: Request, lease: Lease, at: float) -> None:
        """Where robots.txt leads to is asked when its address has room, under the same lease.

        To give the lease back would have the host asked again for the redirect, each time. When
        the lease ends before, that was a try.
        """
        if at >= lease.deadline:
            self._robots_retry(lease, "download_error", None)
        else:
            call_later(max(at - steady_time(), 0.0), self._serve, request.copy())

    def _serve(self, request: Request) -> None:
        lease = request.meta[LEASE_KEY]
        if not self.campaign.closed and self.campaign.ledger.is_open(lease.token):
            self._ready.appendleft(request)
        else:
            self.campaign.outcomes.judge(lease, is_there=None)
        self._look_again()

    def _robots_retry(self, lease: Lease, reason: str, wait_s: float | None) -> None:
        if self.campaign.outcomes.retry(lease, reason, wait_s=wait_s) == "exhausted":
            state = self.campaign.frontier.host(lease.host)
            if state is not None and state.robots is not None and reason in RETRIED:
                self._robots_known(lease, state.robots)  # the old rules hold for another day
                return
            final = reason if reason in HOST_FAULTS else "robots_unreachable"
            self.campaign.outcomes.leave_host(lease, final)
            logger.warning("%s: host given up, robots.txt: %s", lease.host, reason)

    # -- whether a host is there ---------------------------------------------------------------

    def _ask_host(self, lease: Lease) -> None:
        """Ask for robots.txt under the lease of a page, when the host may be asked again."""
        state = self.campaign.frontier.host(lease.host)
        probe = {"dont_redirect": True, "dont_retry": True, "any_type": True, GATE_KEY: self._gate}
        url = robots_url(lease.url)
        request = _leased(url, lease, self._host_answered, self._host_failed, probe)
        delay_s = self.campaign.config.delay_s if state is None else state.delay_s
        call_later(delay_s, self._serve, request)

    def _host_answered(self, response: Response) -> None:
        lease = response.meta[LEASE_KEY]
        is_there = http_reason(response.status) not in SILENCE
        self.campaign.outcomes.judge(lease, is_there=is_there)
        self.campaign.outcomes.pace(lease, fetch_of(response).sent_at)

    def _host_failed(self, failure: Failure) -> None:
        is_nobodys = self._is_nobodys_fault(failure)
        is_there = None if is_nobodys else reason_of(failure.value) not in SILENCE
        self.campaign.outcomes.judge(lease_of(failure), is_there=is_there)

    # -- failures ------------------------------------------------------------------------------

    def _is_nobodys_fault(self, failure: Failure) -> bool:
        """Whether nothing was sent, since the address had no room or the frontier does not answer.

        In the first case the URL waits again; in the second the run ends, and the next one has it.
        """
        error = failure.value
        if isinstance(error, STORAGE_FAULTS):
            self.campaign.storage_failed(error)
            return True
        if isinstance(error, AddressBusyError):
            request, lease = request_of(failure), lease_of(failure)
            if request.meta.get("robots_hops"):
                self._follow_later(request, lease, error.until)
            else:
                self.campaign.outcomes.give_back(lease, error.until)
            return True
        return False

    def _failed(self, failure: Failure) -> None:
        if self._is_nobodys_fault(failure):
            return
        lease = lease_of(failure)
        self.campaign.outcomes.fail(lease, reason_of(failure.value), detail=str(failure.value))

    def _spider_error(self, failure: Failure, response: Response | None) -> None:
        if isinstance(failure.value, STORAGE_FAULTS):
            self.campaign.storage_failed(failure.value)
            return
        request = getattr(response, "request", None) or getattr(failure, "request", None)
        lease = request.meta.get(LEASE_KEY) if request is not None else None
        if request is not None and lease and not isinstance(failure.value, IgnoreRequest):
            detail = f"{type(failure.value).__name__}: {failure.value}"
            item = request.meta.get(ITEM_KEY)
            if item is None:
                self._broken(lease, detail)
            else:
                self._analyzer.follow(item, self.campaign, partial(self._broken, lease, detail))

    def _broken(self, lease: Lease, detail: str) -> None:
        """A callback raised: what it says of the page, or of robots.txt, will not change."""
        with self.campaign.storage_guard():
            if lease.kind == "robots":
                self._robots_retry(lease, "callback_error", None)
            else:
                self.campaign.outcomes.drop(lease, "callback_error", detail)

    def _storage_failed(self) -> None:
        self._stopping = True
        assert self._crawler.engine is not None
        deferred_from_coro(self._crawler.engine.close_spider_async(reason="storage_failed"))

    # -- timers --------------------------------------------------------------------------------

    def _tick(self) -> None:
        with self.campaign.storage_guard():
            if self.campaign.tick():
                self._look_again()
        self._say_stopping()
        if self.campaign.state != self._state:  # told to go on
            self._state = self.campaign.state
            self._look_again()

    def _say_stopping(self) -> None:
        """Once, when Ctrl-C or SIGTERM has come."""
        engine = self._crawler.engine
        assert engine is not None
        if engine.running:
            self._has_run = True
        elif self._has_run and not self._stopping:  # before, stages are still being opened
            self._stopping = True
            self.campaign.frontier.stopping()
            logger.warning(
                "stopping: %d requests are being finished (Ctrl-C again stops at once); "
                "the same command goes on from here",
                len(engine.downloader.active),
            )

    def _wake_later(self, now: float) -> None:
        """Ask the engine to look again when the next host is due."""
        due = self.campaign.frontier.next_ready(now=now)
        if due is None:
            return
        self._cancel_wake()
        self._wake = call_later(min(max(due - now, 0.0), _MAX_WAIT_S), self._wake_up)

    def _wake_up(self) -> None:
        self._wake = None
        self._look_again()

    def _look_again(self) -> None:
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()

    def _cancel_wake(self) -> None:
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None


def _leased(url: str, lease: Lease, callback: Any, errback: Any, more: dict[str, Any]) -> Request:
    """A request under a lease."""
    meta = {LEASE_KEY: lease, "download_slot": lease.host, "handle_httpstatus_all": True, **more}
    return Request(url, callback=callback, errback=errback, dont_filter=True, meta=meta)
