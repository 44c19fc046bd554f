"""One page in the browser: load it, let its clock run, scroll, take what is there."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.page import Page
from quarkcrawl.render.align import lay_out
from quarkcrawl.render.serialise import serialise
from quarkcrawl.render.snapshot import STYLES, Snapshot

if TYPE_CHECKING:
    from quarkcrawl.render.limits import RenderLimits
    from quarkcrawl.render.traffic import Traffic

__all__ = ["TooLargeError", "Visit"]

_CLOCK_POLICY: Final = "pauseIfNetworkFetchesPending"
_SCROLL: Final = "window.scrollTo(0, document.documentElement.scrollHeight)"
_MAX_STARVED: Final = 1000
"""Tasks that the page may run without its clock moving on."""


class TooLargeError(Exception):
    """The page has more nodes or characters than may be taken."""


class Visit:
    """A page in its own browser context.

    Args:
        context: the context.
        traffic: answers its requests.
        limits: its bounds.
    """

    def __init__(self, context: Any, traffic: Traffic, limits: RenderLimits) -> None:
        self._context = context
        self._traffic = traffic
        self._limits = limits
        self._page: Any = None
        self._tools: Any = None
        self._expired = asyncio.Event()
        self.blocked: Counter[str] = Counter()
        self.crashed = asyncio.Event()

    async def open(self) -> None:
        """Make the page and switch its guards on."""
        await self._context.route("**/*", self._answer)
        self._page = await self._context.new_page()
        self._context.on("page", self._close_popup)
        self._page.on("dialog", self._dismiss)
        self._page.on("download", lambda _: self._count("download"))
        self._page.on("websocket", lambda _: self._count("websocket"))
        self._page.on("popup", lambda _: self._count("popup"))
        self._page.on("crash", lambda _: self.crashed.set())
        self._tools = await self._context.new_cdp_session(self._page)
        self._tools.on("Emulation.virtualTimeBudgetExpired", lambda _: self._expired.set())

    async def _answer(self, route: Any) -> None:
        with contextlib.suppress(Exception):  # the page may be gone before its answer
            await self._traffic.answer(route)

    def _count(self, kind: str) -> None:
        self.blocked[kind] += 1

    async def _dismiss(self, dialog: Any) -> None:
        self._count("dialog")
        with contextlib.suppress(Exception):  # the page may be gone with its dialog
            await dialog.dismiss()

    async def _close_popup(self, popup: Any) -> None:
        with contextlib.suppress(Exception):
            await popup.close()

    async def load(self) -> None:
        """Load the page and let its scripts run until its clock has run out."""
        limits = self._limits
        await self._page.goto(self._traffic.url, wait_until="commit", timeout=0)
        await self._run_clock(limits.page_clock_s)
        height = await self._height()
        for _ in range(limits.max_scrolls):
            # The driver's own evaluate waits for the page's clock, which stands still here.
            await self._tools.send("Runtime.evaluate", {"expression": _SCROLL})
            await self._run_clock(limits.scroll_clock_s)
            before, height = height, await self._height()
            if height <= before or self._traffic.is_over:
                break

    async def _run_clock(self, budget_s: float) -> None:
        self._expired.clear()
        await self._tools.send(
            "Emulation.setVirtualTimePolicy",
            {
                "policy": _CLOCK_POLICY,
                "budget": budget_s * 1000,
                "maxVirtualTimeTaskStarvationCount": _MAX_STARVED,
            },
        )
        await self._expired.wait()

    async def _height(self) -> float:
        metrics = await self._tools.send("Page.getLayoutMetrics")
        return float(metrics["cssContentSize"]["height"])

    async def stop_scripts(self) -> None:
        """End the script that runs and let no other begin."""
        await self._tools.send("Emulation.setScriptExecutionDisabled", {"value": True})
        await self._tools.send("Runtime.terminateExecution")

    async def take(self) -> Page:
        """The page as it stands, with its layout.

        Raises:
            TooLargeError: it has more nodes or characters than may be taken.
        """
        await self._check_size()
        raw = await self._tools.send(
            "DOMSnapshot.captureSnapshot", {"computedStyles": list(STYLES)}
        )
        snapshot = Snapshot(raw)
        written = serialise(snapshot)
        if len(written.html) > self._limits.max_html_chars:
            raise TooLargeError(f"{len(written.html)} characters")
        page = Page.from_html(written.html, self._traffic.url)
        page.layout = lay_out(page, written, snapshot)
        return page

    async def _check_size(self) -> None:
        await self._tools.send("Performance.enable")
        reply = await self._tools.send("Performance.getMetrics")
        n_nodes = next((m["value"] for m in reply["metrics"] if m["name"] == "Nodes"), 0)
        if n_nodes > self._limits.max_nodes:
            raise TooLargeError(f"{n_nodes:.0f} nodes")

    async def close(self) -> None:
        """Forget the page and all that it has stored."""
        await self._context.close()
