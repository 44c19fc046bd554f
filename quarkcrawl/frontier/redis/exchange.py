"""Taking a worker's operations to Redis: collected for some milliseconds, sent from a thread.

One exchange is on its way at a time, so operations are done in the order in which they were
given. When the server is away the batch is kept and sent again until it is back. It may have been
done already: every operation can be done twice, but for leases that nobody got to know of; those
are given back first.

Besides the crawler's own operations there travel, each time, a wish for leases and the question
how the campaign stands; once a second a report of this worker, and questions for the totals, for
what closed hosts left and for hosts that are never asked. Leases of a host that is new to this
worker are handed out only when the text of its robots.txt is here, if another worker fetched it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.frontier.protocol import WorkerHooks
from quarkcrawl.frontier.redis import codec
from quarkcrawl.frontier.redis.direct import BATCH, RedisFrontier
from quarkcrawl.frontier.redis.server import frontier_error, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.frontier.protocol import Candidate, FrontierCounts
    from quarkcrawl.frontier.redis.memory import WorkerMemory
    from quarkcrawl.frontier.redis.script import Operation
    from quarkcrawl.frontier.redis.starts import StartList

    Reply = Callable[[Any], None]


logger = logging.getLogger(__name__)

_MOST_ITEMS: Final = 2000
"""Operations, and URLs in them, of one exchange: the seeds of a large campaign go in many."""
_GAP_S: Final = 0.02
_BEAT_S: Final = 1.0
_STOPPING_WAIT_S: Final = 9.0
_MOST_NAMES: Final = 1000
_ASKED: Final = frozenset({"claim", "time", "enter_address", "fetched", "end_group", "take_turns"})
"""Operations whose answer somebody may wait for."""


class PendingOperation(NamedTuple):
    """An operation, and who wants its answer."""

    operation: Operation
    reply: Reply | None = None


class Exchange:
    """Collects operations between `start` and `stop`.

    Args:
        direct: the connection.
        memory: the worker's leases; keeps what the server answers.
        wait_s: longest absence of the server before the run is given up.
        starts: a start list to be taken in, once a second.

    Attributes:
        drained: what waited on closed hosts, with the reason, to be listed.
        counts: totals of the last second.
    """

    def __init__(
        self,
        direct: RedisFrontier,
        memory: WorkerMemory,
        *,
        wait_s: float,
        starts: StartList | None = None,
    ) -> None:
        self.outbox: list[PendingOperation] = []
        self.drained: deque[tuple[Candidate, str]] = deque()
        self.counts: FrontierCounts | None = None
        self.error: FrontierError | None = None
        self._hooks = WorkerHooks()
        self._direct = direct
        self._memory = memory
        self._wait_s = wait_s
        self._starts = starts
        self._connections = direct.server.connections
        self._last_beat = 0.0
        self._has_joined = False
        self._in_flight = False
        self._n_looks_due = self._n_looks = 0
        self._is_hurried = False
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
        """Whether something was collected, is on its way, or came and is to be listed."""
        has_more = self._n_looks < self._n_looks_due or self._has_starts
        return bool(self.outbox) or self._in_flight or bool(self.drained) or has_more

    @property
    def _has_starts(self) -> bool:
        """Whether a start list had entries when it was looked at last."""
        is_running = self._memory.state == "running"
        return is_running and self._starts is not None and not self._starts.is_empty

    def look_again(self) -> None:
        """Others have queued something on this server: what it said before no longer counts.

        May be called from other threads; the next beat asks.
        """
        self._n_looks_due += 1

    def start(self, hooks: WorkerHooks) -> None:
        """Begin to collect; needs a running event loop."""
        self._hooks = hooks
        self._direct.server.wait_s = 0.0  # the event loop must not wait
        self._thread = ThreadPoolExecutor(1, "quarkcrawl-redis")
        self._pump = asyncio.ensure_future(self._run())

    async def stop(self) -> None:
        """Send what was collected and collect no more."""
        if self._pump is None:
            return
        if self.error is None:
            await self.ask(["time"])
        pump, self._pump = self._pump, None
        pump.cancel()
        await asyncio.wait([pump])
        assert self._thread is not None
        self._thread.shutdown()
        if self.error is None:
            self._direct.server.wait_s = min(self._wait_s, _STOPPING_WAIT_S)

    def hurry(self) -> None:
        """The run is to end soon: do not wait long for a server that is away.

        One that hangs has answered nothing for a socket's time-out, which is as long.
        """
        self._is_hurried = True
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
        if (at := self._memory.due_at()) is not None:
            due = min(due, at - steady_time())
        if due > 0 and not self._event.is_set():
            try:
                await asyncio.wait_for(self._event.wait(), due)
            except TimeoutError:
                return
            await asyncio.sleep(_GAP_S / 4)  # what comes of the same page travels along
        self._event.clear()

    async def _exchange(self) -> None:
        n_looks = self._n_looks_due
        batch = self._portion()
        beat = time.monotonic() - self._last_beat >= _BEAT_S
        if beat:
            self._last_beat = time.monotonic()
            batch += self._beat()
        if room := self._memory.room():
            batch.append(PendingOperation(["lease", room], self._memory.leased))
        batch.append(PendingOperation(["pulse"], self._memory.pulsed))
        self._in_flight = True
        try:
            replies = await self._send([operation.operation for operation in batch], beat=beat)
        except BaseException as error:
            self.outbox = batch + self.outbox  # their waiters are told by _give_up
            raise error from None
        finally:
            self._in_flight = False
        for (_, reply), raw in zip(batch, replies, strict=True):
            if reply is not None:
                reply(raw)
        self._n_looks = n_looks
        await self._fetch_robots()
        if self._memory.arrived():
            self._hooks.on_leases()

    def _beat(self) -> list[PendingOperation]:
        """What travels once a second."""
        report = {**self._hooks.report(), "seen_at": self._direct.server_time(steady_time())}
        batch = [
            PendingOperation(["drain_closed", BATCH], self.closed_listed),
            PendingOperation(["counts"], self._counted),
            PendingOperation(["report", json.dumps(report)]),
        ]
        if self._hooks.opted_out is not None:
            names, n_told = self._hooks.opted_out.unsent(_MOST_NAMES)
            batch.append(PendingOperation(["opt_out", names, n_told], self._told_opted_out))
        return batch

    def _counted(self, raw: list[Any]) -> None:
        self.counts = codec.counts_of(raw)

    def _told_opted_out(self, raws: list[Any] | None) -> None:
        if raws is not None and self._hooks.opted_out is not None:
            self._hooks.opted_out.told(map(codec.text, raws))

    def closed_listed(self, raws: list[Any]) -> None:
        """Answer of the operations that drain closed hosts."""
        self.drained += codec.drained_of(raws)

    async def _fetch_robots(self) -> None:
        hosts = self._memory.facts.wanted()
        if not hosts:
            return
        raws = await self._send([["host", host] for host in hosts])
        for host, raw in zip(hosts, raws, strict=True):
            state = codec.host_of(raw, self._direct.server.offset_s)
            self._memory.facts.keep_robots(host, state.robots or "", state.robots_time)
            self._hooks.on_robots(host, state.robots or "")

    def _portion(self) -> list[PendingOperation]:
        """The first operations of the outbox, as many as the server can do in a moment."""
        weight, count = 0, 0
        for operation in self.outbox:
            weight += 1 + sum(len(part) for part in operation.operation if isinstance(part, list))
            if count and weight > _MOST_ITEMS:
                break
            count += 1
        batch, self.outbox = self.outbox[:count], self.outbox[count:]
        if self.outbox:
            self._event.set()
        return batch

    async def _send(self, operations: list[Operation], *, beat: bool = False) -> list[Any]:
        """Send until the server has answered."""
        assert self._thread is not None
        loop = asyncio.get_running_loop()
        wait_s = 0.05
        begun = time.monotonic()
        while True:
            try:
                replies = await loop.run_in_executor(self._thread, self._call, operations, beat)
            except Exception as error:
                if not unreachable(error):
                    raise
                self._went_offline(error, begun)
            else:
                self._came_back()
                return replies
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, 1.0)

    def _call(self, operations: list[Operation], beat: bool) -> list[Any]:  # noqa: FBT001
        """In the thread: first give back what a dead worker of our name had out.

        After a break that is done again: there may be leases of which we never heard.
        """
        server = self._direct.server
        if self.offline or not self._has_joined:
            keep = [str(token) for token in self._memory.tokens()]
            server.call_raw([["release_worker", server.worker, keep, not self._has_joined]])
            self._has_joined = True
        if beat and self._starts is not None:
            try:
                self._starts.take_in(self._direct)
            except FrontierError as error:  # the server may only be away: `_send` knows what to do
                raise error.__cause__ or error from None
        server.round_trips += 1
        return server.call_raw(operations)

    def _went_offline(self, error: Exception, begun: float) -> None:
        """Wait for the server, unless that is over; one that hangs was waited for already."""
        is_first = self._offline_since is None
        if self._offline_since is None:
            self._offline_since = begun
        hung_s = time.monotonic() - self._offline_since
        if hung_s > self._wait_s and (self._is_hurried or not is_first):
            raise error
        if is_first:
            logger.warning("%s; waiting for it", frontier_error(error, self._direct.server.address))

    def _came_back(self) -> None:
        server = self._direct.server
        if server.connections != self._connections:
            self._connections = server.connections
            self._memory.offered.clear()  # it may have lost its last seconds
            self._memory.links.clear()
        if self._offline_since is not None:
            away_s = time.monotonic() - self._offline_since
            self._offline_since = None
            logger.warning("%s is back after %.1f s", server.address, away_s)

    def _give_up(self, error: Exception) -> None:
        """Tell everyone who waits."""
        if not isinstance(error, FrontierError):
            error = frontier_error(error, self._direct.server.address)
        self.error = error
        if self._is_hurried:
            self._direct.server.hasten()
        batch, self.outbox = self.outbox, []
        for operation, reply in batch:
            if reply is not None and operation[0] in _ASKED:
                reply(error)
        self._hooks.on_failure(error)
