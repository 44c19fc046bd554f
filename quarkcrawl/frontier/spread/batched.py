"""The frontier of a worker over several servers; each has an exchange, and a thread, of its own.

A server that is away holds up what lies there and nothing else: hosts of the others go on until
the worker has no more room for pages that wait for it (a body is claimed on the server of its
digest, whichever host it is of).
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.frontier.protocol import FENCED, WorkerHooks
from quarkcrawl.frontier.redis import BatchedFrontier, StartList, start_candidate
from quarkcrawl.frontier.spread.routing import RoutedFrontier

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from quarkcrawl.frontier.protocol import Candidate, EndingGroup, Lease, OptedOut
    from quarkcrawl.frontier.spread.direct import SpreadFrontier


T = TypeVar("T")

_BALANCE_S: Final = 0.5
_AWAY_S: Final = 1.0
_FRESH_SHARE: Final = 0.2
"""Of a lease's time, for which its answer is good."""


class SpreadBatched(RoutedFrontier[BatchedFrontier]):
    """What `BatchedFrontier` is on one server, on several.

    Args:
        frontier: the connections.
        wait_s: longest absence of a server before the run is given up.
        starts: key of a start list to be taken in, on any of the servers; "": none.
        read_start: an entry of it as a URL to be queued.
    """

    def __init__(
        self,
        frontier: SpreadFrontier,
        *,
        wait_s: float = 3600.0,
        starts: str = "",
        read_start: Callable[[bytes], Candidate | None] = start_candidate,
    ) -> None:
        parts = [
            BatchedFrontier(
                part,
                wait_s=wait_s,
                starts=StartList(starts, self._queue, read=read_start) if starts else None,
            )
            for part in frontier.parts
        ]
        super().__init__(parts, frontier.placement)
        self.direct = frontier
        self._turn = 0
        self._has_failed = False
        self._balancing: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None

    @property
    def running(self) -> bool:
        """Whether calls collect."""
        return all(part.running for part in self.parts)

    def start(self, hooks: WorkerHooks) -> None:
        """Begin to collect; needs a running event loop."""
        names = None if hooks.opted_out is None else SharedOptOut(hooks.opted_out)

        def failed(error: FrontierError) -> None:
            if not self._has_failed:
                self._has_failed = True
                hooks.on_failure(error)

        for part in self.parts:
            own = dataclasses.replace(
                hooks, on_failure=failed, opted_out=None if names is None else names.of_server()
            )
            part.start(own)
        if self.direct.max_campaign_pages:
            self._thread = ThreadPoolExecutor(1, "quarkcrawl-shares")
            self._balancing = asyncio.ensure_future(self._balance(self._thread, failed))

    async def _balance(
        self, thread: ThreadPoolExecutor, failed: Callable[[FrontierError], None]
    ) -> None:
        while True:
            try:
                await asyncio.get_running_loop().run_in_executor(thread, self.direct.balance)
            except FrontierError as error:
                failed(error)
                return
            await asyncio.sleep(_BALANCE_S)

    async def stop(self) -> None:
        """Send what was collected and collect no more."""
        if self._balancing is not None and self._thread is not None:
            self._balancing.cancel()
            await asyncio.wait([self._balancing])
            self._balancing = None
            self._thread.shutdown(wait=False)
        await _all(part.stop() for part in self.parts)

    async def enter_address(self, token: int, address: str, *, hold_s: float) -> float | None:
        """Let a request begin; not now, if the server of the address does not answer in time.

        The lease is another server's, which would take it for expired meanwhile.
        """
        part = self.parts[self.placement.of_address(address)]
        if part.offline:
            return steady_time() + _AWAY_S
        asking = asyncio.ensure_future(part.enter_address(token, address, hold_s=hold_s))
        patience_s = _FRESH_SHARE * self.options.lease_s
        try:
            return await asyncio.wait_for(asyncio.shield(asking), patience_s)
        except TimeoutError:
            asking.add_done_callback(lambda _: part.leave_address(token, address, hold_s=hold_s))
            return steady_time() + _AWAY_S

    def stopping(self) -> None:
        """The run is to end soon: do not wait long for a server that is away."""
        for part in self.parts:
            part.stopping()

    async def delivered(self) -> None:
        """Return when all that was collected so far was done on the servers.

        Raises:
            FrontierError: that will not happen any more.
        """
        await _all(part.delivered() for part in self.parts)

    def _queue(self, candidates: Sequence[Candidate]) -> bool:
        """Queue entries of a start list, in its server's thread, unless another server is away."""
        numbers = {self.placement.of_host(candidate.host) for candidate in candidates}
        if any(self.parts[number].offline for number in numbers):
            return False
        try:
            self.direct.push(candidates)
        except FrontierError:  # whose exchange will notice
            return False
        finally:  # a worker must not end by what they said before
            for number in numbers:
                self.parts[number].look_again()
        return True

    async def claim_page(
        self, token: int, claims: Sequence[tuple[str, bytes, str]]
    ) -> list[str] | None:
        """Claim digests for a page under its lease, which is prolonged; its body is fetched.

        The lease is asked for first: who lost it must not claim a body that it will not store. It
        is asked for again if the servers of the digests took long, since it may have ended then.

        Raises:
            FrontierError: a server will not answer any more.
        """
        home, own = self._of_token(token)
        by_server = self.placement.by_server(
            (self.placement.of_digest(claim[1]), claim) for claim in claims
        )
        if all(self.parts[number] is home for number in by_server):
            return await home.claim_page(own, claims)
        asked_at = time.monotonic()
        if not await home.hold(own):
            return FENCED
        replies = await _all(
            self.parts[number].claims([claim for _, claim in placed])
            for number, placed in by_server.items()
        )
        is_late = time.monotonic() - asked_at > _FRESH_SHARE * self.options.lease_s
        if is_late and not await home.hold(own):
            return FENCED
        owners: dict[int, str] = {}
        for placed, answers in zip(by_server.values(), replies, strict=True):
            owners |= {at: owner for (at, _), owner in zip(placed, answers, strict=True)}
        return [owners[at] for at in range(len(claims))]

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Leases that are here already; the room that is left is wished for from all servers.

        Each call begins with another server. One that may have leases by now has an equal share of
        the wish; every one has at least one wish, so that it is asked as soon as it has something.
        """
        self._turn += 1
        order = [(self._turn + at) % len(self.parts) for at in range(len(self.parts))]
        leases: list[Lease] = []
        for number in order:
            arrived = self.parts[number].arrived(limit - len(leases), now=now)
            leases += [self._named(number, lease) for lease in arrived]
        least = 1 if len(leases) < limit else 0
        hopeful = [number for number in order if self.parts[number].wish(least, now=now)]
        room = limit - len(leases)
        for at, number in enumerate(hopeful):
            share = -(-room // (len(hopeful) - at))
            self.parts[number].wish(max(least, share), now=now)
            room -= min(room, share)
        return leases

    def server_of(self, token: int) -> int:
        """Number of the server of a lease.

        Args:
            token: as `lease` handed it out.
        """
        return self.placement.server_token(token)[0]

    async def end_group(self, group: EndingGroup) -> list[int | str] | None:
        """End leases of one server, all or none; see `BatchedFrontier.end_group`.

        Args:
            group: its leases are of one server.
        """
        own = [self.placement.server_token(one.token) for one in group.endings]
        numbers = {number for number, _ in own} or {0}
        (number,) = numbers
        endings = [
            dataclasses.replace(one, token=token)
            for one, (_, token) in zip(group.endings, own, strict=True)
        ]
        refused = await self.parts[number].end_group(dataclasses.replace(group, endings=endings))
        return refused and [
            self.placement.token(number, one) if isinstance(one, int) else one for one in refused
        ]

    async def take_turns(self, host: str, number: int) -> float:
        """Have a host's next turns for requests without a lease; when the first of them is.

        Args:
            host: key of the host.
            number: how many, one after the other.
        """
        return await self._of_host(host).take_turns(host, number)

    def expired(self, leases: Sequence[Lease]) -> list[Lease]:
        """Let go of leases; what ended for good is drained."""
        for number, tokens in self._tokens(lease.token for lease in leases).items():
            own = {self.placement.token(number, token): token for token in tokens}
            self.parts[number].expired(
                [
                    dataclasses.replace(lease, token=own[lease.token])
                    for lease in leases
                    if lease.token in own
                ]
            )
        return []


class SharedOptOut:
    """One worker's list of hosts that are never asked, kept equal on all servers."""

    def __init__(self, names: OptedOut) -> None:
        self._names = names
        self._servers: list[ServerOptOut] = []

    def of_server(self) -> ServerOptOut:
        """The list for one more server."""
        self._servers.append(ServerOptOut(self))
        return self._servers[-1]

    def wanted(self, limit: int) -> set[str]:
        """Names of the worker that no server knows, and all that one of them does."""
        fresh, _ = self._names.unsent(limit)
        return set(fresh).union(*(server.known for server in self._servers))

    def tell(self) -> None:
        """Tell the worker what any of the servers knows."""
        self._names.told(set().union(*(server.known for server in self._servers)))


class ServerOptOut:
    """What one server knows of the list."""

    def __init__(self, shared: SharedOptOut) -> None:
        self._shared = shared
        self.known: frozenset[str] = frozenset()

    def unsent(self, limit: int) -> tuple[list[str], int]:
        """Some names that the server does not know, and how many it knows."""
        return sorted(self._shared.wanted(limit) - self.known)[:limit], len(self.known)

    def told(self, names: Iterable[str]) -> None:
        """All names that the server knows."""
        self.known = frozenset(names)
        self._shared.tell()


async def _all(work: Iterable[Awaitable[T]]) -> list[T]:
    """Wait for all, also if one fails; then raise the first error."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for one in results:
        if isinstance(one, BaseException):
            raise one
    return [one for one in results if not isinstance(one, BaseException)]
