"""What a frontier promises, whatever keeps it.

A frontier is the crawl's memory: which URLs were seen, which wait, which are out on lease, when
a host may be asked again. Workers *lease* URLs, and end each lease exactly once: acknowledged
(stored, dropped, redirected …), retried, or released. A lease carries a fencing token; an ending
with an old token is refused, so that a worker that was thought dead cannot spoil later work.

Order. Each host is walked strictly breadth-first: no URL of level *k + 1* is leased before every
URL of level *k* of that host was fetched and its links offered, or ended otherwise. Only so is the
set of pages within L levels the same in every run: a URL first met at level 3 whose level-2 path
shows up later (through a slow page or a redirect) is lowered to level 2 while it still waits.
A URL that failed ``max_tries`` times is ended as far as the order goes: its ``late_tries`` come
when nothing else of its host waits, so that no failure holds a host's other pages back.

Politeness. Between two leases of one host at least ``delay_s`` pass, and at most ``concurrency``
are out at once. The robots.txt of a host is a lease too (``kind="robots"``), handed out before
the first page, so it obeys the same gap and is shared by all workers of a campaign.

Times are seconds since the epoch (float). Methods never raise for a URL; they raise
`quarkcrawl.errors.FrontierError` when the storage itself fails.

A crawl asks a frontier the same whether it is alone or one worker of many: what only the latter
needs has a body here that is right for who is alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.errors import FrontierError


LeaseKind = Literal["page", "robots"]
RetryOutcome = Literal["queued", "exhausted", "fenced"]
FENCED: Final = None
"""Answer of `Frontier.claim_page` when the lease is no longer valid."""

LATE_LEVELS: Final = 1 << 20
"""What is added to the level of a URL whose first tries failed: it comes behind all others."""

UNNAMED: Final = ""
"""The owner of a claim that is another's, when nobody kept the name."""


@dataclass(frozen=True, slots=True)
class FrontierOptions:
    """Rules of one campaign's frontier.

    Args:
        delay_s: least time between two requests to one host.
        concurrency: most requests out to one host at once.
        max_tries: how often a URL is tried in its turn.
        late_tries: how often it is tried after that, behind all other URLs of its host, before it
            ends as failed; if it is tried then at all, a home page is once more.
        lease_s: how long a lease is valid before it may be reaped.
        max_host_pages: most URLs per host that may be *acknowledged as stored*; None: no bound.
        robots: hand out a robots lease before a host's first page.
        robots_ttl_s: age at which robots.txt is asked for again.
        domain_delay_s: least time between two requests to hosts of one registered domain, of which
            ``concurrency`` requests at most are out at once then; 0: each host for itself.
        address_concurrency: most requests at once to one address; 0: no bound.
        strict: whether a host's next level waits for what is out of the level before. Otherwise
            the lowest level that waits comes next, whatever is out.
    """

    delay_s: float = 1.0
    concurrency: int = 1
    max_tries: int = 3
    lease_s: float = 300.0
    max_host_pages: int | None = None
    robots: bool = True
    robots_ttl_s: float = 86400.0
    domain_delay_s: float = 0.0
    address_concurrency: int = 0
    late_tries: int = 0
    strict: bool = True

    def tries_at(self, level: int) -> int:
        """How often a URL is tried in all; with late tries a home page, or robots.txt, once more.

        Args:
            level: 1 for a home page, 0 for robots.txt.
        """
        return self.max_tries + self.late_tries + (level <= 1 and self.late_tries > 0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL offered to the frontier.

    Args:
        url: canonical absolute URL.
        host: host key, `quarkcrawl.page.urls.host_key` of the URL.
        level: 1 for a seed, parent's level + 1 for a link.
        origin: the URL whose redirect led here, if any.
        hops: number of redirects that led here.
    """

    url: str
    host: str
    level: int
    origin: str | None = None
    hops: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease(Candidate):
    """A URL handed to one worker until ``deadline``; for ``kind="robots"`` that of robots.txt.

    Args:
        token: fencing token, unique over the life of the frontier, and increasing (over several
            servers: for each of them).
        tries: which try this is, from 1.
        deadline: epoch seconds after which the lease may be reaped.
        deaths: how many workers of a shared campaign died while they analyzed the page.
    """

    token: int
    tries: int
    deadline: float
    kind: LeaseKind = "page"
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a lease ended for good.

    Args:
        token: the lease's token.
        reason: reason code; ``"stored"`` counts toward the host's page budget.
    """

    token: int
    reason: str


@dataclass(frozen=True, slots=True)
class EndingGroup:
    """Leases of one server that a worker's job ends together: all of them, or none.

    The server notes the number with the endings, so that who died, or did not get the answer,
    finds out whether its group counts.

    Args:
        job: name of the job.
        run: which process of the job it is; an earlier one is refused.
        number: higher than that of any group of the job before.
        endings: tokens and reasons; all tokens are those of one server.
        marks: what the group does besides, but only if no group had the mark before; no numbers.
    """

    job: str
    run: str
    number: int
    endings: Sequence[Ending]
    marks: Sequence[str] = ()


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
class HostChange:
    """What `Frontier.set_host` changes; None leaves a value as it is."""

    delay_s: float | None
    concurrency: int | None
    not_before: float | None


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


class OptedOut(Protocol):
    """A worker's list of hosts that are never asked."""

    def unsent(self, limit: int) -> tuple[list[str], int]:
        """Some names that the campaign does not know, and how many it knows."""

    def told(self, names: Iterable[str]) -> None:
        """All names that the campaign knows."""


def _ignored(*_: object) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class WorkerHooks:
    """What a frontier of many workers asks of one of them, and tells it.

    Args:
        report: what the worker says of itself, as JSON values; asked once a second.
        opted_out: hosts that this worker never asks; those of the others are added.
        on_leases: told when there are leases to hand out.
        on_robots: told host and text of a robots.txt that another worker fetched.
        on_failure: told when the server was given up.
    """

    report: Callable[[], dict[str, object]] = dict
    opted_out: OptedOut | None = None
    on_leases: Callable[[], None] = _ignored
    on_robots: Callable[[str, str], object] = _ignored
    on_failure: Callable[[FrontierError], None] = _ignored


class Frontier(Protocol):
    """The protocol that the SQLite and the Redis frontier both keep (same test class).

    Attributes:
        options: rules of the campaign.
        fenced: endings of this worker that were refused.
        round_trips: how often a server was asked.
        offline: whether the server is away at this moment.
    """

    options: FrontierOptions
    fenced: int = 0
    round_trips: int = 0
    offline: bool = False

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs in one batch; True where the URL is new and now waits.

        A URL already seen is refused, but lowered if it still waits at a higher level. URLs of a
        closed host are refused and not marked as seen.

        Args:
            candidates: URLs with their hosts and levels.
        """

    def unoffered(self, urls: Iterable[str], *, host: str, level: int) -> list[str]:
        """Those of a page's links that this run has not offered lately; they count as offered now.

        Most links of a page stand on others of its site, too: what need not be looked at again is
        left out at once. A URL that was forgotten is only offered once more.

        Args:
            urls: canonical URLs.
            host: key of the host whose page they stand on.
            level: at which they are offered; one that was offered at a higher one is not left out.
        """

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen without queueing them; True where they were new.

        Args:
            urls: canonical URLs.
        """

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out up to ``limit`` URLs of hosts whose time has come, at most one round a host.

        Args:
            limit: most URLs to hand out.
            now: epoch seconds.
        """

    def fetched(self, tokens: Iterable[int], *, now: float) -> None:
        """Say that bodies are here, and that their pages are being analyzed.

        The host may be asked again, for URLs of the same level: the next one waits for the links.
        The leases are prolonged; who analyses for long says it again. Unknown tokens are ignored.

        Args:
            tokens: tokens of the leases.
            now: epoch seconds.
        """

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that a fetch is over and its links are pushed, before the page is durable.

        The lease stays out (and can be reaped) until it is acknowledged, but it no longer counts
        against the host's concurrency nor holds back the host's next level. Pages are
        acknowledged in groups after an fdatasync; without this a host would wait for the disk.
        Unknown tokens are ignored.

        Args:
            tokens: tokens of the leases.
        """

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; False where the token is unknown, fenced off or already ended.

        A robots lease that is acknowledged ends without a verdict, and the host's next lease is
        for robots.txt again: end it with `set_robots`.

        Args:
            endings: tokens and reasons.
        """

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

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried (shutdown); returns how many were still valid.

        Args:
            tokens: tokens of the leases.
        """

    def reap(self, *, now: float) -> int:
        """Give back every lease whose deadline has passed, counted as a try; returns how many.

        A URL without tries left, or of a closed host, ends with reason ``"lease_expired"``.
        Tries are counted under that reason too.

        Args:
            now: epoch seconds.
        """

    def expired(self, leases: Sequence[Lease]) -> list[Lease]:
        """Let go of leases that `reap` took back; those that ended and that nothing else lists.

        Args:
            leases: leases of this worker whose deadline had passed.
        """
        pages = [lease for lease in leases if lease.kind == "page"]
        entries = self.find([lease.url for lease in pages])
        return [lease for lease, entry in zip(pages, entries, strict=True) if entry is None]

    def revive(self, endings: Sequence[tuple[Candidate, str]]) -> list[bool]:
        """Let URLs that ended without a page wait again; True where one does now.

        A URL that waits or is out stays as it is, one that was never seen is queued. A host that
        was closed for the reason of a URL is opened, and asked for robots.txt anew, unless its
        budget is used up; URLs of other closed hosts stay ended.

        Args:
            endings: URLs with the reason with which each ended, which is counted back.
        """

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """For each URL: its lease, its waiting entry, or None if unknown or ended (recovery).

        Args:
            urls: canonical URLs.
        """

    def finish(self, url: str, *, reason: str) -> bool:
        """End a waiting or leased URL by name (recovery: its page is already on disk).

        Args:
            url: canonical URL.
            reason: reason code of the ending.
        """

    def next_ready(self, *, now: float) -> float | None:
        """Earliest time at which `lease` can return something; None if nothing waits.

        ``<= now`` means now. ``inf``: URLs wait, but only behind leases that are out.

        Args:
            now: epoch seconds.
        """

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease: keep the text ("" allows all) and raise the host's delay if asked.

        Args:
            token: token of the lease.
            robots: text of robots.txt.
            delay_s: crawl-delay it asks for.
            now: epoch seconds.
        """

    def host(self, host: str) -> HostState | None:
        """State of one host.

        Args:
            host: key of the host.
        """

    def hosts(self) -> Iterator[HostState]:
        """All hosts, in order of first sight; of several servers one after the other."""

    def set_host(
        self,
        host: str,
        *,
        delay_s: float | None = None,
        concurrency: int | None = None,
        not_before: float | None = None,
    ) -> None:
        """Change a host's politeness; ``not_before`` holds it back (Retry-After, 503).

        A host never met before is entered.

        Args:
            host: key of the host.
            delay_s: least time between requests.
            concurrency: most requests out at once.
            not_before: epoch seconds.
        """
        self._change_host(host, HostChange(delay_s, concurrency, not_before))

    def _change_host(self, host: str, change: HostChange) -> None:
        """What `set_host` does."""

    def postpone(self, host: str, late_s: float) -> None:
        """Move a host's next time, whatever it is, by the lateness of a request.

        Args:
            host: key of the host.
            late_s: how late the request went out.
        """

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host and yield the URLs that waited; each is ended with ``reason``.

        The host is closed and the URLs are counted by the call itself; those that the caller
        does not take from the iterator stay for `drain_closed`.

        Args:
            host: key of the host.
            reason: reason code of what waited.
        """

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """Yield each URL that waited when its host was closed, with the reason, once.

        Hosts close in `close_host`, and by themselves with reason ``"host_budget"`` when
        ``max_host_pages`` of their URLs were stored. A URL that was out when its host closed and
        is given back later is listed here too.
        """

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        """First come, first served: returns the owner of ``digest``, which is ``owner`` if new.

        A frontier that keeps a few bits of each owner answers `UNNAMED` for another one.

        Args:
            namespace: what kind of digest it is.
            digest: hash of a body or the like.
            owner: who asks.
        """

    async def enter_address(self, token: int, address: str, *, hold_s: float) -> float | None:
        """Let a request to an address begin, if fewer than may be out are.

        Args:
            token: lease of the request.
            address: IP address.
            hold_s: after which it is held to be over, should its worker die.

        Returns:
            None if it may begin; else the time to come back.
        """

    def leave_address(self, token: int, address: str, *, hold_s: float) -> None:
        """A request to an address is over.

        Args:
            token: lease of the request.
            address: IP address.
            hold_s: as it was told when it began.
        """

    async def claim_page(
        self,
        token: int,  # noqa: ARG002 (who is alone has it)
        claims: Sequence[tuple[str, bytes, str]],
    ) -> list[str] | None:
        """Claim digests for a page that is to be stored, under its lease.

        Args:
            token: the page's lease; many workers: it is prolonged, its body is fetched.
            claims: namespace, digest and owner of each claim.

        Returns:
            The owners, or `FENCED` if the lease is no longer valid: then nothing was claimed.
        """
        return [self.claim(namespace, digest, owner) for namespace, digest, owner in claims]

    def counts(self) -> FrontierCounts:
        """Totals for reports and for progress; cheap (no scan)."""

    def commit(self) -> None:
        """Make everything so far survive a killed process."""

    def checkpoint(self) -> None:
        """Make everything so far survive a power cut (called when the journal rotates)."""

    def close(self) -> None:
        """Release this worker's leases, commit and close; safe to call twice."""

    # -- one worker of many ----------------------------------------------------------------

    def start(self, hooks: WorkerHooks) -> None:  # noqa: ARG002 (who is alone is not asked)
        """The event loop runs: what a dead worker of this name had out waits again.

        Args:
            hooks: what is asked of the worker, and told to it.
        """
        return

    async def delivered(self) -> None:
        """Return when everything so far survives a killed process.

        Raises:
            FrontierError: that will not happen any more.
        """
        self.commit()

    def stopping(self) -> None:
        """The run is to end soon: do not wait long for a server that is away."""
        return

    async def stop(self) -> None:
        """Send what was collected; from now on every call is done when it returns."""
        return

    def state(self) -> str:
        """``"running"``, ``"paused"`` or ``"draining"``, as the campaign's server has it."""
        return "running"

    def server_time(self, at: float) -> float:
        """A time of our clock on the server's; 0 means never and stays.

        Args:
            at: epoch seconds of our clock.
        """
        return at


def level_of(place: int) -> int:
    """The level of a URL that stands at this place of its host's order."""
    return place - LATE_LEVELS if place >= LATE_LEVELS else place


def robots_url(url: str) -> str:
    """Address of the robots.txt that rules over a URL (RFC 9309, section 2.3).

    Args:
        url: an absolute one.
    """
    scheme, _, rest = url.partition("://")
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    return f"{scheme}://{rest[:end]}/robots.txt"
