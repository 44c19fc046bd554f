"""The frontier of a worker: Redis in few round trips, and never in the way of the event loop.

A crawler asks its frontier several things for each page. Here they collect for some milliseconds
and travel together (`quarkcrawl.frontier.redis.exchange`): the links of the pages that came in,
the claims of their bodies, endings, and a wish for as many leases as there is room. What the
crawler must know at once is answered from what the last exchange brought
(`quarkcrawl.frontier.redis.memory`):

- `push` says True for a URL that this worker has not offered before; the server decides.
- `lease` gives what the last exchange fetched; the worker's hook `on_leases` tells of more.
- `claim_page` waits for the server. It checks the lease too: a page whose lease was lost
  meanwhile is not stored. It also prolongs the lease and lets the host go on.

What this worker remembers of URLs it offered is forgotten when the server was away, for it may
have lost its last seconds.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.protocol import FENCED, Frontier, FrontierCounts
from quarkcrawl.frontier.redis import codec
from quarkcrawl.frontier.redis.direct import (
    BATCH,
    RedisFrontier,
    acknowledgement,
    batches,
    host_change,
)
from quarkcrawl.frontier.redis.exchange import Exchange
from quarkcrawl.frontier.redis.memory import WorkerMemory
from quarkcrawl.frontier.redis.script import OurTime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from quarkcrawl.frontier.protocol import (
        Candidate,
        Ending,
        EndingGroup,
        HostChange,
        HostState,
        Lease,
        RetryOutcome,
        WorkerHooks,
    )
    from quarkcrawl.frontier.redis.starts import StartList


class BatchedFrontier(Frontier):
    """`quarkcrawl.frontier.Frontier` for a crawl in an event loop.

    Before `start` every call goes to the server at once (recovery works so); afterwards calls
    collect. After `stop` they go at once again.

    Args:
        frontier: the connection.
        wait_s: longest absence of the server before the run is given up.
        starts: a start list of the server to be taken in.
    """

    def __init__(
        self, frontier: RedisFrontier, *, wait_s: float = 3600.0, starts: StartList | None = None
    ) -> None:
        self.direct = frontier
        self.options = frontier.options
        self._memory = WorkerMemory(frontier.server, frontier.keys)
        self._exchange = Exchange(frontier, self._memory, wait_s=wait_s, starts=starts)

    @property
    def running(self) -> bool:
        """Whether calls collect."""
        return self._exchange.running

    @property
    def offline(self) -> bool:  # type: ignore[override]  # nobody sets it
        """Whether the server is away at this moment."""
        return self._exchange.offline

    @property
    def round_trips(self) -> int:  # type: ignore[override]
        """How often the server was asked."""
        return self.direct.server.round_trips

    def start(self, hooks: WorkerHooks) -> None:
        """Begin to collect; needs a running event loop."""
        self._exchange.start(hooks)

    async def stop(self) -> None:
        """Send what was collected and collect no more."""
        await self._exchange.stop()

    def stopping(self) -> None:
        """The run is to end soon: do not wait long for a server that is away."""
        self._exchange.hurry()

    def look_again(self) -> None:
        """Others have queued something here: ask before saying that nothing waits."""
        self._exchange.look_again()

    async def delivered(self) -> None:
        """Return when all that was collected so far was done on the server.

        Raises:
            FrontierError: that will not happen any more.
        """
        await self._exchange.ask(["time"])

    # -- URLs ------------------------------------------------------------------------------

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs; True where this worker never offered the URL before."""
        if not self.running:
            return self.direct.push(candidates)
        fresh, sent = self._memory.offer(candidates)
        for part in batches(sent):
            self._exchange.add(["push", part])
        return fresh

    def unoffered(self, urls: Iterable[str], *, host: str, level: int) -> list[str]:
        """Those that this worker has not offered since the server was last away."""
        return self._memory.links.sift(urls, host, level)

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen; True where this worker never offered or marked the URL before."""
        if not self.running:
            return self.direct.mark_seen(urls)
        fresh, sent = self._memory.mark(urls)
        for part in batches(sent):
            self._exchange.add(["mark_seen", part])
        return fresh

    def revive(self, endings: Sequence[tuple[Candidate, str]]) -> list[bool]:
        """Let URLs that ended without a page wait again; asks the server at once."""
        return self.direct.revive(endings)

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
        """Claim digests for a page under its lease, which is prolonged; its body is fetched.

        Raises:
            FrontierError: the server will not answer any more.
        """
        self._memory.tell_fetched([token])
        name = str(token)
        questions_sent = [self._exchange.ask(self.direct.claim_of(claim, name)) for claim in claims]
        answers = await asyncio.gather(*questions_sent)
        if any(kind == b"fenced" for kind, _ in answers):
            self._memory.forget([token])
            return FENCED
        return [codec.owner_of(raw, who) for raw, (_, _, who) in zip(answers, claims, strict=True)]

    async def hold(self, token: int) -> bool:
        """Prolong a lease whose body is fetched; False if it is no longer valid.

        Args:
            token: the page's lease.

        Raises:
            FrontierError: the server will not answer any more.
        """
        self._memory.tell_fetched([token])
        (is_valid,) = await self._exchange.ask(["fetched", [str(token)]])
        if not is_valid:
            self._memory.forget([token])
        return bool(is_valid)

    async def claims(self, claims: Sequence[tuple[str, bytes, str]]) -> list[str]:
        """The owners of digests, claimed under no lease of this server.

        Args:
            claims: namespace, digest and owner of each.

        Raises:
            FrontierError: the server will not answer any more.
        """
        questions_sent = [self._exchange.ask(self.direct.claim_of(claim)) for claim in claims]
        answers = await asyncio.gather(*questions_sent)
        return [codec.owner_of(raw, who) for raw, (_, _, who) in zip(answers, claims, strict=True)]

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Leases that are here already; wishes for more."""
        leases = self.arrived(limit, now=now)
        self.wish(limit - len(leases), now=now)
        return leases

    def arrived(self, limit: int, *, now: float) -> list[Lease]:
        """Leases that are here already.

        Args:
            limit: most of them.
            now: epoch seconds.
        """
        return self._memory.take(limit, now=now) if self.running else []

    def wish(self, number: int, *, now: float) -> bool:
        """Have so many leases brought, instead of what was wished for before.

        Args:
            number: how many, besides those that are here.
            now: epoch seconds.

        Returns:
            Whether the server may have some by now.
        """
        if not self.running:
            return False
        self._memory.wish(number)
        if is_hopeful := self._memory.hopes(now):
            self._exchange.wake()
        return is_hopeful

    def next_ready(self, *, now: float) -> float | None:
        """When there may be something; None when all workers are done, or are to stop."""
        if self._memory.ready:
            return now
        if not self.running:
            return None
        if self._exchange.busy or self._memory.unasked:
            return inf
        return self._memory.next_ready(now)

    def fetched(self, tokens: Iterable[int], *, now: float) -> None:
        """Say that bodies are here; claims said so of their pages already."""
        names = [str(token) for token in self._memory.untold(tokens, now)]
        if names and self.running:
            self._exchange.add(["fetched", names])

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that fetches are over."""
        names = [str(token) for token in tokens]
        if names and self.running:
            self._exchange.add(["settle", names])

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; how many were refused is counted in ``fenced``."""
        if not self.running:
            flags = self.direct.acknowledge(endings)
            self._acknowledged(endings, flags)
            return flags
        self._exchange.add(
            acknowledgement(endings), lambda flags: self._acknowledged(endings, flags)
        )
        return [True] * len(endings)

    def _acknowledged(self, endings: Sequence[Ending], flags: Sequence[object]) -> None:
        refused = [ending for ending, flag in zip(endings, flags, strict=True) if not flag]
        self.fenced += len(refused)
        if self.running:
            self._finish_late(refused)
        self._memory.forget(ending.token for ending in endings)

    def _finish_late(self, refused: Iterable[Ending]) -> None:
        """End URLs by name: their leases ran out, but their rows are on disk here.

        Who has one of them now is fenced when it claims the page, and does not store it again.
        """
        for ending in refused:
            lease = self._memory.get(ending.token)
            if lease is not None and lease.kind == "page":
                (url,) = self.direct.known_by([lease.url])
                self._exchange.add(["finish", url, ending.reason])

    def server_of(self, token: int) -> int:  # noqa: ARG002 (of several servers it is asked)
        """Number of the server of a lease.

        Args:
            token: as `lease` handed it out.
        """
        return 0

    async def end_group(self, group: EndingGroup) -> list[int | str] | None:
        """End leases of one server, all or none; asked again, the answer is the same.

        Args:
            group: endings with the number that the server notes.

        Returns:
            Tokens that are not valid and marks that are not new, so that nothing was ended; none:
            all have ended. None: another process has taken over the job.

        Raises:
            FrontierError: the server will not answer any more.
        """
        _, tokens, reasons = acknowledgement(group.endings)
        raw = await self._exchange.ask(
            ["end_group", group.job, group.run, group.number, tokens, reasons, list(group.marks)]
        )
        if raw is None:
            return None
        names = list(map(codec.text, raw))
        fenced = [int(name) for name in names if name.isdigit()]
        self.fenced += len(fenced)
        self._memory.forget(fenced if names else [one.token for one in group.endings])
        return [*fenced, *(name for name in names if not name.isdigit())]

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try; its tries are known here."""
        lease = self._memory.get(token)
        if lease is None:
            return "fenced"
        self._exchange.add(["retry", str(token), reason, OurTime(not_before), True])
        if lease.tries >= self.options.tries_at(lease.level):
            return "exhausted"
        self._memory.forget([token])
        return "queued"

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried."""
        names = [str(token) for token in tokens]
        self._exchange.add(["release", names])
        self._memory.forget(map(int, names))
        return len(names)

    def reap(self, *, now: float) -> int:  # noqa: ARG002 - the server's clock decides
        """Have expired leases of all workers given back; those that ended are drained here."""
        if self.running:
            self._exchange.add(["reap", BATCH], lambda raw: self._exchange.closed_listed(raw[1]))
        return 0

    def expired(self, leases: Sequence[Lease]) -> list[Lease]:
        """Let go of leases; what ended for good is drained, by whichever worker found it."""
        self._memory.forget(lease.token for lease in leases)
        return []

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease with its text."""
        lease = self._memory.get(token)
        if lease is None:
            return False
        self._exchange.add(["set_robots", str(token), robots, delay_s, OurTime(now)])
        self._memory.facts.keep_robots(lease.host, robots, now)
        self._memory.forget([token])
        return True

    async def enter_address(self, token: int, address: str, *, hold_s: float) -> float | None:
        """Let a request to an address begin, if fewer than may be out are."""
        if not self.running:
            return await self.direct.enter_address(token, address, hold_s=hold_s)
        raw = await self._exchange.ask(["enter_address", address, str(token), hold_s])
        return self.direct.turn_of(raw)

    def leave_address(self, token: int, address: str, *, hold_s: float) -> None:
        """A request to an address is over."""
        if self.running:
            self._exchange.add(["leave_address", address, str(token), hold_s])
        elif self._exchange.error is None:  # else its place ends by itself
            self.direct.leave_address(token, address, hold_s=hold_s)

    # -- hosts -----------------------------------------------------------------------------

    def host(self, host: str) -> HostState | None:
        """What this worker knows of a host, from its leases."""
        return self._memory.facts.get(host) if self.running else self.direct.host(host)

    def hosts(self) -> Iterator[HostState]:
        """All hosts, from the server."""
        return self.direct.hosts()

    def _change_host(self, host: str, change: HostChange) -> None:
        """Change a host's politeness."""
        self._exchange.add(host_change(host, change))

    def postpone(self, host: str, late_s: float) -> None:
        """Move a host's next time by the lateness of a request."""
        self._exchange.add(["postpone", host, late_s])

    async def take_turns(self, host: str, number: int) -> float:
        """Have a host's next turns for requests without a lease: one a delay.

        Args:
            host: key of the host.
            number: how many, one after the other.

        Returns:
            When the first of them is, by our clock.

        Raises:
            FrontierError: the server will not answer any more.
        """
        at = float(await self._exchange.ask(["take_turns", host, number]))
        return at - self.direct.server.offset_s

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host; what waited is listed by `drain_closed` later."""
        self._exchange.add(["close_host", host, reason])
        self._exchange.add(["drain_host", host, BATCH], self._exchange.closed_listed)
        return iter(())

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """What exchanges brought; after `stop` all there is."""
        while self._exchange.drained:
            yield self._exchange.drained.popleft()
        if not self.running and self._exchange.error is None:
            yield from self.direct.drain_closed()

    # -- the campaign ----------------------------------------------------------------------

    def state(self) -> str:
        """As the last exchange had it."""
        return self._memory.state

    def server_time(self, at: float) -> float:
        """A time of our clock on the server's."""
        return self.direct.server_time(at)

    def counts(self) -> FrontierCounts:
        """Totals of the last second; all 0 while a server that is away has told none yet."""
        if self.running and self._exchange.counts is not None:
            return self._exchange.counts
        try:
            return self.direct.counts()
        except FrontierError:
            if not self.running:
                raise
            return FrontierCounts(0, 0, 0, 0, 0, {}, {})

    def commit(self) -> None:
        """Nothing to do; see `delivered`."""

    def checkpoint(self) -> None:
        """Nothing to do: how durable the server is, is its own setting."""

    def close(self) -> None:
        """Release this worker's leases, leave and close; safe to call twice."""
        self._exchange.close()
        self.direct.close()
