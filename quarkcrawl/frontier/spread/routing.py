"""Each call of the protocol to the servers that it concerns.

What is asked of one host goes to its server. What is asked of many is split, and every server
that can be reached does its part before the error of one that cannot is raised: so pages of hosts
that are well are acknowledged though the run ends. Questions about the whole campaign go to all
servers, and their answers are summed.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.protocol import Ending, Frontier, FrontierCounts, Lease
from quarkcrawl.frontier.spread.placement import authority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.frontier.protocol import (
        Candidate,
        HostChange,
        HostState,
        RetryOutcome,
    )
    from quarkcrawl.frontier.spread.placement import Placement


Part = TypeVar("Part", bound=Frontier)
T = TypeVar("T")
R = TypeVar("R")

_STATES = ("running", "paused", "draining")


class RoutedFrontier(Frontier, Generic[Part]):
    """A frontier whose hosts are spread over parts.

    Args:
        parts: what is on each server, in the order of the campaign's address.
        placement: which of them has what.
    """

    def __init__(self, parts: Sequence[Part], placement: Placement) -> None:
        self.parts = tuple(parts)
        self.placement = placement
        self.options = parts[0].options

    @property
    def round_trips(self) -> int:  # type: ignore[override]  # nobody sets it
        """How often the servers were asked."""
        return sum(part.round_trips for part in self.parts)

    @property
    def fenced(self) -> int:  # type: ignore[override]
        """Endings of this worker that were refused."""
        return sum(part.fenced for part in self.parts)

    @property
    def offline(self) -> bool:  # type: ignore[override]
        """Whether one of the servers is away at this moment."""
        return any(part.offline for part in self.parts)

    # -- where to ----------------------------------------------------------------------------

    def _of_host(self, host: str) -> Part:
        return self.parts[self.placement.of_host(host)]

    def _of_token(self, token: int) -> tuple[Part, int]:
        number, own = self.placement.server_token(token)
        return self.parts[number], own

    def _each(self, act: Callable[[Part], R]) -> list[R]:
        """Have every part do something; the first error is raised when all had their turn."""
        return self._some(dict.fromkeys(range(len(self.parts))), lambda part, _: act(part))

    def _some(self, work: dict[int, T], act: Callable[[Part, T], R]) -> list[R]:
        """The same of some parts, with what each is given; answers in the order of the work."""
        answers, errors = [], []
        for number, given in work.items():
            try:
                answers.append(act(self.parts[number], given))
            except FrontierError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return answers

    def _split(
        self,
        items: Sequence[T],
        place: Callable[[T], int],
        act: Callable[[Part, list[T]], Sequence[R]],
    ) -> list[R]:
        """Have each part do its items; answers in the order of the items."""
        by_server = self.placement.by_server((place(item), item) for item in items)
        answers: dict[int, R] = {}

        def act_on(part: Part, placed: list[tuple[int, T]]) -> None:
            done = act(part, [item for _, item in placed])
            answers.update(zip((at for at, _ in placed), done, strict=True))

        self._some(by_server, act_on)
        return [answers[at] for at in range(len(items))]

    def _tokens(self, tokens: Iterable[int]) -> dict[int, list[int]]:
        """Tokens of each server, as it gave them."""
        own_tokens: dict[int, list[int]] = {}
        for token in tokens:
            number, own = self.placement.server_token(token)
            own_tokens.setdefault(number, []).append(own)
        return own_tokens

    def _named(self, number: int, lease: Lease) -> Lease:
        """A lease of a server with the campaign's token."""
        return dataclasses.replace(lease, token=self.placement.token(number, lease.token))

    # -- URLs ------------------------------------------------------------------------------

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs, each to the server of its host.

        A URL that is offered for a host that is not its own is known where its own one lies: there
        it is marked as seen, and it waits where its host does.
        """
        placement = self.placement
        strays = [
            at
            for at, c in enumerate(candidates)
            if authority(c.url) != c.host and placement.of_url(c.url) != placement.of_host(c.host)
        ]
        if not strays:
            return self._offer(candidates)
        new = self.mark_seen([candidates[at].url for at in strays])
        refused = {at for at, is_new in zip(strays, new, strict=True) if not is_new}
        flags = iter(self._offer([c for at, c in enumerate(candidates) if at not in refused]))
        return [at not in refused and next(flags) for at in range(len(candidates))]

    def _offer(self, candidates: Sequence[Candidate]) -> list[bool]:
        of_host = self.placement.of_host
        return self._split(candidates, lambda c: of_host(c.host), lambda part, own: part.push(own))

    def unoffered(self, urls: Iterable[str], *, host: str, level: int) -> list[str]:
        """Those of a page's links that were not offered lately."""
        return self._of_host(host).unoffered(urls, host=host, level=level)

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen, each on the server of its host."""
        return self._split(urls, self.placement.of_url, lambda part, own: part.mark_seen(own))

    def revive(self, endings: Sequence[tuple[Candidate, str]]) -> list[bool]:
        """Let URLs that ended without a page wait again, each on the server of its host."""
        of_host = self.placement.of_host
        return self._split(
            endings, lambda one: of_host(one[0].host), lambda part, own: part.revive(own)
        )

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """For each URL: its lease, its waiting entry, or None; its own server is asked first."""
        homes = [self.placement.of_url(url) for url in urls]
        entries = self._find(urls, homes)
        for step in range(1, len(self.parts)):
            missing = [at for at, entry in enumerate(entries) if entry is None]
            if not missing:
                break
            numbers = [(homes[at] + step) % len(self.parts) for at in missing]
            again = self._find([urls[at] for at in missing], numbers)
            for at, entry in zip(missing, again, strict=True):
                entries[at] = entry
        return entries

    def _find(self, urls: Sequence[str], numbers: Sequence[int]) -> list[Lease | Candidate | None]:
        """What the servers of these numbers have of URLs."""
        entries = self._split(
            list(zip(numbers, urls, strict=True)),
            lambda placed: placed[0],
            lambda part, own: part.find([url for _, url in own]),
        )
        return [
            self._named(number, entry) if isinstance(entry, Lease) else entry
            for number, entry in zip(numbers, entries, strict=True)
        ]

    def finish(self, url: str, *, reason: str) -> bool:
        """End a URL by name."""
        first = self.placement.of_url(url)
        parts = self.parts[first:] + self.parts[:first]
        return any(part.finish(url, reason=reason) for part in parts)

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        """First come, first served, on the server of the digest."""
        part = self.parts[self.placement.of_digest(digest)]
        return part.claim(namespace, digest, owner)

    # -- leases ----------------------------------------------------------------------------

    def fetched(self, tokens: Iterable[int], *, now: float) -> None:
        """Say that bodies are here."""
        self._some(self._tokens(tokens), lambda part, own: part.fetched(own, now=now))

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that fetches are over."""
        self._some(self._tokens(tokens), lambda part, own: part.settle(own))

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good."""
        server_token = self.placement.server_token
        return self._split(
            endings,
            lambda ending: server_token(ending.token)[0],
            lambda part, own: part.acknowledge(
                [Ending(server_token(ending.token)[1], ending.reason) for ending in own]
            ),
        )

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try."""
        part, own = self._of_token(token)
        return part.retry(own, reason=reason, not_before=not_before)

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried."""
        return sum(self._some(self._tokens(tokens), lambda part, own: part.release(own)))

    def reap(self, *, now: float) -> int:
        """Give back every lease whose deadline has passed, on all servers."""
        return sum(self._each(lambda part: part.reap(now=now)))

    def next_ready(self, *, now: float) -> float | None:
        """The earliest time of all servers."""
        times = self._each(lambda part: part.next_ready(now=now))
        return min((at for at in times if at is not None), default=None)

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease with its text."""
        part, own = self._of_token(token)
        return part.set_robots(own, robots=robots, delay_s=delay_s, now=now)

    async def enter_address(self, token: int, address: str, *, hold_s: float) -> float | None:
        """Let a request to an address begin, on the server of the address."""
        part = self.parts[self.placement.of_address(address)]
        return await part.enter_address(token, address, hold_s=hold_s)

    def leave_address(self, token: int, address: str, *, hold_s: float) -> None:
        """A request to an address is over."""
        part = self.parts[self.placement.of_address(address)]
        part.leave_address(token, address, hold_s=hold_s)

    # -- hosts -----------------------------------------------------------------------------

    def host(self, host: str) -> HostState | None:
        """State of one host."""
        return self._of_host(host).host(host)

    def hosts(self) -> Iterator[HostState]:
        """All hosts, one server after the other."""
        return chain.from_iterable(part.hosts() for part in self.parts)

    def _change_host(self, host: str, change: HostChange) -> None:
        """Change a host's politeness."""
        self._of_host(host).set_host(host, **dataclasses.asdict(change))

    def postpone(self, host: str, late_s: float) -> None:
        """Move a host's next time by the lateness of a request."""
        self._of_host(host).postpone(host, late_s)

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host."""
        return self._of_host(host).close_host(host, reason=reason)

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """What waited on closed hosts of all servers."""
        return chain.from_iterable(part.drain_closed() for part in self.parts)

    # -- the campaign ----------------------------------------------------------------------

    def state(self) -> str:
        """What the strictest of the servers says: draining, paused or running."""
        return max(self._each(lambda part: part.state()), key=_STATES.index)

    def server_time(self, at: float) -> float:
        """A time of our clock on the first server's."""
        return self.parts[0].server_time(at)

    def counts(self) -> FrontierCounts:
        """Totals of all servers."""
        counts = self._each(lambda part: part.counts())
        return FrontierCounts(
            seen=sum(one.seen for one in counts),
            pending=sum(one.pending for one in counts),
            leased=sum(one.leased for one in counts),
            hosts=sum(one.hosts for one in counts),
            hosts_open=sum(one.hosts_open for one in counts),
            ended=_summed(one.ended for one in counts),
            retried=_summed(one.retried for one in counts),
        )

    def commit(self) -> None:
        """Nothing to do: every call was done on its server, or see `delivered`."""

    def checkpoint(self) -> None:
        """Nothing to do: how durable the servers are, is their own setting."""

    def close(self) -> None:
        """Release this worker's leases, leave and close; safe to call twice."""
        self._each(lambda part: part.close())


def _summed(numbers: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in numbers:
        total.update(one)
    return dict(total)
