"""What travels with every exchange besides a crawler's own calls, and where the answers go.

Once a second a worker reports itself and asks for the totals, for what closed hosts left and for
hosts that are never asked; each time it wishes for leases. Leases of a host that is new to this
worker are handed out only when the text of its robots.txt is here, if another worker fetched it.
"""

from __future__ import annotations

import json
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.protocol import WorkerHooks
from quarkcrawl.frontier.redis import codec
from quarkcrawl.frontier.redis.direct import BATCH, RedisFrontier
from quarkcrawl.frontier.redis.held import HeldLeases
from quarkcrawl.frontier.redis.offered import OfferedUrls

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from quarkcrawl.frontier.protocol import Candidate, FrontierCounts
    from quarkcrawl.frontier.redis.script import Operation
    from quarkcrawl.frontier.redis.starts import StartList

    Reply = Callable[[Any], None]


_MOST_NAMES: Final = 1000


class PendingOperation(NamedTuple):
    """An operation, and who wants its answer."""

    operation: Operation
    reply: Reply | None = None


class Traffic:
    """Between one worker's frontier and its exchanges.

    Attributes:
        hooks: what is asked of the worker, and told to it.
        held: the worker's leases.
        offered: the URLs that it offered.
        drained: what waited on closed hosts, with the reason, to be listed.
        counts: totals of the last second.
    """

    def __init__(self, direct: RedisFrontier, starts: StartList | None) -> None:
        self.hooks = WorkerHooks()
        self.held = HeldLeases(direct.server)
        self.offered = OfferedUrls(direct.keys)
        self.drained: deque[tuple[Candidate, str]] = deque()
        self.counts: FrontierCounts | None = None
        self._direct = direct
        self._starts = starts

    def beat(self) -> list[PendingOperation]:
        """Once a second."""
        found = [PendingOperation(["drain_closed", BATCH], self.closed_listed)]
        found.append(PendingOperation(["counts"], self._counted))
        if self.hooks.opted_out is not None:
            names, known = self.hooks.opted_out.unsent(_MOST_NAMES)
            found.append(PendingOperation(["opt_out", names, known], self._told_opted_out))
        report = {**self.hooks.report(), "seen_at": self._direct.server_time(time.time())}
        found.append(PendingOperation(["report", json.dumps(report)]))
        return found

    def wishes(self) -> list[PendingOperation]:
        """Each time: more leases if there is room, and how the campaign stands."""
        room = self.held.room()
        wish = [PendingOperation(["lease", room], self.held.leased)] if room else []
        return [*wish, PendingOperation(["pulse"], self.held.pulsed)]

    def take_starts(self) -> None:
        """In the thread, before a beat: take the start list in."""
        if self._starts is None:
            return
        try:
            self._starts.take_in(self._direct)
        except FrontierError as error:  # the server may only be away: the exchange knows what to do
            raise error.__cause__ or error from None

    async def arrived(self, send: Callable[[list[Operation]], Awaitable[list[Any]]]) -> None:
        """All answers of an exchange were given out; ``send`` asks more at once."""
        await self._fetch_robots(send)
        if self.held.arrived():
            self.hooks.on_leases()

    async def _fetch_robots(self, send: Callable[[list[Operation]], Awaitable[list[Any]]]) -> None:
        facts = self.held.facts
        hosts = facts.wanted()
        if not hosts:
            return
        raws = await send([["host", host] for host in hosts])
        for host, raw in zip(hosts, raws, strict=True):
            state = codec.host_of(raw, self._direct.server.offset_s)
            facts.keep_robots(host, state.robots or "", state.robots_time)
            self.hooks.on_robots(host, state.robots or "")

    def _counted(self, raw: list[Any]) -> None:
        self.counts = codec.counts_of(raw)

    def _told_opted_out(self, raws: list[Any] | None) -> None:
        if raws is not None and self.hooks.opted_out is not None:
            self.hooks.opted_out.told(codec.text(raw) for raw in raws)

    def closed_listed(self, raws: list[Any]) -> None:
        """Answer of the operations that drain closed hosts."""
        for raw in raws:
            self.drained.append((codec.candidate_of(*raw[:4]), codec.text(raw[4])))
