"""The frontier of a worker: Redis in few round trips, and never in the way of the event loop.

A crawler asks its frontier several things for each page. Here they collect for some milliseconds
and travel together, in a thread, one exchange at a time: the links of the pages that came in,
the claims of their bodies, endings, and a wish for as many leases as there is room. What the
crawler must know at once is answered from what the last exchange brought:

- `push` says True for a URL that this worker has not offered before; the server decides.
- `lease` gives what the last exchange fetched; `on_news` tells when there is more.
- `claim_page` waits for the server. It checks the lease too: a page whose lease was lost
  meanwhile is not stored. It also prolongs the lease and lets the host go on.

When the server is away the batch is kept and sent again until it is back. It may have been done
already: every operation can be done twice, but for leases that nobody got to know of; those are
given back. What this worker remembers of URLs it offered is forgotten then, for the server may
have lost its last seconds.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import redis_codec as codec
from quarkcrawl.frontier.redis_frontier import BATCH, RedisFrontier, acknowledgement
from quarkcrawl.frontier.redis_hosts import HostFacts
from quarkcrawl.frontier.redis_server import frontier_error, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.frontier.protocol import (
        Candidate,
        Ending,
        FrontierCounts,
        HostState,
        Lease,
        RetryOutcome,
    )
    from quarkcrawl.frontier.redis_script import Operation

    Reply = Callable[[Any], None]

__all__ = ["FENCED", "BatchedFrontier"]

logger = logging.getLogger(__name__)

FENCED: Final = None
"""Answer of `BatchedFrontier.claim_page` when the lease is no longer valid."""

_GAP_S: Final = 0.02
_BEAT_S: Final = 1.0
_OFFERED: Final = 200_000
_STOPPING_WAIT_S: Final = 10.0


class BatchedFrontier:
    """`quarkcrawl.frontier.protocol.Frontier` for a crawl in an event loop.

    Before `start` every call goes to the server at once (recovery works so); afterwards calls
    collect. After `stop` they go at once again.

    Args:
        frontier: the connection.
        wait_s: longest absence of the server before the run is given up.
    """

    def __init__(self, frontier: RedisFrontier, *, wait_s: float = 3600.0) -> None:
        self.direct = frontier
        self.options = frontier.options
        self.on_news: Callable[[], None] | None = None
        self.on_failure: Callable[[FrontierError], None] | None = None
        self.on_robots: Callable[[str, str], None] | None = None
        self.report: Callable[[], dict[str, object]] | None = None
        self.beat: Callable[[RedisFrontier], object] | None = None
        self.fenced = 0
        self.exchanges = 0
        self.error: FrontierError | None = None
        self._wait_s = wait_s
        self._outbox: list[tuple[Operation, Reply | None]] = []
        self._ready: deque[Lease] = deque()
        self._arrived: list[Lease] = []
        self._held: dict[int, Lease] = {}
        self._settled: set[int] = set()
        self._offered: dict[str, int] = {}
        self._facts = HostFacts()
        self._drained: deque[tuple[Candidate, str]] = deque()
        self._counts: FrontierCounts | None = None
        self._want = 0
        self._next_ready: float | None = -inf
        self._out = 0
        self._state = "running"
        self._connections = frontier.server.connections
        self._last_beat = 0.0
        self._in_flight = False
        self._offline_since: float | None = None
        self._event = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None

    @property
    def running(self) -> bool:
        """Whether calls collect."""
        return self._pump is not None and self.error is None

    @property
    def offline(self) -> bool:
        """Whether the server is away at this moment."""
        return self._offline_since is not None

    # -- the pump --------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to collect; needs a running event loop."""
        self._thread = ThreadPoolExecutor(1, "quarkcrawl-redis")
        self._pump = asyncio.ensure_future(self._run())

    async def stop(self) -> None:
        """Send what was collected and collect no more."""
        if self._pump is None:
            return
        if self.error is None:
            self._wait_s = min(self._wait_s, _STOPPING_WAIT_S)
            await self.delivered()
        pump, self._pump = self._pump, None
        pump.cancel()
        await asyncio.wait([pump])
        assert self._thread is not None
        self._thread.shutdown()

    def stopping(self) -> None:
        """The run is to end soon: do not wait long for a server that is away."""
        self._wait_s = min(self._wait_s, _STOPPING_WAIT_S)

    async def delivered(self) -> None:
        """Return when all that was collected so far was done on the server.

        Raises:
            FrontierError: that will not happen any more.
        """
        await self._ask(["time"])

    def _add(self, operation: Operation, reply: Reply | None = None) -> None:
        if self.error is not None:
            raise self.error
        self._outbox.append((operation, reply))
        self._event.set()

    async def _ask(self, operation: Operation) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def answer(raw: Any) -> None:
            if future.done():
                return
            if isinstance(raw, FrontierError):
                future.set_exception(raw)
            else:
                future.set_result(raw)

        self._add(operation, answer)
        return await future

    async def _run(self) -> None:
        try:
            while True:
                await self._something_to_do()
                started = time.monotonic()
                await self._exchange(self._batch())
                await asyncio.sleep(max(0.0, _GAP_S - (time.monotonic() - started)))
        except Exception as error:  # noqa: BLE001 - the run must end with it, whatever it is
            self._give_up(error)

    async def _something_to_do(self) -> None:
        due = self._last_beat + _BEAT_S - time.monotonic()
        if self._want and self._next_ready is not None:
            due = min(due, self._next_ready - time.time())
        if due > 0 and not self._event.is_set():
            try:
                await asyncio.wait_for(self._event.wait(), due)
            except TimeoutError:
                return
            await asyncio.sleep(_GAP_S / 4)  # what comes of the same page travels along
        self._event.clear()

    def _batch(self) -> list[tuple[Operation, Reply | None]]:
        batch, self._outbox = self._outbox, []
        if time.monotonic() - self._last_beat >= _BEAT_S:
            batch += self._beat_operations()
        room = self._want - len(self._ready)
        if room > 0 and self._state == "running":
            batch.append((["lease", room], self._leased))
        batch.append((["pulse"], self._pulsed))
        return batch

    def _beat_operations(self) -> list[tuple[Operation, Reply | None]]:
        self._last_beat = time.monotonic()
        found: list[tuple[Operation, Reply | None]] = [
            (["drain_closed", BATCH], self._closed_listed),
            (["counts"], self._counted),
        ]
        if self.report is not None:
            text = json.dumps({**self.report(), "seen_at": self.direct.server_time(time.time())})
            found.append((["report", text], None))
        return found

    async def _exchange(self, batch: list[tuple[Operation, Reply | None]]) -> None:
        operations = [operation for operation, _ in batch]
        self._in_flight = True
        try:
            replies = await self._until_done(operations)
        except BaseException as error:
            self._outbox = batch + self._outbox  # their waiters are told by _give_up
            raise error from None
        finally:
            self._in_flight = False
        self.exchanges += 1
        for (_, reply), raw in zip(batch, replies, strict=True):
            if reply is not None:
                reply(raw)
        await self._fetch_robots()  # before their leases may be used
        self._ready += self._arrived
        self._arrived.clear()
        if self._ready and self.on_news is not None:
            self.on_news()

    async def _until_done(self, operations: list[Operation]) -> list[Any]:
        """Send until the server has answered."""
        wait_s = 0.05
        while True:
            try:
                replies = await self._in_thread(self._send, operations)
            except Exception as error:
                if not unreachable(error):
                    raise
                self._went_offline(error)
            else:
                self._came_back()
                return replies  # type: ignore[no-any-return]
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, 1.0)

    def _send(self, operations: list[Operation]) -> list[Any]:
        """In the thread: after a break, first give back leases of which we never heard."""
        server = self.direct.server
        if self.offline:
            keep = [str(token) for token in self._held]
            server.call_raw([["release_worker", server.worker, keep]])
        if self.beat is not None and operations[-2][0] == "report":
            self.beat(self.direct)
        server.round_trips += 1
        return server.call_raw(operations)

    async def _in_thread(self, act: Callable[..., Any], *arguments: Any) -> Any:
        assert self._thread is not None
        return await asyncio.get_running_loop().run_in_executor(self._thread, act, *arguments)

    def _went_offline(self, error: Exception) -> None:
        now = time.monotonic()
        if self._offline_since is None:
            self._offline_since = now
            logger.warning("%s; waiting for it", frontier_error(error, self.direct.server.address))
        elif now - self._offline_since > self._wait_s:
            raise error

    def _came_back(self) -> None:
        connections = self.direct.server.connections
        if connections != self._connections:
            self._connections = connections
            self._offered.clear()
        if self._offline_since is not None:
            away_s = time.monotonic() - self._offline_since
            self._offline_since = None
            logger.warning("%s is back after %.1f s", self.direct.server.address, away_s)

    def _give_up(self, error: Exception) -> None:
        """Tell everyone who waits."""
        if not isinstance(error, FrontierError):
            error = frontier_error(error, self.direct.server.address)
        self.error = error
        batch, self._outbox = self._outbox, []
        for operation, reply in batch:
            if reply is not None and operation[0] in {"claim", "time"}:
                reply(error)
        if self.on_failure is not None:
            self.on_failure(error)

    # -- answers ---------------------------------------------------------------------------

    def _leased(self, raws: list[Any]) -> None:
        offset_s = self.direct.server.offset_s
        for raw in raws:
            lease = codec.lease_of(raw, offset_s)
            self._held[lease.token] = lease
            self._arrived.append(lease)
            self._facts.learn(lease.host, raw, offset_s)
        self._want = max(0, self._want - len(raws))

    def _pulsed(self, raw: list[Any]) -> None:
        ready, pending, self._out, state = raw
        self._state = codec.text(state)
        if ready:
            at = float(ready)
            self._next_ready = at if at == inf else at - self.direct.server.offset_s
        else:
            self._next_ready = inf if pending else None

    def _counted(self, raw: list[Any]) -> None:
        self._counts = codec.counts_of(raw)

    def _closed_listed(self, raws: list[Any]) -> None:
        for raw in raws:
            self._drained.append((codec.candidate_of(*raw[:4]), codec.text(raw[4])))

    async def _fetch_robots(self) -> None:
        """Texts of robots.txt that other workers fetched, of hosts that are new to this one."""
        hosts = self._facts.wanted()
        if not hosts:
            return
        raws = await self._until_done([["host", host] for host in hosts])
        for host, raw in zip(hosts, raws, strict=True):
            state = codec.host_of(raw, self.direct.server.offset_s)
            self._facts.keep_robots(host, state.robots or "", state.robots_time)
            if self.on_robots is not None:
                self.on_robots(host, state.robots or "")

    # -- URLs ------------------------------------------------------------------------------

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs; True where this worker never offered the URL before."""
        if not self.running:
            return self.direct.push(candidates)
        offered, fresh, sent = self._offered, [], []
        for item in codec.items_of(self.direct.keys, candidates):
            level = offered.get(item[3])
            fresh.append(level is None)
            if level is None or level > item[1]:
                offered[item[3]] = item[1]
                sent.append(item)
        if sent:
            self._add(["push", sent])
        self._bound_offered()
        return fresh

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen; True where this worker never offered or marked the URL before."""
        if not self.running:
            return self.direct.mark_seen(urls)
        offered, fresh = self._offered, []
        sent = []
        for key, low in codec.keys_of(self.direct.keys, urls):
            fresh.append(key not in offered)
            if key not in offered:
                offered[key] = 0
                sent.append((key, low))
        if sent:
            self._add(["mark_seen", sent])
        return fresh

    def _bound_offered(self) -> None:
        if len(self._offered) > _OFFERED:
            self._offered.clear()

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """For each URL: its lease, its waiting entry, or None; asks the server at once."""
        return self.direct.find(urls)

    def finish(self, url: str, *, reason: str) -> bool:
        """End a URL by name; asks the server at once."""
        return self.direct.finish(url, reason=reason)

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        """First come, first served; asks the server at once."""
        return self.direct.claim(namespace, digest, owner)

    async def claim_page(
        self, token: int, claims: Sequence[tuple[str, bytes, str]]
    ) -> list[str] | None:
        """Claim digests for a page that is to be stored, under its lease.

        Args:
            token: the page's lease; it is prolonged, and settled.
            claims: namespace, digest and owner of each claim.

        Returns:
            The owners, or `FENCED` if the lease is no longer valid: then nothing was claimed.

        Raises:
            FrontierError: the server will not answer any more.
        """
        self._settled.add(token)
        name = str(token)
        asked = [self._ask(["claim", space, md5.hex(), who, name]) for space, md5, who in claims]
        answers = await asyncio.gather(*asked)
        if any(kind != b"owner" for kind, _ in answers):
            self.forget([token])
            return FENCED
        return [codec.text(owner) for _, owner in answers]

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Leases that are here already; wishes for more."""
        if not self.running:
            return []
        found: list[Lease] = []
        while self._ready and len(found) < limit:
            lease = self._ready.popleft()
            if lease.deadline > now:
                found.append(lease)
            else:
                self.forget([lease.token])
        self._want = limit - len(found)
        if self._want and self._next_ready is not None and self._next_ready <= now:
            self._event.set()
        return found

    def next_ready(self, *, now: float) -> float | None:
        """When there may be something; None when all workers are done, or are to stop."""
        if self._ready:
            return now
        if not self.running:
            return None
        if self._outbox or self._in_flight or self._drained or self._next_ready == -inf:
            return inf
        if self._state == "draining" and not self._held:
            return None
        if self._next_ready is None:
            return inf if self._out else None
        return inf if self._next_ready <= now else self._next_ready

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that fetches are over; claims said so of their pages already."""
        names = [str(token) for token in tokens if token not in self._settled]
        if names and self.running:
            self._add(["settle", names])

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; how many were refused is counted in ``fenced``."""
        if not self.running:
            flags = self.direct.acknowledge(endings)
            self._acknowledged(endings, flags)
            return flags
        self._add(acknowledgement(endings), lambda flags: self._acknowledged(endings, flags))
        return [True] * len(endings)

    def _acknowledged(self, endings: Sequence[Ending], flags: Sequence[object]) -> None:
        self.fenced += sum(not flag for flag in flags)
        self.forget(ending.token for ending in endings)

    def forget(self, tokens: Iterable[int]) -> None:
        """These leases are no longer this worker's: ended, given back or expired."""
        for token in tokens:
            self._held.pop(token, None)
            self._settled.discard(token)

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try; its tries are known here."""
        lease = self._held.get(token)
        if lease is None:
            return "fenced"
        at = self.direct.server_time(not_before)
        self._add(["retry", str(token), reason, at, True])
        if lease.tries >= self.options.max_tries:
            return "exhausted"
        self.forget([token])
        return "queued"

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried."""
        names = [str(token) for token in tokens]
        self._add(["release", names])
        self.forget(map(int, names))
        return len(names)

    def reap(self, *, now: float) -> int:  # noqa: ARG002 - the server's clock decides
        """Have expired leases of all workers given back; those that ended are drained here."""
        if self.running:
            self._add(["reap", BATCH], lambda raw: self._closed_listed(raw[1]))
        return 0

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease with its text."""
        lease = self._held.get(token)
        if lease is None:
            return False
        at = self.direct.server_time(now)
        self._add(["set_robots", str(token), robots, False if delay_s is None else delay_s, at])
        self._facts.keep_robots(lease.host, robots, now)
        self.forget([token])
        return True

    # -- hosts -----------------------------------------------------------------------------

    def host(self, host: str) -> HostState | None:
        """What this worker knows of a host, from its leases."""
        return self._facts.get(host) if self.running else self.direct.host(host)

    def hosts(self) -> Iterator[HostState]:
        """All hosts, from the server."""
        return self.direct.hosts()

    def set_host(
        self,
        host: str,
        *,
        delay_s: float | None = None,
        concurrency: int | None = None,
        not_before: float | None = None,
    ) -> None:
        """Change a host's politeness."""
        at = False if not_before is None else self.direct.server_time(not_before)
        self._add(["set_host", host, delay_s or False, concurrency or False, at])

    def postpone(self, host: str, late_s: float) -> None:
        """Move a host's next time, whatever it is, by the lateness of a request."""
        self._add(["postpone", host, late_s])

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host; what waited is listed by `drain_closed` later."""
        self._add(["close_host", host, reason])
        self._add(["drain_host", host, BATCH], self._closed_listed)
        return iter(())

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """What exchanges brought; after `stop` all there is."""
        while self._drained:
            yield self._drained.popleft()
        if not self.running and self.error is None:
            yield from self.direct.drain_closed()

    # -- the campaign ----------------------------------------------------------------------

    def counts(self) -> FrontierCounts:
        """Totals of the last second."""
        if self.running and self._counts is not None:
            return self._counts
        return self.direct.counts()

    def commit(self) -> None:
        """Nothing to do; see `delivered`."""

    def checkpoint(self) -> None:
        """Nothing to do: how durable the server is, is its own setting."""

    def close(self) -> None:
        """Release this worker's leases, leave and close; safe to call twice."""
        if self._pump is not None:
            self._pump.cancel()
            self._pump = None
        if self._thread is not None:
            self._thread.shutdown()
        self.direct.close()
