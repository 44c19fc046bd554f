"""The frontier protocol written as plainly as possible: the oracle of the tests.

Everything is kept in dictionaries and searched from end to end. Where the protocol leaves a choice
(which of several URLs of one level comes first), the model does not choose: `check_lease` says
whether what the frontier did was allowed, and follows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf

from quarkcrawl.frontier import (
    Candidate,
    Ending,
    FrontierCounts,
    FrontierOptions,
    HostState,
    Lease,
    RetryOutcome,
)


@dataclass
class Url:
    offered: Candidate | None  # None: only marked as seen
    state: str = "waiting"  # waiting, leased, ended, closed (ended with its host, not yet listed)
    tries: int = 0
    not_before: float = 0.0
    reason: str = ""  # for which it ended
    is_late: bool = False  # its first tries failed: it comes behind all others

    @property
    def place(self) -> tuple[bool, int]:
        return self.is_late, self.offered.level


@dataclass
class Host:
    name: str
    delay_s: float
    concurrency: int
    next_time: float = 0.0
    stored: int = 0
    failures: int = 0
    robots: str | None = None
    robots_time: float = 0.0
    robots_tries: int = 0
    closed: str | None = None


@dataclass
class Out:
    lease: Lease
    leased_at: float
    place: tuple[bool, int] = (False, 0)
    fetched: bool = False
    settled: bool = False


@dataclass
class Model:
    options: FrontierOptions
    urls: dict[str, Url] = field(default_factory=dict)
    hosts: dict[str, Host] = field(default_factory=dict)
    out: dict[int, Out] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    retried: dict[str, int] = field(default_factory=dict)
    claims: dict[tuple[str, bytes], str] = field(default_factory=dict)
    last_token: int = 0

    # -- what there is

    def waiting(self, host: str, state: str = "waiting") -> list[Url]:
        return [
            url
            for url in self.urls.values()
            if url.offered is not None and url.offered.host == host and url.state == state
        ]

    def leases_of(self, host: str, kind: str | None = None, without: str = "") -> list[Lease]:
        leases = [o.lease for o in self.out.values() if not without or not getattr(o, without)]
        return [one for one in leases if one.host == host and kind in {None, one.kind}]

    def ready_time(self, name: str) -> float:
        host = self.hosts[name]
        waiting = self.waiting(name)
        pages = self.leases_of(name, "page")
        fetching = self.leases_of(name, "page", without="fetched")
        unsettled = [o.place for o in self.out.values() if o.lease.host == name and not o.settled]
        budget = self.options.max_host_pages
        if host.closed or not waiting or self.leases_of(name, "robots"):
            return inf
        if len(fetching) >= host.concurrency:
            return inf
        if budget is not None and host.stored + len(pages) >= budget:
            return inf
        first = min(url.place for url in waiting)
        if any(place < first for place in unsettled):
            return inf
        soonest = min(url.not_before for url in waiting if url.place == first)
        return max(host.next_time, soonest)

    def next_ready(self) -> float | None:
        if not any(self.waiting(name) for name in self.hosts):
            return None
        return min(self.ready_time(name) for name in self.hosts)

    def state(self, name: str) -> HostState | None:
        host = self.hosts.get(name)
        if host is None:
            return None
        return HostState(
            host=name,
            delay_s=host.delay_s,
            concurrency=host.concurrency,
            next_time=host.next_time,
            pending=len(self.waiting(name)),
            leased=len(self.leases_of(name)),
            stored=host.stored,
            failures=host.failures,
            robots=host.robots,
            robots_time=host.robots_time,
            closed=host.closed,
        )

    def counts(self) -> FrontierCounts:
        return FrontierCounts(
            seen=len(self.urls),
            pending=sum(len(self.waiting(name)) for name in self.hosts),
            leased=len(self.out),
            hosts=len(self.hosts),
            hosts_open=sum(host.closed is None for host in self.hosts.values()),
            ended=self.ended,
            retried=self.retried,
        )

    # -- what is done

    def push(self, candidates: list[Candidate]) -> list[bool]:
        return [self.push_one(candidate) for candidate in candidates]

    def push_one(self, candidate: Candidate) -> bool:
        if candidate.host in self.hosts and self.hosts[candidate.host].closed:
            return False
        known = self.urls.get(candidate.url)
        if known is None:
            self.add_host(candidate.host)
            self.urls[candidate.url] = Url(candidate)
            return True
        if known.state == "waiting" and candidate.level < known.offered.level:
            known.offered = candidate
        return False

    def revive(self, endings: list[tuple[Candidate, str]]) -> list[bool]:
        return [self.revive_one(candidate, reason) for candidate, reason in endings]

    def revive_one(self, candidate: Candidate, reason: str) -> bool:
        host = self.add_host(candidate.host)
        if host.closed:
            budget = self.options.max_host_pages
            if host.closed != reason or (budget is not None and host.stored >= budget):
                return False
            for url in self.waiting(host.name, "closed"):
                url.state = "waiting"
                self.count_back(host.closed)
            host.closed = host.robots = None
            host.robots_time, host.robots_tries, host.failures = 0.0, 0, 0
        known = self.urls.get(candidate.url)
        if known is not None and known.state != "ended":
            return False
        if known is not None:
            self.count_back(reason)
        self.urls[candidate.url] = Url(candidate)
        return True

    def count_back(self, reason: str) -> None:
        if self.ended.get(reason):
            self.ended[reason] -= 1
            if not self.ended[reason]:
                del self.ended[reason]

    def add_host(self, name: str) -> Host:
        new = Host(name, self.options.delay_s, self.options.concurrency)
        return self.hosts.setdefault(name, new)

    def mark_seen(self, urls: list[str]) -> list[bool]:
        new = []
        for url in urls:
            new.append(url not in self.urls)
            self.urls.setdefault(url, Url(None, "ended"))
        return new

    def check_lease(self, lease: Lease, now: float) -> None:
        """Assert that the frontier may hand this out now, and do so."""
        host = self.hosts[lease.host]
        assert self.ready_time(host.name) <= now, "host is not ready"
        assert lease.token > self.last_token, "token not new"
        assert lease.deadline == now + self.options.lease_s
        ttl_s = self.options.robots_ttl_s
        stale = host.robots is None or now - host.robots_time >= ttl_s
        if self.options.robots and stale:
            assert lease.kind == "robots"
            assert lease.url == f"http://{host.name}/robots.txt"
            assert lease.tries == host.robots_tries + 1
        else:
            assert lease.kind == "page"
            url = self.urls[lease.url]
            assert url.state == "waiting"
            assert url.not_before <= now
            waiting = self.waiting(host.name)
            assert url.place == min(other.place for other in waiting), "not breadth-first"
            assert lease.level == url.offered.level
            offered = Candidate(lease.url, lease.host, lease.level, lease.origin, lease.hops)
            assert offered == url.offered
            assert lease.tries == url.tries + 1
            url.state = "leased"
        host.next_time = max(host.next_time, now) + host.delay_s
        self.last_token = lease.token
        is_page = lease.kind == "page"
        place = self.urls[lease.url].place if is_page else (False, 0)
        self.out[lease.token] = Out(lease, now, place, settled=not is_page)

    def fetched(self, tokens: list[int], now: float) -> None:
        for token in tokens:
            out = self.out.get(token)
            if out is not None and out.lease.kind == "page":
                out.fetched = True
                out.lease = replace(out.lease, deadline=now + self.options.lease_s)

    def settle(self, tokens: list[int]) -> None:
        for token in tokens:
            if token in self.out:
                self.out[token].fetched = self.out[token].settled = True

    def acknowledge(self, endings: list[Ending]) -> list[bool]:
        return [self.end(ending.token, ending.reason) for ending in endings]

    def end(self, token: int, reason: str) -> bool:
        if token not in self.out:
            return False
        lease = self.out.pop(token).lease
        if lease.kind == "page":
            self.urls[lease.url].state = "ended"
            self.urls[lease.url].reason = reason
            self.count(lease.host, reason)
        return True

    def count(self, name: str, reason: str) -> None:
        self.ended[reason] = self.ended.get(reason, 0) + 1
        if reason == "stored":
            host = self.hosts[name]
            host.stored += 1
            host.failures = 0
            budget = self.options.max_host_pages
            if budget is not None and host.stored >= budget:
                self.close(name, "host_budget")

    def close(self, name: str, reason: str) -> None:
        host = self.add_host(name)
        host.closed = host.closed or reason
        for url in self.waiting(name):
            url.state = "closed"
            self.ended[host.closed] = self.ended.get(host.closed, 0) + 1

    def drained(self, candidate: Candidate, reason: str) -> None:
        """Assert that the frontier may list this URL as closed, and do so."""
        url = self.urls[candidate.url]
        assert url.state == "closed"
        assert url.offered == candidate
        assert self.hosts[candidate.host].closed == reason
        url.state, url.reason = "ended", reason

    def undrained(self) -> int:
        return sum(url.state == "closed" for url in self.urls.values())

    def retry(self, token: int, reason: str, not_before: float) -> RetryOutcome:
        if token not in self.out:
            return "fenced"
        self.retried[reason] = self.retried.get(reason, 0) + 1
        return "queued" if self.failed(token, not_before) else "exhausted"

    def failed(self, token: int, not_before: float) -> bool:
        lease = self.out[token].lease
        host = self.hosts[lease.host]
        host.failures += 1
        if lease.tries >= self.options.tries_at(lease.level) or host.closed:
            return False
        del self.out[token]
        if lease.kind == "robots":
            host.robots_tries = lease.tries
            host.next_time = max(host.next_time, not_before)
        else:
            url = self.urls[lease.url]
            url.state, url.tries, url.not_before = "waiting", lease.tries, not_before
            url.is_late = lease.tries >= self.options.max_tries
        return True

    def release(self, tokens: list[int]) -> int:
        valid = [token for token in dict.fromkeys(tokens) if token in self.out]
        for token in valid:
            lease = self.out.pop(token).lease
            if lease.kind == "page":
                self.urls[lease.url].state = "waiting"
                if self.hosts[lease.host].closed:
                    self.close(lease.host, "already closed")
        return len(valid)

    def reap(self, now: float) -> int:
        overdue = [token for token, out in self.out.items() if out.lease.deadline < now]
        for token in overdue:
            lease = self.out[token].lease
            self.retried["lease_expired"] = self.retried.get("lease_expired", 0) + 1
            if self.failed(token, 0.0):
                continue
            if lease.kind == "robots":
                self.hosts[lease.host].robots_tries = lease.tries
            self.end(token, "lease_expired")
        return len(overdue)

    def set_robots(self, token: int, robots: str, delay_s: float | None, now: float) -> bool:
        if token not in self.out or self.out[token].lease.kind != "robots":
            return False
        out = self.out.pop(token)
        host = self.hosts[out.lease.host]
        host.robots, host.robots_time, host.robots_tries = robots, now, 0
        if delay_s is not None and delay_s > host.delay_s:
            host.delay_s = delay_s
            host.next_time = max(host.next_time, out.leased_at + delay_s)
        return True

    def set_host(
        self, name: str, delay_s: float | None, concurrency: int | None, not_before: float | None
    ) -> None:
        host = self.add_host(name)
        host.delay_s = host.delay_s if delay_s is None else delay_s
        host.concurrency = concurrency or host.concurrency
        host.next_time = max(host.next_time, not_before or 0.0)

    def find(self, url: str) -> Lease | Candidate | None:
        for out in self.out.values():
            if out.lease.url == url and out.lease.kind == "page":
                return out.lease
        known = self.urls.get(url)
        return known.offered if known is not None and known.state == "waiting" else None

    def finish(self, url: str, reason: str) -> bool:
        for token, out in self.out.items():
            if out.lease.url == url and out.lease.kind == "page":
                return self.end(token, reason)
        known = self.urls.get(url)
        if known is None or known.state not in {"waiting", "closed"}:
            return False
        name = known.offered.host
        if known.state == "closed":
            self.count_back(self.hosts[name].closed)
        known.state, known.reason = "ended", reason
        self.count(name, reason)
        return True

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        return self.claims.setdefault((namespace, digest), owner)
