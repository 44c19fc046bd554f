"""Pages in, pages after their scripts out, one browser behind it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import ConfigError, FetchError
from quarkcrawl.page import Page
from quarkcrawl.render.browser import BrowserProcess
from quarkcrawl.render.limits import RenderLimits
from quarkcrawl.render.result import RENDERED, Rendered
from quarkcrawl.render.traffic import PageRequests, follow
from quarkcrawl.render.visit import TooLargeError, Visit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine
    from typing import Self

    from quarkcrawl.render.traffic import Fetcher


OFFLINE_URL: Final = "http://rendered.invalid/"
"""Address of a page that has none."""

_WATCH_S: Final = 0.1
_PAGES_PER_BROWSER: Final = 200
_STOP_S: Final = 2.0
_DEFAULT: Final = RenderLimits()


class Renderer:
    """Renders pages one after the other in one browser, which is started when first needed.

    Pages share nothing but the browser's program: each has its own context, without cookies or
    storage of others. A browser that had to be killed is replaced for the next page.

    Args:
        limits: bounds of each page.
        fetcher: fetches what pages ask for; None: pages stand alone, without network.
        browser: path of a Chromium; empty: the first that is found.
        user_agent: what scripts see; empty: the browser's own.

    Raises:
        ConfigError: Playwright is not installed, or the browser is not where it should be.
    """

    def __init__(
        self,
        limits: RenderLimits = _DEFAULT,
        fetcher: Fetcher | None = None,
        browser: str = "",
        user_agent: str = "",
    ) -> None:
        self.limits = limits
        self._fetcher = fetcher
        self._path = browser
        self._user_agent = user_agent
        self._process = BrowserProcess(browser)
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the browser."""
        await self._process.stop()

    async def fetch(self, url: str) -> Rendered:
        """Fetch a page and render it.

        Args:
            url: its address.
        """
        if self._fetcher is None:
            raise ConfigError("a page can be fetched only with a fetcher", where=url)
        try:
            reply = await follow(self._fetcher, url, self.limits.max_total_bytes)
        except FetchError as error:
            return Rendered(url, "render_unreachable", error.reason)
        if not 200 <= reply.status < 300:
            return Rendered(reply.url, "render_unreachable", f"http_{reply.status}")
        kind = reply.content_type.partition(";")[0].strip().lower()
        if kind not in {"", "text/html", "application/xhtml+xml"}:
            return Rendered(reply.url, "render_not_html", kind)
        return await self.render(Page.from_bytes(reply.body, reply.url, reply.content_type))

    async def render(self, page: Page, patience_s: float | None = None) -> Rendered:
        """Render a page that was fetched already.

        Args:
            page: the page as it was received.
            patience_s: longest time to wait for other pages to end; None: as long as it takes.

        Returns:
            How it ended; a page that breaks the browser raises nothing.

        Raises:
            ConfigError: no browser can be started.
        """
        try:
            await asyncio.wait_for(self._turn.acquire(), patience_s)
        except TimeoutError:
            return Rendered(page.url, "render_busy")
        try:
            return await self._render(page)
        finally:
            self._turn.release()

    async def _render(self, page: Page) -> Rendered:
        began = time.monotonic()
        await self._ensure_browser()
        traffic = PageRequests(
            page.url or OFFLINE_URL, page.html.encode(), self.limits, self._fetcher
        )
        result = await self._guarded(traffic)
        return replace(
            result,
            url=page.url,
            n_requests=traffic.n_requests,
            refused=traffic.refused,
            elapsed_s=time.monotonic() - began,
        )

    async def _ensure_browser(self) -> None:
        if self._process.is_alive and self._process.n_pages < _PAGES_PER_BROWSER:
            return
        await self._process.stop()
        self._process = BrowserProcess(self._path)
        await self._process.start()

    async def _guarded(self, traffic: PageRequests) -> Rendered:
        """One page under the watch of memory and time; afterwards the browser is usable or dead."""
        bound_s = self.limits.wall_s + self.limits.capture_s + _STOP_S
        async with _race(self._visit(traffic), self._watch(), timeout_s=bound_s) as (visit, watch):
            if visit.done():
                return await self._result(visit, traffic)
            self._process.kill()  # what waits for the browser ends with it
            has_grown = watch.done()
            detail = watch.result() if has_grown else ""
        await self._process.stop()
        return Rendered(traffic.url, "render_memory" if has_grown else "render_stuck", detail)

    async def _result(self, visit: asyncio.Task[Rendered], traffic: PageRequests) -> Rendered:
        try:
            return visit.result()
        except TooLargeError as error:
            return Rendered(traffic.url, "render_too_large", str(error))
        except Exception as error:  # noqa: BLE001 - the driver raises what it likes
            await self._process.stop()
            text = (str(error).strip().splitlines() or [type(error).__name__])[0]
            return Rendered(traffic.url, "render_error", text[:300])

    async def _watch(self) -> str:
        """Returns once the browser has grown too large."""
        # Nothing tells us but looking.
        while (grown := self._process.grown_bytes) <= self.limits.max_memory_bytes:  # noqa: ASYNC110
            await asyncio.sleep(_WATCH_S)
        return f"{grown >> 20} MiB"

    async def _visit(self, traffic: PageRequests) -> Rendered:
        context = await self._process.new_context(self.limits, self._user_agent)
        visit = Visit(context, traffic, self.limits)
        try:
            await visit.open()
            is_late = not await self._load(visit)
            if visit.crashed.is_set():
                return Rendered(traffic.url, "render_crash", blocked=visit.blocked)
            return _ended(traffic, visit, await visit.take(), is_late=is_late)
        finally:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(visit.close(), _STOP_S)

    async def _load(self, visit: Visit) -> bool:
        """Whether the page came to rest in time."""
        parts = (visit.load(), visit.crashed.wait(), visit.unruly.wait())
        async with _race(*parts, timeout_s=self.limits.wall_s) as (loading, *_):
            if visit.crashed.is_set():
                return False
            if loading.done():
                loading.result()
                return True
        await visit.stop_scripts()
        return False


def _ended(traffic: PageRequests, visit: Visit, page: Page, *, is_late: bool) -> Rendered:
    """The result of a page that could be taken."""
    reason, detail = RENDERED, ""
    if is_late:
        reason = "render_timeout"
    elif traffic.is_over:
        reason = "render_requests"
    elif traffic.led_to:
        reason, detail = "render_redirect", traffic.led_to
    return Rendered(traffic.url, reason, detail, page, blocked=visit.blocked)


@contextlib.asynccontextmanager
async def _race(
    *parts: Coroutine[Any, Any, Any], timeout_s: float
) -> AsyncIterator[list[asyncio.Task[Any]]]:
    """Run until one is done or the time is over; on leaving the others are canceled."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def render(
    page_or_url: Page | str,
    limits: RenderLimits = _DEFAULT,
    *,
    fetcher: Fetcher | None = None,
    browser: str = "",
) -> Rendered:
    """Render one page; for many, a `Renderer` keeps its browser.

    Args:
        page_or_url: a page, or the address of one (needs a fetcher).
        limits: its bounds.
        fetcher: fetches what the page asks for; None: it stands alone, without network.
        browser: path of a Chromium; empty: the first that is found.

    Raises:
        ConfigError: Playwright is not installed, or no browser can be started.
    """

    async def run() -> Rendered:
        async with Renderer(limits, fetcher, browser) as renderer:
            if isinstance(page_or_url, Page):
                return await renderer.render(page_or_url)
            return await renderer.fetch(page_or_url)

    return asyncio.run(run())
