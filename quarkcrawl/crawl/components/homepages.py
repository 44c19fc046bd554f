"""Asking hosts for their home pages: what the spider ``seeds`` does on the network.

As the thesis did with wget -T20 -t2 (CWT200g, 3.2): one page a host, 20 s, two tries in all, many
hosts at once. Redirects are followed and noted. Each host ends with one `Probe`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
from typing import TYPE_CHECKING, Any, Final

import scrapy
from scrapy.exceptions import CloseSpider

from quarkcrawl.crawl.campaign import RETRIED, OptOut, http_reason
from quarkcrawl.crawl.components.addon import EXTENSIONS, PIPELINES, SPIDER_MIDDLEWARES
from quarkcrawl.crawl.http import REDIRECTS, media_type, reason_of, redirect_target
from quarkcrawl.crawl.options import config_of
from quarkcrawl.errors import StoreError
from quarkcrawl.page import host_key
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.select import Probe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from quarkcrawl.progress import Progress
    from quarkcrawl.select import ProbeFile


logger = logging.getLogger(__name__)

CONCURRENCY: Final = 200
_KEY = "quarkcrawl_probe"
_LOG_S = 10.0

CHECK_SETTINGS: Final[dict[str, Any]] = {
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "QUARKCRAWL_CONCURRENCY": CONCURRENCY,
    "QUARKCRAWL_MAX_TRIES": 2,
    # A check writes no corpus: no frontier, no leases, no stages.
    "QUARKCRAWL_OUT": "",
    "SPIDER_MIDDLEWARES": dict.fromkeys(SPIDER_MIDDLEWARES),
    "ITEM_PIPELINES": dict.fromkeys(PIPELINES),
    "EXTENSIONS": dict.fromkeys(EXTENSIONS),
    "HTTPERROR_ALLOW_ALL": True,
    "FEED_EXPORT_FIELDS": ["host", "url", "pages", "md5", "aliases"],
}
"""Settings of a spider that asks for home pages; the command line overrides them."""


class HomePages:
    """One check under way.

    Args:
        crawler: Scrapy's object for the run of the spider; its settings hold the limits.
        hosts: host → home page, all of the check; those that the file has are not asked again.
        file: takes a probe for each host.
        on_progress: is told of each host.

    Raises:
        ConfigError: the opt-out list cannot be read.
        InputError: a line of it is no host.
    """

    def __init__(
        self,
        crawler: Crawler,
        hosts: Mapping[str, str],
        file: ProbeFile,
        on_progress: Progress = no_progress,
    ) -> None:
        self._crawler = crawler
        self._config = config_of(crawler.settings)
        self._file = file
        self._opt_out = OptOut(self._config.opt_out)
        self._waiting = {h: u for h, u in hosts.items() if h not in file.done}
        self._total = len(self._waiting)
        self._step = CountedStep("home pages", on_progress, self._total)
        self._alive = self._dead = 0
        # A request that waits in Scrapy's queue costs memory: no more are made than can go out.
        self._places = self._config.concurrency + 16
        self._free = asyncio.Semaphore(self._places)
        self._next_log = time.monotonic() + _LOG_S
        self.failure: StoreError | None = None

    async def requests(self) -> AsyncIterator[Request]:
        """First requests, as places get free; ends when the last host has its probe."""
        for host in sorted(self._waiting, key=_mixed):
            await self._free.acquire()
            if self.failure is not None:
                return
            url = self._waiting[host]
            state = {"host": host, "url": url, "tries": 1, "hops": 0}
            self._opt_out.look()
            if self._opt_out.covers(host):
                with contextlib.suppress(CloseSpider):  # seen above, the next time
                    self._end(state, "opted_out", url)
            else:
                yield self._request(url, state)
        for _ in range(self._places):
            await self._free.acquire()

    def _request(self, url: str, state: dict[str, Any]) -> Request:
        return scrapy.Request(
            url, self._answered, errback=self._failed, meta={_KEY: state}, dont_filter=True
        )

    def _answered(self, response: Response) -> Iterator[Request]:
        state = response.meta[_KEY] | {"status": response.status}
        if response.status in REDIRECTS:
            yield from self._redirected(response, state)
        elif not 200 <= response.status < 300:
            yield from self._again(response.url, state, http_reason(response.status))
        elif (kind := media_type(response)) and kind not in self._config.mime_types:
            self._end(state, "mime", response.url)
        else:
            digest = hashlib.md5(response.body, usedforsecurity=False).hexdigest()
            self._end(state | {"md5": digest, "body_bytes": len(response.body)}, "", response.url)

    def _redirected(self, response: Response, state: dict[str, Any]) -> Iterator[Request]:
        target = redirect_target(response)
        if target is None:
            self._end(state, "bad_redirect", response.url)
        elif state["hops"] >= self._config.max_redirects:
            self._end(state, "redirect_limit", target)
        elif self._opt_out.covers(host_key(target)):
            self._end(state, "opted_out", target)
        else:
            yield self._request(target, state | {"hops": state["hops"] + 1, "tries": 1})

    def _failed(self, failure: Failure) -> Iterator[Request]:
        request: Request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        state = request.meta[_KEY] | {"status": 0}
        yield from self._again(request.url, state, reason_of(failure.value))

    def _again(self, url: str, state: dict[str, Any], reason: str) -> Iterator[Request]:
        if reason in RETRIED and state["tries"] < self._config.max_tries:
            yield self._request(url, state | {"tries": state["tries"] + 1})
        else:
            self._end(state, reason, url)

    def _end(self, state: dict[str, Any], reason: str, final_url: str) -> None:
        probe = Probe(**state, reason=reason, final_url=final_url, checked_at=round(time.time(), 3))
        self._free.release()
        try:
            self._file.add(probe)
        except StoreError as error:
            self.failure = error
            raise CloseSpider("storage_failed") from error
        if probe.is_alive:
            self._alive += 1
        else:
            self._dead += 1
        self._step.add()
        self._log()

    def _log(self) -> None:
        if time.monotonic() < self._next_log:
            return
        self._next_log = time.monotonic() + _LOG_S
        done = self._alive + self._dead
        logger.info("%d of %d hosts checked, %d alive", done, self._total, self._alive)


def _mixed(host: str) -> bytes:
    """Order of asking: hosts of one owner, neighbors in the list, should not come together."""
    return hashlib.blake2b(host.encode(), digest_size=8).digest()
