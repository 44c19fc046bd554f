"""Taking a worker's operations to Redis: collected for some milliseconds, sent from a thread.

One exchange is on its way at a time, so operations are done in the order in which they were
given. When the server is away the batch is kept and sent again until it is back. It may have been
done already: every operation can be done twice, but for leases that nobody got to know of; those
are given back first.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.redis.server import frontier_error, unreachable
from quarkcrawl.frontier.redis.traffic import PendingOperation

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.frontier.redis.direct import RedisFrontier
    from quarkcrawl.frontier.redis.script import Operation
    from quarkcrawl.frontier.redis.traffic import Reply, Traffic


logger = logging.getLogger(__name__)

_MOST_ITEMS: Final = 2000
"""Operations, and URLs in them, of one exchange: the seeds of a large campaign go in many."""
_GAP_S: Final = 0.02
_BEAT_S: Final = 1.0
_STOPPING_WAIT_S: Final = 10.0


class Exchange:
    """Collects operations between `start` and `stop`.

    Args:
        direct: the connection.
        traffic: what travels besides, and where answers go.
        wait_s: longest absence of the server before the run is given up.
    """

    def __init__(self, direct: RedisFrontier, traffic: Traffic, *, wait_s: float) -> None:
        self.outbox: list[PendingOperation] = []
        self.error: FrontierError | None = None
        self._direct = direct
        self._traffic = traffic
        self._wait_s = wait_s
        self._connections = direct.server.connections
        self._last_beat = 0.0
        self._has_joined = False
        self._in_flight = False
        self._offline_since: float | None = None
        self._event = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None

    @property
    def running(self) -> bool:
        """Whether operations are collected."""
        return self._pump is not None and self.error is None

    @property
    def offline(self) -> bool:
        """Whether the server is away at this moment."""
        return self._offline_since is not None

    @property
    def busy(self) -> bool:
        """Whether something was collected or is on its way."""
        return bool(self.outbox) or self._in_flight

    def start(self) -> None:
        """Begin to collect; needs a running event loop."""
        self._thread = ThreadPoolExecutor(1, "quarkcrawl-redis")
        self._pump = asyncio.ensure_future(self._run())

    async def stop(self) -> None:
        """Send what was collected and collect no more."""
        if self._pump is None:
            return
        if self.error is None:
            self.hurry()
            await self.ask(["time"])
        pump, self._pump = self._pump, None
        pump.cancel()
        await asyncio.wait([pump])
        assert self._thread is not None
        self._thread.shutdown()

    def hurry(self) -> None:
        """The run is to end soon: do not wait long for a server that is away."""
        self._wait_s = min(self._wait_s, _STOPPING_WAIT_S)

    def close(self) -> None:
        """End without sending; safe to call twice."""
        if self._pump is not None:
            self._pump.cancel()
            self._pump = None
        if self._thread is not None:
            self._thread.shutdown()

    def add(self, operation: Operation, reply: Reply | None = None) -> None:
        """Collect an operation.

        Raises:
            FrontierError: the server was given up.
        """
        if self.error is not None:
            raise self.error
        self.outbox.append(PendingOperation(operation, reply))
        self._event.set()

    def wake(self) -> None:
        """Let an exchange take place soon."""
        self._event.set()

    async def ask(self, operation: Operation) -> Any:
        """Collect an operation and wait for its answer.

        Raises:
            FrontierError: there will be none.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def answer(raw: Any) -> None:
            if future.done():
                return
            if isinstance(raw, FrontierError):
                future.set_exception(raw)
            else:
                future.set_result(raw)

        self.add(operation, answer)
        return await future

    async def _run(self) -> None:
        try:
            while True:
                await self._something_to_do()
                started = time.monotonic()
                await self._exchange()
                await asyncio.sleep(max(0.0, _GAP_S - (time.monotonic() - started)))
        except Exception as error:  # noqa: BLE001 - the run must end with it, whatever it is
            self._give_up(error)

    async def _something_to_do(self) -> None:
        due = self._last_beat + _BEAT_S - time.monotonic()
        if (at := self._traffic.held.due_at()) is not None:
            due = min(due, at - time.time())
        if due > 0 and not self._event.is_set():
            try:
                await asyncio.wait_for(self._event.wait(), due)
            except TimeoutError:
                return
            await asyncio.sleep(_GAP_S / 4)  # what comes of the same page travels along
        self._event.clear()

    async def _exchange(self) -> None:
        batch = self._portion()
        beat = time.monotonic() - self._last_beat >= _BEAT_S
        if beat:
            self._last_beat = time.monotonic()
            batch += self._traffic.beat()
        batch += self._traffic.wishes()
        self._in_flight = True
        try:
            replies = await self.send([asked.operation for asked in batch], beat=beat)
        except BaseException as error:
            self.outbox = batch + self.outbox  # their waiters are told by _give_up
            raise error from None
        finally:
            self._in_flight = False
        for (_, reply), raw in zip(batch, replies, strict=True):
            if reply is not None:
                reply(raw)
        await self._traffic.arrived(self.send)

    def _portion(self) -> list[PendingOperation]:
        """The first operations of the outbox, as many as the server can do in a moment."""
        weight, count = 0, 0
        for asked in self.outbox:
            weight += 1 + sum(len(part) for part in asked.operation if isinstance(part, list))
            if count and weight > _MOST_ITEMS:
                break
            count += 1
        batch, self.outbox = self.outbox[:count], self.outbox[count:]
        if self.outbox:
            self._event.set()
        return batch

    async def send(self, operations: list[Operation], *, beat: bool = False) -> list[Any]:
        """Send until the server has answered; between exchanges, from `Traffic.arrived`, only."""
        wait_s = 0.05
        while True:
            try:
                replies = await self._in_thread(self._send, operations, beat)
            except Exception as error:
                if not unreachable(error):
                    raise
                self._went_offline(error)
            else:
                self._came_back()
                return replies  # type: ignore[no-any-return]
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, 1.0)

    def _send(self, operations: list[Operation], beat: bool) -> list[Any]:  # noqa: FBT001
        """In the thread: first give back what a dead worker of our name had out.

        After a break that is done again: there may be leases of which we never heard.
        """
        server = self._direct.server
        if self.offline or not self._has_joined:
            keep = [str(token) for token in self._traffic.held.tokens()]
            server.call_raw([["release_worker", server.worker, keep]])
            self._has_joined = True
        if beat:
            self._traffic.take_starts()
        server.round_trips += 1
        return server.call_raw(operations)

    async def _in_thread(self, act: Callable[..., Any], *arguments: Any) -> Any:
        assert self._thread is not None
        return await asyncio.get_running_loop().run_in_executor(self._thread, act, *arguments)

    def _went_offline(self, error: Exception) -> None:
        now = time.monotonic()
        if self._offline_since is None:
            self._offline_since = now
            logger.warning("%s; waiting for it", frontier_error(error, self._direct.server.address))
        elif now - self._offline_since > self._wait_s:
            raise error

    def _came_back(self) -> None:
        server = self._direct.server
        if server.connections != self._connections:
            self._connections = server.connections
            self._traffic.offered.clear()  # it may have lost its last seconds
        if self._offline_since is not None:
            away_s = time.monotonic() - self._offline_since
            self._offline_since = None
            logger.warning("%s is back after %.1f s", server.address, away_s)

    def _give_up(self, error: Exception) -> None:
        """Tell everyone who waits."""
        if not isinstance(error, FrontierError):
            error = frontier_error(error, self._direct.server.address)
        self.error = error
        batch, self.outbox = self.outbox, []
        for operation, reply in batch:
            if reply is not None and operation[0] in {"claim", "time"}:
                reply(error)
        self._traffic.hooks.on_failure(error)
