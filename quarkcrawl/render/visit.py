"""One page in the browser: load it, let its clock run, scroll, take what is there.

Spoken is the DevTools protocol itself, over the driver's session: the driver's own interception
costs a task for each request that no one can end once the browser is dead, and its evaluate waits
for the page's clock, which stands still most of the time.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.page import Page
from quarkcrawl.render.align import lay_out
from quarkcrawl.render.serialize import serialize
from quarkcrawl.render.snapshot import STYLES, DomSnapshot

if TYPE_CHECKING:
    from quarkcrawl.render.limits import RenderLimits
    from quarkcrawl.render.traffic import PageRequests, Reply


_CLOCK: Final = {"policy": "pauseIfNetworkFetchesPending"}
_MAX_STARVED: Final = 1000
"""Tasks that the page may run without its clock moving on."""

_FRAMES: Final = """new Promise(done => {
    let frames = SCROLL ? 6 : 5;
    const next = () => {
        if (--frames == 3 && SCROLL) scrollTo(0, document.documentElement.scrollHeight);
        if (frames) requestAnimationFrame(next); else done();
    };
    next();
})"""
"""Scroll events and intersections are told with frames, which come by our clock, not the page's;
what was out of sight must be seen to be so before the scroll."""

_FRAMES_S: Final = 1.0
"""Longest time for these frames."""

_MISSING: Final = """window.open = () => null;
delete window.RTCPeerConnection; delete window.webkitRTCPeerConnection"""
"""What pages have to do without. A popup that is closed again costs a tenth of a second; links may
still open some. WebRTC could reach nobody, but the machine would join a group of its network."""

_MAX_DIALOGS: Final = 100


class TooLargeError(Exception):
    """The page has more nodes or characters than may be taken."""


class Visit:
    """A page in its own browser context.

    Args:
        traffic: answers its requests.

    Attributes:
        blocked: dialogs, popups, downloads and WebSockets so far.
        crashed: set when the browser's process for the page broke down.
        unruly: set when it opens dialogs without end.
    """

    def __init__(self, context: Any, traffic: PageRequests, limits: RenderLimits) -> None:
        self._context = context
        self._traffic = traffic
        self._limits = limits
        self._page: Any = None
        self._session: Any = None
        self._frame = ""
        self._expired = asyncio.Event()
        self._answers: set[asyncio.Task[None]] = set()
        self._is_shut = False
        self.blocked: Counter[str] = Counter()
        self.crashed = asyncio.Event()
        self.unruly = asyncio.Event()

    async def open(self) -> None:
        """Make the page and switch its guards on."""
        self._page = await self._context.new_page()
        # Nobody listens for dialogs, so the driver itself dismisses them.
        self._page.on("download", lambda _: self._count("download"))
        self._page.on("popup", self._close_popup)
        self._page.on("crash", lambda _: self.crashed.set())
        self._session = session = await self._context.new_cdp_session(self._page)
        session.on("Fetch.requestPaused", self._on_request)
        session.on("Page.javascriptDialogOpening", self._on_dialog)
        # On the session that says when the page's clock has run out, or they may come after that.
        session.on("Network.webSocketCreated", lambda _: self._count("websocket"))
        session.on("Emulation.virtualTimeBudgetExpired", lambda _: self._expired.set())
        await self._send("Page.enable")
        await self._send("Network.enable", maxTotalBufferSize=0, maxResourceBufferSize=0)
        await self._send("Page.addScriptToEvaluateOnNewDocument", source=_MISSING)
        tree = await self._send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        await self._send("Fetch.enable", patterns=[{"urlPattern": "*"}])

    async def _send(self, method: str, **values: Any) -> Any:
        return await self._session.send(method, values)

    # What the page does

    def _count(self, kind: str) -> None:
        self.blocked[kind] += 1

    def _on_dialog(self, _: Any) -> None:
        self._count("dialog")
        if self.blocked["dialog"] > _MAX_DIALOGS:
            self.unruly.set()

    async def _close_popup(self, popup: Any) -> None:
        self._count("popup")
        with contextlib.suppress(Exception):  # it may be gone already
            await popup.close()

    def _on_request(self, event: Any) -> None:
        task = asyncio.create_task(self._answer(event))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _answer(self, event: Any) -> None:
        url, method = event["request"]["url"], event["request"]["method"]
        kind = event["resourceType"].lower()
        is_page = kind == "document" and event["frameId"] == self._frame
        if is_page:
            reply = self._traffic.navigate(url)
        else:
            reply = await self._traffic.answer(url, method, kind)
        with contextlib.suppress(Exception):  # the page may be gone before its answer
            if reply is not None:
                await self._fulfil(event["requestId"], reply)
            else:
                # An aborted navigation leaves the page as it is; any other failure puts the
                # browser's own error page in its place.
                reason = "Aborted" if kind == "document" else "BlockedByClient"
                await self._send(
                    "Fetch.failRequest", requestId=event["requestId"], errorReason=reason
                )
            if self._traffic.is_over:
                await self._shut()

    async def _fulfil(self, request: str, reply: Reply) -> None:
        headers = {"content-type": reply.content_type, "access-control-allow-origin": "*"}
        await self._send(
            "Fetch.fulfillRequest",
            requestId=request,
            responseCode=reply.status,
            responseHeaders=[{"name": k, "value": v} for k, v in headers.items() if v],
            body=base64.b64encode(reply.body).decode(),
        )

    async def _shut(self) -> None:
        """Ask us no more but about documents: the browser has no network, the rest fails there."""
        if not self._is_shut:
            self._is_shut = True
            await self._send("Fetch.enable", patterns=[{"resourceType": "Document"}])

    # What we do

    async def load(self) -> None:
        """Load the page, let its scripts run until its clock has run out, scroll to its end."""
        limits = self._limits
        await self._page.goto(self._traffic.url, wait_until="commit", timeout=0)
        await self._run_clock(limits.page_clock_s)
        # Its clock can run out before the first frame, for which scripts wait too.
        await self._show_frames()
        await self._run_clock(limits.scroll_clock_s)
        height = await self._height()
        if height <= limits.height_px:  # all of it is in sight
            return
        for _ in range(limits.max_scrolls):
            await self._show_frames(scroll=True)
            await self._run_clock(limits.scroll_clock_s)
            before, height = height, await self._height()
            if height <= before or self._traffic.is_over:
                break

    async def _show_frames(self, *, scroll: bool = False) -> None:
        await self._send("Emulation.setVirtualTimePolicy", **_CLOCK)
        script = _FRAMES.replace("SCROLL", json.dumps(scroll))
        frames = self._send("Runtime.evaluate", expression=script, awaitPromise=True)
        # The driver raises where the page goes elsewhere meanwhile; then that page is taken.
        with contextlib.suppress(Exception):
            await asyncio.wait_for(frames, _FRAMES_S)

    async def _run_clock(self, budget_s: float) -> None:
        self._expired.clear()
        await self._send(
            "Emulation.setVirtualTimePolicy",
            **_CLOCK,
            budget=budget_s * 1000,
            maxVirtualTimeTaskStarvationCount=_MAX_STARVED,
        )
        await self._expired.wait()

    async def _height(self) -> float:
        metrics = await self._send("Page.getLayoutMetrics")
        return float(metrics["cssContentSize"]["height"])

    async def stop_scripts(self) -> None:
        """End the script that runs and let no other begin."""
        # Together: a page that waits for its dialog takes the second, but not the first.
        await asyncio.gather(
            self._send("Emulation.setScriptExecutionDisabled", value=True),
            self._send("Runtime.terminateExecution"),
        )

    async def take(self) -> Page:
        """The page as it stands, with its layout.

        Raises:
            TooLargeError: it has more nodes or characters than may be taken.
        """
        await self._check_size()
        raw = await self._send("DOMSnapshot.captureSnapshot", computedStyles=list(STYLES))
        snapshot = DomSnapshot(raw)
        written = serialize(snapshot, self._traffic.sheets)
        if len(written.html) > self._limits.max_html_chars:
            raise TooLargeError(f"{len(written.html)} characters")
        page = Page.from_html(written.html, self._traffic.url)
        page.layout = lay_out(page, written, snapshot)
        return page

    async def _check_size(self) -> None:
        await self._send("Performance.enable")
        reply = await self._send("Performance.getMetrics")
        n_nodes = next((m["value"] for m in reply["metrics"] if m["name"] == "Nodes"), 0)
        if n_nodes > self._limits.max_nodes:
            raise TooLargeError(f"{n_nodes:.0f} nodes")

    async def close(self) -> None:
        """Forget the page and all that it has stored."""
        for task in tuple(self._answers):
            task.cancel()
        await self._context.close()
