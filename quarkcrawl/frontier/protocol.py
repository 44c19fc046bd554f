"""What a frontier promises, whatever keeps it.

A frontier is the crawl's memory: which URLs were seen, which wait, which are out on lease, when
a host may be asked again. Workers *lease* URLs, and end each lease exactly once: acknowledged
(stored, dropped, redirected …), retried, or released. A lease carries a fencing token; an ending
with an old token is refused, so that a worker that was thought dead cannot spoil later work.

Order. Each host is walked strictly breadth-first: no URL of level *k + 1* is leased before every
URL of level *k* of that host has ended. Only so is the set of pages within L levels the same in
every run: a URL first met at level 3 whose level-2 path shows up later (through a slow page or a
redirect) is lowered to level 2 while it still waits.

Politeness. Between two leases of one host at least ``delay_s`` pass, and at most ``concurrency``
are out at once. The robots.txt of a host is a lease too (``kind="robots"``), handed out before
the first page, so it obeys the same gap and is shared by all workers of a campaign.

Times are seconds since the epoch (float). Methods never raise for a URL; they raise
`quarkcrawl.errors.FrontierError` when the storage itself fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


LeaseKind = Literal["page", "robots"]
RetryOutcome = Literal["queued", "exhausted", "fenced"]


@dataclass(frozen=True, slots=True)
class FrontierOptions:
    """Rules of one campaign's frontier.

    Args:
        delay_s: least time between two requests to one host.
        concurrency: most requests out to one host at once.
        max_tries: how often a URL is tried before it ends as failed.
        lease_s: how long a lease is valid before it may be reaped.
        max_host_pages: most URLs per host that may be *acknowledged as stored*; None: no bound.
        robots: hand out a robots lease before a host's first page.
        robots_ttl_s: age at which robots.txt is asked for again.
    """

    delay_s: float = 1.0
    concurrency: int = 1
    max_tries: int = 3
    lease_s: float = 300.0
    max_host_pages: int | None = None
    robots: bool = True
    robots_ttl_s: float = 86400.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL offered to the frontier.

    Args:
        url: canonical absolute URL.
        host: host key, `quarkcrawl.page.urls.canonical.host_key` of the URL.
        level: 1 for a seed, parent's level + 1 for a link.
        origin: the URL whose redirect led here, if any.
        hops: number of redirects that led here.
    """

    url: str
    host: str
    level: int
    origin: str | None = None
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL handed to one worker until ``deadline``.

    Args:
        token: fencing token, unique and increasing over the life of the frontier.
        url: the page to fetch; for ``kind="robots"`` the robots.txt URL.
        tries: which try this is, from 1.
        deadline: epoch seconds after which the lease may be reaped.
    """

    token: int
    url: str
    host: str
    level: int
    origin: str | None
    hops: int
    tries: int
    deadline: float
    kind: LeaseKind = "page"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a lease ended for good.

    Args:
        token: the lease's token.
        reason: reason code; ``"stored"`` counts towards the host's page budget.
    """

    token: int
    reason: str


@dataclass(frozen=True, slots=True)
class HostState:
    """What the frontier knows of a host.

    ``robots`` is the text of robots.txt ("" allows all), None while unknown. ``closed`` is the
    reason code for which the host takes no more URLs, None while it is open. ``leased`` counts a
    robots lease too. ``failures`` counts failed tries since a page of the host was last stored.
    """

    host: str
    delay_s: float
    concurrency: int
    next_time: float
    pending: int
    leased: int
    stored: int
    failures: int
    robots: str | None
    robots_time: float
    closed: str | None


@dataclass(frozen=True, slots=True)
class FrontierCounts:
    """Totals. ``ended`` maps reason codes to the number of URLs that ended so.

    ``leased`` counts the leases out, robots leases among them; ``retried`` maps the reasons of
    failed tries to their number.
    """

    seen: int
    pending: int
    leased: int
    hosts: int
    hosts_open: int
    ended: dict[str, int] = field(default_factory=dict)
    retried: dict[str, int] = field(default_factory=dict)


class Frontier(Protocol):
    """The protocol that the SQLite and the Redis frontier both keep (same test class)."""

    options: FrontierOptions

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs in one batch; True where the URL is new and now waits.

        A URL already seen is refused, but lowered if it still waits at a higher level. URLs of a
        closed host are refused and not marked as seen.

        Args:
            candidates: URLs with their hosts and levels.
        """
        ...

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen without queueing them; True where they were new.

        Args:
            urls: canonical URLs.
        """
        ...

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out up to ``limit`` URLs of hosts whose time has come, at most one round a host.

        Args:
            limit: most URLs to hand out.
            now: epoch seconds.
        """
        ...

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that a fetch is over and its links are pushed, before the page is durable.

        The lease stays out (and can be reaped) until it is acknowledged, but it no longer counts
        against the host's concurrency nor holds back the host's next level. Pages are
        acknowledged in groups after an fdatasync; without this a host would wait for the disk.
        Unknown tokens are ignored.

        Args:
            tokens: tokens of the leases.
        """
        ...

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; False where the token is unknown, fenced off or already ended.

        A robots lease that is acknowledged ends without a verdict, and the host's next lease is
        for robots.txt again: end it with `set_robots`.

        Args:
            endings: tokens and reasons.
        """
        ...

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try.

        ``"queued"``: it waits until ``not_before``. ``"exhausted"``: it has no tries left, or its
        host was closed; the lease stays open and the caller acknowledges it with its final
        reason (a robots lease: ends it with `set_robots`).

        Args:
            token: token of the lease.
            reason: why the try failed.
            not_before: epoch seconds before which it is not handed out.
        """
        ...

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried (shutdown); returns how many were still valid.

        Args:
            tokens: tokens of the leases.
        """
        ...

    def reap(self, *, now: float) -> int:
        """Give back every lease whose deadline has passed, counted as a try; returns how many.

        A URL without tries left, or of a closed host, ends with reason ``"lease_expired"``.
        Tries are counted under that reason too.

        Args:
            now: epoch seconds.
        """
        ...

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """For each URL: its lease, its waiting entry, or None if unknown or ended (recovery).

        Args:
            urls: canonical URLs.
        """
        ...

    def finish(self, url: str, *, reason: str) -> bool:
        """End a waiting or leased URL by name (recovery: its page is already on disk).

        Args:
            url: canonical URL.
            reason: reason code of the ending.
        """
        ...

    def next_ready(self, *, now: float) -> float | None:
        """Earliest time at which `lease` can return something; None if nothing waits.

        ``<= now`` means now. ``inf``: URLs wait, but only behind leases that are out.

        Args:
            now: epoch seconds.
        """
        ...

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease: keep the text ("" allows all) and raise the host's delay if asked.

        Args:
            token: token of the lease.
            robots: text of robots.txt.
            delay_s: crawl-delay it asks for.
            now: epoch seconds.
        """
        ...

    def host(self, host: str) -> HostState | None:
        """State of one host.

        Args:
            host: key of the host.
        """
        ...

    def hosts(self) -> Iterator[HostState]:
        """All hosts, in order of first sight."""
        ...

    def set_host(
        self,
        host: str,
        *,
        delay_s: float | None = None,
        concurrency: int | None = None,
        not_before: float | None = None,
    ) -> None:
        """Change a host's politeness; ``not_before`` holds it back (Retry-After, 503).

        Args:
            host: key of the host.
            delay_s: least time between requests.
            concurrency: most requests out at once.
            not_before: epoch seconds.
        """
        ...

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host and yield the URLs that waited; each is ended with ``reason``.

        The host is closed and the URLs are counted by the call itself; those that the caller
        does not take from the iterator stay for `drain_closed`.

        Args:
            host: key of the host.
            reason: reason code of what waited.
        """
        ...

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """Yield each URL that waited when its host was closed, with the reason, once.

        Hosts close in `close_host`, and by themselves with reason ``"host_budget"`` when
        ``max_host_pages`` of their URLs were stored. A URL that was out when its host closed and
        is given back later is listed here too.
        """
        ...

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        """First come, first served: returns the owner of ``digest``, which is ``owner`` if new.

        Args:
            namespace: what kind of digest it is.
            digest: hash of a body or the like.
            owner: who asks.
        """
        ...

    def counts(self) -> FrontierCounts:
        """Totals for reports and for progress; cheap (no scan)."""
        ...

    def commit(self) -> None:
        """Make everything so far survive a killed process."""
        ...

    def checkpoint(self) -> None:
        """Make everything so far survive a power cut (called when the journal rotates)."""
        ...

    def close(self) -> None:
        """Release this worker's leases, commit and close; safe to call twice."""
        ...
