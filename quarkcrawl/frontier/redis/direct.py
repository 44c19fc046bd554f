"""The frontier on a Redis or Valkey server, for any number of workers on any machines."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from zlib import crc32

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.frontier.keys import UrlKeys, pack
from quarkcrawl.frontier.protocol import Frontier
from quarkcrawl.frontier.redis import codec
from quarkcrawl.frontier.redis.script import ALIVE_S, CampaignServer, OurTime, seen_at
from quarkcrawl.frontier.redis.server import RedisAddress
from quarkcrawl.page.urls import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.frontier.protocol import (
        Candidate,
        Ending,
        FrontierCounts,
        FrontierOptions,
        HostChange,
        HostState,
        Lease,
        RetryOutcome,
    )
    from quarkcrawl.frontier.redis.script import Operation


T = TypeVar("T")

BATCH: Final = 500
_SOUGHT: Final = 2000
_MOST_SEARCHES: Final = 5
_NEVER: Final = 0.0
_LEAVING_WAIT_S: Final = 10.0


def worker_name() -> str:
    """A name that no other worker has."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"


@dataclass(frozen=True, slots=True)
class Restored:
    """A URL that a stored row shows to have ended, what it claims and what it led to."""

    candidate: Candidate
    reason: str
    claims: tuple[tuple[str, bytes, str], ...] = ()
    led_to: tuple[Candidate, ...] = ()


class Share(NamedTuple):
    """What one of several servers may still have stored of the campaign's pages.

    ``left`` is what was granted less what it gave back, has stored and has out.
    """

    granted: int
    returned: int
    left: int
    stored: int
    pending: int
    is_spent: int


class RedisFrontier(Frontier):
    """`quarkcrawl.frontier.Frontier` on a server; see there for every method.

    Nearly every method is one round trip, and done when it returns; `commit` and `checkpoint` have
    nothing to do (what a crash of the server can lose is the server's setting, docs/redis.md).
    Many frontiers of one campaign may be open at once. A lease of a worker that died is given
    out again when its deadline has passed on the server's clock and any worker calls `reap`.

    Args:
        url: server and campaign, see `quarkcrawl.frontier.redis.server`; or the address itself.
        options: rules of the campaign from now on; None: those it has.
        worker: name of this worker; None: a new one.
        create: make the campaign if it is not there.
        server_clock: leases and delays go by the server's clock, whatever ``now`` says.
        wait_s: longest absence of the server before a call fails; its operation may be done
            twice, as one whose answer was lost.

    Raises:
        FrontierError: no such server or campaign, or another version.
    """

    def __init__(
        self,
        url: str | RedisAddress,
        options: FrontierOptions | None = None,
        *,
        worker: str | None = None,
        create: bool = True,
        server_clock: bool = True,
        wait_s: float = 0.0,
    ) -> None:
        self.server = CampaignServer(
            url if isinstance(url, RedisAddress) else RedisAddress.parse(url),
            worker=worker or worker_name(),
            create=create,
            server_clock=server_clock,
            wait_s=wait_s,
        )
        self.options = self.server.options
        self.keys = UrlKeys(self.server.secret)
        self._closed = False
        if options is not None:
            self.set_rules(options)

    def set_rules(self, options: FrontierOptions, max_campaign_pages: int = 0) -> None:
        """Make these the rules of the campaign; 0: no bound on all its pages together.

        Args:
            options: politeness and budgets.
            max_campaign_pages: bound on the pages of all hosts.
        """
        is_other = bool(options.domain_delay_s) != bool(self.options.domain_delay_s)
        if is_other or self.is_between_rules:
            self.server.begin_change()  # whoever comes after a crash here does it again
            self._set_domains(options)
        self.server.save_options(options, max_campaign_pages)
        self.options = options

    def _set_domains(self, options: FrontierOptions) -> None:
        """Let all hosts have domains, or none; whoever pushes later names those of new hosts."""
        for part in batches([state.host for state in self.hosts()]):
            has_domains = options.domain_delay_s > 0
            named = [(host, has_domains and registered_domain(host)) for host in part]
            self._tell("set_domains", named)

    def _items(self, candidates: Sequence[Candidate]) -> list[list[Any]]:
        with_domains = self.options.domain_delay_s > 0
        return codec.items_of(self.keys, candidates, with_domains=with_domains)

    @property
    def worker(self) -> str:
        """Name of this worker."""
        return self.server.worker

    @property
    def address(self) -> object:
        """Server and campaign; as text without passwords."""
        return self.server.address

    @property
    def max_campaign_pages(self) -> int:
        """Bound on the pages of all hosts; 0: none."""
        return self.server.max_campaign_pages

    @property
    def is_between_rules(self) -> bool:
        """Whether somebody began to change the rules, and did not end."""
        return self.server.is_between_rules

    @property
    def parts(self) -> Sequence[RedisFrontier]:
        """What is on each server: this one has all."""
        return (self,)

    def _ask(
        self, decode: Callable[[Any], T], name: str, *arguments: Any, now: float | None = None
    ) -> T:
        """Have one operation done and decode its answer; what is not one of ours is damage."""
        if self._closed:
            raise FrontierError("the frontier is closed", where=self.server.address)
        (raw,) = self.server.call([[name, *arguments]], now=now)
        return self._decoded(decode, raw)

    def _decoded(self, decode: Callable[[Any], T], raw: Any) -> T:
        try:
            return decode(raw)
        except (ValueError, TypeError, RecursionError) as error:
            message = f"damaged: an answer cannot be read ({error})"
            raise FrontierError(message, where=self.server.address) from error

    def _tell(self, name: str, *arguments: Any) -> None:
        """Have an operation done that has no answer."""
        self._ask(lambda _: None, name, *arguments)

    def _each(self, decode: Callable[[Any, float], T]) -> Callable[[Sequence[Any]], list[T]]:
        """A decoder of lists, by our clock."""
        return lambda raws: [decode(raw, self.server.offset_s) for raw in raws]

    # -- URLs ------------------------------------------------------------------------------

    def push(self, candidates: Sequence[Candidate]) -> list[bool]:
        """Offer URLs; True where the URL is new and now waits. Each `BATCH` is one round trip."""
        return self._each_batch("push", self._items(candidates))

    def unoffered(self, urls: Iterable[str], *, host: str, level: int) -> list[str]:  # noqa: ARG002
        """All: nothing is remembered here."""
        return list(urls)

    def mark_seen(self, urls: Sequence[str]) -> list[bool]:
        """Mark URLs as seen without queueing them; True where they were new."""
        return self._each_batch("mark_seen", codec.keys_of(self.keys, urls))

    def _each_batch(self, name: str, items: Sequence[Any]) -> list[bool]:
        """A script that takes long keeps the server from all others, and its answer comes late."""
        return [flag for part in batches(items) for flag in self._ask(_flags, name, part)]

    def revive(self, endings: Sequence[tuple[Candidate, str]]) -> list[bool]:
        """Let URLs that ended without a page wait again; True where one does now."""
        items = self._items([candidate for candidate, _ in endings])
        for item, (_, reason) in zip(items, endings, strict=True):
            item.insert(6, reason)
        return self._each_batch("revive", items)

    def find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """For each URL: its lease, its waiting entry, or None if unknown or ended.

        What was never handed out is looked for in the lists of its host, some at a time.
        """
        single = list(dict.fromkeys(urls))
        answers = dict(zip(single, self._find(single), strict=True))
        return [answers[url] for url in urls]

    def _find(self, urls: Sequence[str]) -> list[Lease | Candidate | None]:
        """Find URLs of which none comes twice."""
        names = self.known_by(urls)
        answers = self._ask(list, "find", names)
        for _ in range(_MOST_SEARCHES):
            listed = [at for at, raw in enumerate(answers) if raw == [codec.LISTED]]
            if not listed:
                decode = self._each(codec.found_of)
                return self._decoded(decode, answers)
            self._seek(names, answers, listed)
            # What left its list meanwhile is out or has ended.
            missed = [at for at in listed if answers[at] == [codec.LISTED]]
            again = self._ask(list, "find", [names[at] for at in missed]) if missed else []
            for at, raw in zip(missed, again, strict=True):
                answers[at] = raw
        raise FrontierError("damaged: a URL is in no list", where=self.server.address)

    def _seek(self, names: list[list[str]], answers: list[Any], listed: list[int]) -> None:
        """Fill in what the lists of the hosts have of these URLs."""
        by_host: dict[str, list[int]] = {}
        for at in listed:
            by_host.setdefault(names[at][1], []).append(at)
        for host, places in by_host.items():
            cursor, names_of_host = "", [names[at] for at in places]
            while cursor != "0" and any(answers[at] == [codec.LISTED] for at in places):
                cursor, raws = self._ask(
                    codec.sought_of, "seek", host, names_of_host, cursor, _SOUGHT
                )
                for at, raw in zip(places, raws, strict=True):
                    if raw is not None:
                        answers[at] = raw

    def finish(self, url: str, *, reason: str) -> bool:
        """End a waiting or leased URL by name."""
        return self._ask(bool, "finish", *self.known_by([url]), reason)

    def known_by(self, urls: Sequence[str]) -> list[list[str]]:
        """What the server knows URLs by.

        Args:
            urls: canonical URLs.
        """
        url_keys = codec.keys_of(self.keys, urls)
        return [codec.known_by(key, url) for (key, _), url in zip(url_keys, urls, strict=True)]

    def claim(self, namespace: str, digest: bytes, owner: str) -> str:
        """First come, first served: returns the owner of ``digest``, `UNNAMED` if it is another."""
        raw = self._ask(list, *self.claim_of((namespace, digest, owner)))
        return codec.owner_of(raw, owner)

    def claims(self, claims: Sequence[tuple[str, bytes, str]]) -> list[str]:
        """`claim` of many, in one round trip.

        Args:
            claims: namespace, digest and owner of each.
        """
        raws = self.server.call([self.claim_of(claim) for claim in claims])
        return [codec.owner_of(raw, who) for raw, (_, _, who) in zip(raws, claims, strict=True)]

    def claim_of(self, claim: tuple[str, bytes, str], token: str = "") -> Operation:
        """The operation that claims a digest.

        Args:
            claim: namespace, digest and owner.
            token: lease under which the claim is made; "": none.
        """
        namespace, digest, owner = claim
        key = self.keys.of_digest(namespace, digest)
        # Who makes URLs with one checksum only has a body of theirs stored twice.
        mark = str(crc32(pack(owner)) - (1 << 31))
        given = digest.hex() if self.server.has_old_claims else None
        return ["claim", namespace, given, str(key), key & 0xFFFFFFFF, mark, token]

    # -- leases ----------------------------------------------------------------------------

    def lease(self, limit: int, *, now: float) -> list[Lease]:
        """Hand out up to ``limit`` URLs of hosts whose time has come."""
        return self._ask(self._each(codec.lease_of), "lease", limit, now=now)

    def next_ready(self, *, now: float) -> float | None:
        """Earliest time at which `lease` can return something; None if nothing waits."""
        at = self._ask(lambda raw: raw and float(raw), "next_ready", now=now)
        return None if at is None else at - self.server.offset_s

    def fetched(self, tokens: Iterable[int], *, now: float) -> None:
        """Say that bodies are here, and that their pages are being analyzed."""
        self._ask(lambda _: None, "fetched", [str(token) for token in tokens], now=now)

    def settle(self, tokens: Iterable[int]) -> None:
        """Say that a fetch is over and its links are pushed, before the page is durable."""
        self._tell("settle", [str(token) for token in tokens])

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; False where the token is not valid."""
        return self._ask(_flags, *acknowledgement(endings))

    def begin_run(self, job: str, run: str) -> list[int]:
        """Take over a job: groups of endings of its earlier runs are refused from now on.

        Args:
            job: name of the job.
            run: tells this process from earlier ones; hexadecimal digits.

        Returns:
            For each server the number of the group that counts last.
        """
        return [self._ask(int, "begin_run", job, run)]

    def retry(self, token: int, *, reason: str, not_before: float) -> RetryOutcome:
        """Give a lease back after a failed try."""
        at = OurTime(not_before)
        return self._ask(codec.text, "retry", str(token), reason, at)  # type: ignore[arg-type]

    def server_time(self, at: float) -> float:
        """A time of our clock on the server's; 0 means never and stays.

        Args:
            at: epoch seconds of our clock.
        """
        return at + self.server.offset_s if at else _NEVER

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried; returns how many were still valid."""
        return self._ask(sum, "release", [str(token) for token in tokens])

    def release_worker(self, worker: str) -> int:
        """Give back, untried, every lease of a worker that is known to be dead.

        Args:
            worker: name of the worker.
        """
        return self._ask(int, "release_worker", worker, [], True)

    def reap(self, *, now: float) -> int:
        """Give back every lease whose deadline has passed, counted as a try."""
        total = 0
        while True:
            number = self._ask(lambda raw: int(raw[0]), "reap", BATCH, now=now)
            total += number
            if number < BATCH:
                return total

    def set_robots(self, token: int, *, robots: str, delay_s: float | None, now: float) -> bool:
        """End a robots lease: keep the text and raise the host's delay if asked."""
        at = OurTime(now)
        return self._ask(bool, "set_robots", str(token), robots, delay_s, at, now=now)

    async def enter_address(self, token: int, address: str, *, hold_s: float) -> float | None:
        """Let a request to an address begin, if fewer than may be out are."""
        return self._ask(self.turn_of, "enter_address", address, str(token), hold_s)

    def turn_of(self, raw: bytes) -> float | None:
        """An answer of ``enter_address``: None if the request may begin, else when to come back.

        Args:
            raw: what the server sent.
        """
        return float(raw) - self.server.offset_s if raw else None

    def leave_address(self, token: int, address: str, *, hold_s: float) -> None:
        """A request to an address is over."""
        self._tell("leave_address", address, str(token), hold_s)

    # -- hosts -----------------------------------------------------------------------------

    def host(self, host: str) -> HostState | None:
        """State of one host."""
        return self._ask(lambda raw: raw and codec.host_of(raw, self.server.offset_s), "host", host)

    def hosts(self) -> Iterator[HostState]:
        """All hosts, in order of first sight."""
        first = 1
        while states := self._ask(self._each(codec.host_of), "hosts", first, first + BATCH - 1):
            yield from states
            first += BATCH

    def _change_host(self, host: str, change: HostChange) -> None:
        """Change a host's politeness; a host never met before is entered."""
        self._tell(*host_change(host, change))

    def postpone(self, host: str, late_s: float) -> None:
        """Move a host's next time by the lateness of a request."""
        self._tell("postpone", host, late_s)

    def close_host(self, host: str, *, reason: str) -> Iterator[Candidate]:
        """Close a host and yield the URLs that waited."""
        self._tell("close_host", host, reason)
        return (candidate for candidate, _ in self._drain("drain_host", host))

    def drain_closed(self) -> Iterator[tuple[Candidate, str]]:
        """Yield each URL that waited when its host was closed, with the reason, once."""
        return self._drain("drain_closed")

    def _drain(self, *operation: str) -> Iterator[tuple[Candidate, str]]:
        # One at a time: what the caller does not take stays on the server.
        # What was drained is lost with its answer: a server that is away is not asked again.
        while True:
            wait_s, self.server.wait_s = self.server.wait_s, 0.0
            try:
                raws = self._ask(list, *operation, 1)
            finally:
                self.server.wait_s = wait_s
            if not raws:
                return
            yield from self._decoded(codec.drained_of, raws)

    # -- the campaign ----------------------------------------------------------------------

    def counts(self) -> FrontierCounts:
        """Totals for reports and for progress."""
        return self._ask(codec.counts_of, "counts")

    def state(self) -> str:
        """``"running"``, ``"paused"`` or ``"draining"``."""
        return self._ask(lambda raw: codec.text(raw[7]), "counts")

    def set_state(self, state: str) -> None:
        """Pause, drain or go on: tells all workers.

        Args:
            state: what all workers are to do.
        """
        self._tell("set_state", state)

    def leases_of_workers(self) -> dict[str, tuple[int, float]]:
        """Leases out and their first deadline, by worker."""
        raws = self._ask(list, "leases_of_workers")
        offset_s = self.server.offset_s
        return {codec.text(name): (n, float(due) - offset_s) for name, n, due in raws}

    def waiting(self) -> Iterator[tuple[Candidate, int, str]]:
        """Every URL that waits or is out: candidate, tries so far, ``waiting`` or ``leased``.

        While workers are at work a URL may come twice or, if it ends meanwhile, not at all.
        """
        cursor = ""
        while True:
            cursor, entries = self._ask(codec.waiting_of, "waiting", cursor, BATCH)
            yield from entries
            if cursor == "0":
                return

    def restore(self, ended: Sequence[Restored]) -> tuple[int, int]:
        """Enter URLs that have ended, as stored rows show; in few round trips.

        Args:
            ended: URLs with the reasons of their endings.

        Returns:
            How many the frontier did not know at all, and how many it held to be open.
        """
        operations: list[Operation] = []
        for one in ended:
            candidate = one.candidate
            (item,) = self._items([candidate])
            known_by = codec.known_by(item[3], candidate.url)
            operations.append(["restore", item, known_by, one.reason])
            operations += [self.claim_of(claim) for claim in one.claims]
            if one.led_to:
                operations.append(["push", self._items(one.led_to)])
        raws = self.server.call(operations)
        restored = [r for r, o in zip(raws, operations, strict=True) if o[0] == "restore"]
        return restored.count(1), restored.count(2)

    # -- of several servers ------------------------------------------------------------------

    def share(self) -> Share:
        """This server's part of the campaign's pages."""
        return self._ask(lambda raw: Share(*map(int, raw)), "share")

    def return_share(self, keep: int) -> int:
        """Let go of what is left beyond so many pages; returns all that ever was.

        Args:
            keep: pages.
        """
        return self._ask(int, "return_share", keep)

    def grant(self, shares: Sequence[tuple[int, Share, int]]) -> tuple[int, list[tuple[int, int]]]:
        """On the first server: grant servers more pages.

        Args:
            shares: number, share and further need of each server.

        Returns:
            What nobody has; for each server what was ever granted to it and given back by it.
        """
        rows = [[number, one.granted, one.returned, wish] for number, one, wish in shares]
        free, grants = self._ask(list, "grant", rows, self.max_campaign_pages)
        return int(free), [(int(granted), int(returned)) for granted, returned in grants]

    def granted(self, total: int, returned: int) -> None:
        """Tell this server what the books have of it.

        Args:
            total: pages that were ever granted to it.
            returned: those that it ever gave back.
        """
        self._tell("granted", total, returned)

    def spend(self, *, is_all: bool) -> None:
        """Say whether the campaign has all its pages: then what waits ends.

        Args:
            is_all: whether it has.
        """
        self._tell("spend", is_all)

    def others_at_work(self) -> bool:
        """Whether another worker reported within the last half minute."""
        now = steady_time()
        return any(
            name != self.worker and now - seen_at(report) < ALIVE_S
            for name, report in self.reports().items()
        )

    def reports(self) -> dict[str, dict[str, Any]]:
        """Last report of each worker that has not left; ``seen_at`` is by our clock."""
        offset_s = self.server.offset_s
        reports = self.server.workers()
        return {
            name: report | {"seen_at": seen_at(report) - offset_s} if seen_at(report) else report
            for name, report in reports.items()
        }

    def memory_bytes(self) -> int:
        """Memory in use on the server, all campaigns and what else it holds."""
        return self.server.memory_bytes()

    def erase(self) -> None:
        """Delete the campaign, and close."""
        self.server.erase()
        self.server.close()
        self._closed = True

    def commit(self) -> None:
        """Nothing to do: every call was done on the server."""

    def checkpoint(self) -> None:
        """Nothing to do, see `commit`."""

    def close(self) -> None:
        """Release this worker's leases, leave and close; safe to call twice."""
        if self._closed:
            return
        operations: list[Operation] = [["release_worker", self.worker, [], False], ["leave"]]
        self.server.wait_s = min(self.server.wait_s, _LEAVING_WAIT_S)
        try:
            self.server.call(operations)
        finally:
            self._closed = True
            self.server.close()


def batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Items in parts that the server takes without keeping others waiting."""
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]


def acknowledgement(endings: Sequence[Ending]) -> Operation:
    """The operation that ends leases for good."""
    return ["acknowledge", [str(one.token) for one in endings], [one.reason for one in endings]]


def host_change(host: str, change: HostChange) -> Operation:
    """The operation ``set_host``."""
    at = None if change.not_before is None else OurTime(change.not_before)
    return ["set_host", host, change.delay_s, change.concurrency, at]


def _flags(raw: Sequence[int]) -> list[bool]:
    return [bool(one) for one in raw]
