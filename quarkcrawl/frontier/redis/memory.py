"""What one worker remembers: leases, the hosts that they are of, and the URLs it offered.

Nothing here talks to the server. Wishes travel with the next exchange and its answers come back,
so that `WorkerMemory.take` can answer at once from what is here.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.frontier.offered import OfferedLinks
from quarkcrawl.frontier.protocol import HostState
from quarkcrawl.frontier.redis import codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.frontier.keys import UrlKeys
    from quarkcrawl.frontier.protocol import Candidate, Lease
    from quarkcrawl.frontier.redis.script import CampaignServer


_HOSTS: Final = 4000
_CHARS: Final = 128 << 20
"""Of robots.txt; a farm of 4000 hosts could send 2 GB. More than are leased at once at 512 KiB."""
_OFFERED: Final = 200_000
_SAME_S: Final = 0.01
_PAUSE_S: Final = 0.01
_LONGEST_PAUSE_S: Final = 1.0
_TOLD_SHARE: Final = 0.2
"""Of a lease's time, after which it is prolonged."""


class HostFacts:
    """The hosts leased last; pending and the like are not known here and are 0."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, HostState] = OrderedDict()
        self._without_robots: set[str] = set()
        self._n_chars = 0

    def learn(self, host: str, raw: Sequence[Any], offset_s: float) -> None:
        """Take what came with a lease: next time, delay, and when robots.txt was fetched."""
        next_time, delay_s, robots_time = raw[8:11]
        self._update(host, next_time=float(next_time) - offset_s, delay_s=float(delay_s))
        ours = self._known[host].robots_time
        if robots_time and abs(float(robots_time) - offset_s - ours) > _SAME_S:
            self._without_robots.add(host)

    def keep_robots(self, host: str, robots: str, at: float) -> None:
        """Remember a robots.txt."""
        self._update(host, robots=robots, robots_time=at)

    def _update(self, host: str, **facts: Any) -> None:
        state = self._known.pop(host, None)
        if state is None:
            state = HostState(host, 0.0, 1, 0.0, 0, 0, 0, 0, None, 0.0, None)
        self._n_chars -= len(state.robots or "")
        self._known[host] = state = replace(state, **facts)
        self._n_chars += len(state.robots or "")
        while len(self._known) > _HOSTS or (self._n_chars > _CHARS and len(self._known) > 1):
            _, state = self._known.popitem(last=False)
            self._n_chars -= len(state.robots or "")

    def wanted(self) -> list[str]:
        """Hosts whose robots.txt the server has and we have not; each is named once."""
        hosts, self._without_robots = list(self._without_robots), set()
        return hosts

    def get(self, host: str) -> HostState | None:
        """What is known of a host."""
        return self._known.get(host)


class WorkerMemory:
    """Leases by token, what the server last said of more, and what need not travel again.

    Args:
        server: tells by how much its clock differs from ours.
        keys: the campaign's keyed hash.

    Attributes:
        facts: the hosts leased last.
        state: what the server last said that workers are to do.
        offered: keys of URLs with the lowest level at which each was offered; 0 if it was
            marked as seen.
        links: the same of the links of pages, host by host. Whoever clears both has everything
            offered again.
    """

    def __init__(self, server: CampaignServer, keys: UrlKeys) -> None:
        self.facts = HostFacts()
        self.state = "running"
        self.offered: dict[str, int] = {}
        self.links = OfferedLinks()
        self._server = server
        self._keys = keys
        self._ready: deque[Lease] = deque()
        self._arrived: list[Lease] = []
        self._by_token: dict[int, Lease] = {}
        self._told_fetched: dict[int, float] = {}
        self._want = 0
        self._next_ready: float | None = -inf
        self._n_fruitless = 0  # times in a row that leases were asked for and none came
        self._asked_at = 0.0
        self._out = 0

    def __len__(self) -> int:
        return len(self._by_token)

    # -- URLs that were offered ------------------------------------------------------------

    def offer(self, candidates: Sequence[Candidate]) -> tuple[list[bool], list[list[Any]]]:
        """Which are new here, and what is to be sent: the new ones and those now at less depth."""
        fresh, sent = [], []
        with_domains = self._server.options.domain_delay_s > 0
        for item in codec.items_of(self._keys, candidates, with_domains=with_domains):
            level = self.offered.get(item[3])
            fresh.append(level is None)
            if level is None or level > item[1]:
                self.offered[item[3]] = item[1]
                sent.append(item)
        self._bound_offered()
        return fresh, sent

    def mark(self, urls: Sequence[str]) -> tuple[list[bool], list[tuple[str, int]]]:
        """Which are new here, and what is to be sent of them."""
        fresh, sent = [], []
        for key, low in codec.keys_of(self._keys, urls):
            fresh.append(key not in self.offered)
            if fresh[-1]:
                self.offered[key] = 0
                sent.append((key, low))
        self._bound_offered()
        return fresh, sent

    def _bound_offered(self) -> None:
        """What is forgotten is only sent once more."""
        if len(self.offered) > _OFFERED:
            self.offered.clear()

    # -- leases, to the worker -------------------------------------------------------------

    def get(self, token: int) -> Lease | None:
        """A lease that has not ended here."""
        return self._by_token.get(token)

    def tokens(self) -> list[int]:
        """All of them."""
        return list(self._by_token)

    def take(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out leases that are here already."""
        leases: list[Lease] = []
        while self._ready and len(leases) < limit:
            lease = self._ready.popleft()
            if lease.deadline > now:
                leases.append(lease)
            else:
                self.forget([lease.token])
        return leases

    def wish(self, number: int) -> None:
        """How many more the next exchanges are to bring."""
        self._want = number

    def hopes(self, now: float) -> bool:
        """Whether more are wished for and the server may have them by now."""
        due_at = self.due_at()
        return due_at is not None and due_at <= now

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
            self._told_fetched.pop(token, None)

    def tell_fetched(self, tokens: Iterable[int]) -> None:
        """The server is told that these are fetched, and prolongs them."""
        self._told_fetched |= dict.fromkeys(tokens, steady_time())

    def untold(self, tokens: Iterable[int], now: float) -> list[int]:
        """Those of which the server was not told lately."""
        before = now - _TOLD_SHARE * self._server.options.lease_s
        tokens = [token for token in tokens if self._told_fetched.get(token, -inf) <= before]
        self.tell_fetched(tokens)
        return tokens

    # -- leases, to and from the server ----------------------------------------------------

    def due_at(self) -> float | None:
        """When it is worth while to ask again.

        What is due may not be handed out (the campaign's pages are all out, or other servers have
        the share of this one): then less and less often.
        """
        if not self._want or self._next_ready is None or not self._n_fruitless:
            return self._next_ready if self._want else None
        pause_s = min(_LONGEST_PAUSE_S, _PAUSE_S * 2.0 ** min(self._n_fruitless, 10))
        return max(self._next_ready, self._asked_at + pause_s)

    def room(self) -> int:
        """How many leases to ask for."""
        return max(0, self._want - len(self._ready)) if self.state == "running" else 0

    def leased(self, raws: list[Any]) -> None:
        """Answer of ``lease``."""
        self._n_fruitless = 0 if raws else self._n_fruitless + 1
        self._asked_at = steady_time()
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
