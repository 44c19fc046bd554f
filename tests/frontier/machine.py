"""Random walks through the protocol, each step compared with the model."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from quarkcrawl.frontier import UNNAMED, Candidate, Ending, Frontier, FrontierOptions
from tests.frontier.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Backend", "FrontierMachine"]


@dataclass(frozen=True)
class Backend:
    """How to make one kind of frontier.

    ``make`` gives an empty one; ``reopen`` opens what a closed or crashed one left; ``crash``
    lets a process's frontier vanish without commit (None: cannot be simulated in-process);
    ``check`` asserts what must hold inside. With ``names_owners`` a claim names who was first, with
    ``orders_hosts`` hosts are listed in the order of first sight.
    """

    make: Callable[[FrontierOptions], Frontier]
    reopen: Callable[[Frontier], Frontier]
    crash: Callable[[Frontier], None] | None = None
    check: Callable[[Frontier], None] = lambda _: None
    names_owners: bool = True
    orders_hosts: bool = True

    def owner(self, first: str, asker: str) -> str:
        """What a claim answers."""
        return first if self.names_owners or first == asker else UNNAMED


HOSTS = [f"h{number}.cn" for number in range(3)]
OPTIONS = st.builds(
    FrontierOptions,
    delay_s=st.sampled_from([0.0, 1.0, 4.0]),
    concurrency=st.integers(1, 3),
    max_tries=st.integers(1, 3),
    late_tries=st.integers(0, 2),
    lease_s=st.sampled_from([8.0, 64.0]),
    max_host_pages=st.sampled_from([None, None, 1, 3]),
    robots=st.booleans(),
    robots_ttl_s=st.sampled_from([16.0, 1024.0]),
)
URLS = st.tuples(st.sampled_from(HOSTS), st.integers(0, 6)).map(lambda p: f"http://{p[0]}/{p[1]}")
CANDIDATES = st.builds(
    lambda url, level, hops: Candidate(
        url, url.split("/")[2], level, origin=f"{url}?from" if hops else None, hops=hops
    ),
    URLS,
    st.integers(1, 4),
    st.integers(0, 2),
)
REASONS = st.sampled_from(["stored", "stored", "http_404", "out_of_scope"])
WAITS = st.sampled_from([0.0, 2.0, 16.0])


class FrontierMachine(RuleBasedStateMachine):
    backend: Backend

    tokens = Bundle("tokens")

    @initialize(options=OPTIONS)
    def open(self, options: FrontierOptions) -> None:
        self.now = 1000.0
        self.real = self.backend.make(options)
        self.model = Model(options)
        self.saved = copy.deepcopy(self.model)

    def teardown(self) -> None:
        if hasattr(self, "real"):
            self.real.close()

    # -- steps

    @rule(candidates=st.lists(CANDIDATES, max_size=12))
    def push(self, candidates: list[Candidate]) -> None:
        assert self.real.push(candidates) == self.model.push(candidates)

    @rule(urls=st.lists(URLS, max_size=3))
    def mark_seen(self, urls: list[str]) -> None:
        assert self.real.mark_seen(urls) == self.model.mark_seen(urls)

    @rule(target=tokens, limit=st.integers(1, 6), wait=st.sampled_from([0.0, 1.0, 4.0]))
    def lease(self, limit: int, wait: float) -> object:
        self.now += wait
        ready = {name: self.model.ready_time(name) for name in self.model.hosts}
        leases = self.real.lease(limit, now=self.now)
        assert len(leases) <= limit
        for lease in leases:
            self.model.check_lease(lease, self.now)
        served = {lease.host for lease in leases}
        if len(leases) < limit:
            left = [name for name in self.model.hosts if self.model.ready_time(name) <= self.now]
            assert not left, "a host that is ready was passed over"
        passed = [ready[name] for name in ready if name not in served]
        assert max((ready[name] for name in served), default=-inf) <= min(passed, default=inf)
        return multiple(*[lease.token for lease in leases])

    @rule(some=st.lists(tokens, max_size=3))
    def fetched(self, some: list[int]) -> None:
        self.real.fetched(some, now=self.now)
        self.model.fetched(some, self.now)

    @rule(some=st.lists(tokens, max_size=3))
    def settle(self, some: list[int]) -> None:
        self.real.settle(some)
        self.model.settle(some)

    @rule(endings=st.lists(st.builds(Ending, tokens, REASONS), min_size=1, max_size=4))
    def acknowledge(self, endings: list[Ending]) -> None:
        assert self.real.acknowledge(endings) == self.model.acknowledge(endings)

    @rule(token=tokens, reason=REASONS)
    def acknowledge_one(self, token: int, reason: str) -> None:
        self.acknowledge([Ending(token, reason)])

    @rule(token=tokens, wait=WAITS)
    def retry(self, token: int, wait: float) -> None:
        not_before = self.now + wait
        outcome = self.real.retry(token, reason="timeout", not_before=not_before)
        assert outcome == self.model.retry(token, "timeout", not_before)

    @rule(some=st.lists(tokens, max_size=3))
    def release(self, some: list[int]) -> None:
        assert self.real.release(some) == self.model.release(some)

    @rule(wait=st.sampled_from([0.0, 9.0]))
    def reap(self, wait: float) -> None:
        self.now += wait
        assert self.real.reap(now=self.now) == self.model.reap(self.now)

    @precondition(lambda self: any(o.lease.kind == "robots" for o in self.model.out.values()))
    @rule(robots=st.sampled_from(["", "User-agent: *\nDisallow: /百\n"]), data=st.data())
    def set_robots(self, robots: str, data: st.DataObject) -> None:
        out = [token for token, out in self.model.out.items() if out.lease.kind == "robots"]
        self.set_robots_anywhere(data.draw(st.sampled_from(out)), robots, None)

    @rule(token=tokens, robots=st.just("x"), delay_s=st.sampled_from([None, 2.0]))
    def set_robots_anywhere(self, token: int, robots: str, delay_s: float | None) -> None:
        done = self.real.set_robots(token, robots=robots, delay_s=delay_s, now=self.now)
        assert done == self.model.set_robots(token, robots, delay_s, self.now)

    @rule(
        name=st.sampled_from(HOSTS),
        delay_s=st.sampled_from([None, None, 0.0, 2.0]),
        concurrency=st.sampled_from([None, None, 1, 2]),
        wait=st.sampled_from([None, None, 8.0]),
    )
    def set_host(
        self, name: str, delay_s: float | None, concurrency: int | None, wait: float | None
    ) -> None:
        not_before = None if wait is None else self.now + wait
        self.real.set_host(name, delay_s=delay_s, concurrency=concurrency, not_before=not_before)
        self.model.set_host(name, delay_s, concurrency, not_before)

    @rule(name=st.sampled_from(HOSTS), take=st.integers(0, 20))
    def close_host(self, name: str, take: int) -> None:
        listed = self.real.close_host(name, reason="spam")
        self.model.close(name, "spam")
        reason = self.model.hosts[name].closed
        for _, candidate in zip(range(take), listed, strict=False):
            self.model.drained(candidate, reason)

    @rule(take=st.integers(0, 30))
    def drain_closed(self, take: int) -> None:
        there = self.model.undrained()
        listed = self.real.drain_closed()
        for _, (candidate, reason) in zip(range(take), listed, strict=False):
            self.model.drained(candidate, reason)
        assert self.model.undrained() == max(0, there - take)

    @rule(url=URLS, reason=REASONS)
    def finish(self, url: str, reason: str) -> None:
        assert self.real.finish(url, reason=reason) == self.model.finish(url, reason)

    @rule(
        namespace=st.sampled_from(["md5", "home"]),
        digest=st.sampled_from([b"\0" * 16, b"\0" * 15 + b"\1"]),
        owner=URLS,
    )
    def claim(self, namespace: str, digest: bytes, owner: str) -> None:
        claimed = self.real.claim(namespace, digest, owner)
        assert claimed == self.backend.owner(self.model.claim(namespace, digest, owner), owner)

    @rule(
        endings=st.lists(
            st.tuples(CANDIDATES, REASONS | st.sampled_from(["spam", "host_budget"])),
            min_size=1,
            max_size=3,
        )
    )
    def revive(self, endings: list[tuple[Candidate, str]]) -> None:
        # Who revives a URL knows for what it ended: what was only marked as seen, for nothing.
        told = []
        for candidate, reason in endings:
            known = self.model.urls.get(candidate.url)
            is_ended = known is not None and known.state == "ended"
            told.append((candidate, (known.reason or "nothing") if is_ended else reason))
        assert self.real.revive(told) == self.model.revive(told)

    @rule(checkpoint=st.booleans())
    def commit(self, checkpoint: bool) -> None:
        if checkpoint:
            self.real.checkpoint()
        else:
            self.real.commit()
        self.saved = copy.deepcopy(self.model)

    @rule()
    def reopen(self) -> None:
        self.real.close()
        self.real = self.backend.reopen(self.real)
        self.model.release(list(self.model.out))
        self.saved = copy.deepcopy(self.model)

    @precondition(lambda self: self.backend.crash is not None)
    @rule()
    def crash(self) -> None:
        self.backend.crash(self.real)
        self.real = self.backend.reopen(self.real)
        self.saved.last_token = self.model.last_token  # tokens are never used again
        self.model = self.saved
        self.model.release(list(self.model.out))
        self.saved = copy.deepcopy(self.model)

    # -- what always holds

    @invariant()
    def counts_agree(self) -> None:
        if hasattr(self, "real"):
            assert self.real.counts() == self.model.counts()

    @invariant()
    def hosts_agree(self) -> None:
        if hasattr(self, "real"):
            states = list(self.real.hosts())
            expected = [self.model.state(name) for name in self.model.hosts]
            if not self.backend.orders_hosts:
                states.sort(key=lambda state: state.host)
                expected.sort(key=lambda state: state.host)
            assert states == expected
            assert [self.real.host(name) for name in HOSTS] == list(map(self.model.state, HOSTS))

    @invariant()
    def it_agrees_with_itself(self) -> None:
        if hasattr(self, "real"):
            self.backend.check(self.real)

    @invariant()
    def next_ready_agrees(self) -> None:
        if hasattr(self, "real"):
            assert self.real.next_ready(now=self.now) == self.model.next_ready()

    @invariant()
    def find_agrees(self) -> None:
        if hasattr(self, "real"):
            urls = [*self.model.urls, "http://h0.cn/unknown", "http://elsewhere.cn/"]
            assert self.real.find(urls) == [self.model.find(url) for url in urls]
