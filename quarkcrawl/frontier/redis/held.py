"""The leases of one worker: those it wished for, got, handed out and has not ended yet.

Nothing here talks to the server. Wishes travel with the next exchange and its answers come back,
so that `HeldLeases.take` can answer at once from what is here.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, Any

from quarkcrawl.frontier.redis import codec
from quarkcrawl.frontier.redis.hosts import HostFacts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.frontier.protocol import Lease
    from quarkcrawl.frontier.redis.script import CampaignServer


class HeldLeases:
    """Leases by token, and what the server last said of more.

    Args:
        server: tells by how much its clock differs from ours.
    """

    def __init__(self, server: CampaignServer) -> None:
        self.facts = HostFacts()
        self.state = "running"
        self._server = server
        self._ready: deque[Lease] = deque()
        self._arrived: list[Lease] = []
        self._by_token: dict[int, Lease] = {}
        self._settled: set[int] = set()
        self._want = 0
        self._next_ready: float | None = -inf
        self._out = 0

    def __len__(self) -> int:
        return len(self._by_token)

    def get(self, token: int) -> Lease | None:
        """A lease that has not ended here."""
        return self._by_token.get(token)

    def tokens(self) -> list[int]:
        """All of them."""
        return list(self._by_token)

    # -- to the worker ---------------------------------------------------------------------

    def take(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out leases that are here already; the room that is left becomes a wish."""
        found: list[Lease] = []
        while self._ready and len(found) < limit:
            lease = self._ready.popleft()
            if lease.deadline > now:
                found.append(lease)
            else:
                self.forget([lease.token])
        self._want = limit - len(found)
        return found

    def hopes(self, now: float) -> bool:
        """Whether more are wished for and the server may have them by now."""
        return bool(self._want) and self._next_ready is not None and self._next_ready <= now

    @property
    def ready(self) -> bool:
        """Whether there are leases to hand out."""
        return bool(self._ready)

    @property
    def unasked(self) -> bool:
        """Whether the server has said nothing yet."""
        return self._next_ready == -inf

    def next_ready(self, now: float) -> float | None:
        """When the server may have more; None when it has not, nor any other worker."""
        if self.state == "draining" and not self._by_token:
            return None
        if self._next_ready is None:
            return inf if self._out else None
        return inf if self._next_ready <= now else self._next_ready

    def forget(self, tokens: Iterable[int]) -> None:
        """These are no longer this worker's: ended, given back or expired."""
        for token in tokens:
            self._by_token.pop(token, None)
            self._settled.discard(token)

    def settle(self, token: int) -> None:
        """The server is told with a claim that the fetch is over."""
        self._settled.add(token)

    def unsettled(self, tokens: Iterable[int]) -> list[int]:
        """Those of which the server was not told."""
        return [token for token in tokens if token not in self._settled]

    # -- to and from the server ------------------------------------------------------------

    def due_at(self) -> float | None:
        """When it is worth while to ask again."""
        return self._next_ready if self._want else None

    def room(self) -> int:
        """How many leases to ask for."""
        return max(0, self._want - len(self._ready)) if self.state == "running" else 0

    def leased(self, raws: list[Any]) -> None:
        """Answer of ``lease``."""
        offset_s = self._server.offset_s
        for raw in raws:
            lease = codec.lease_of(raw, offset_s)
            self._by_token[lease.token] = lease
            self._arrived.append(lease)
            self.facts.learn(lease.host, raw, offset_s)
        self._want = max(0, self._want - len(raws))

    def pulsed(self, raw: list[Any]) -> None:
        """Answer of ``pulse``."""
        ready, pending, self._out, state = raw
        self.state = codec.text(state)
        if ready:
            at = float(ready)
            self._next_ready = at if at == inf else at - self._server.offset_s
        else:
            self._next_ready = inf if pending else None

    def arrived(self) -> bool:
        """What came may be handed out; returns whether there is something."""
        self._ready += self._arrived
        self._arrived.clear()
        return bool(self._ready)
