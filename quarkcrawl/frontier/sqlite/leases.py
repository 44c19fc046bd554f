"""The walk: which host may give which URL when, who has it, and how a lease ends.

A token is the number of the opening (kept in the file, one more each time) times 2^40, plus a
counter. So tokens increase over the life of a file, and none of a dead process is valid again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final

from quarkcrawl.frontier.protocol import (
    LATE_LEVELS,
    Ending,
    FrontierOptions,
    Lease,
    RetryOutcome,
    level_of,
    robots_url,
)
from quarkcrawl.frontier.sqlite.domains import Domains

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.frontier.sqlite.database import Totals, WaitingRow
    from quarkcrawl.frontier.sqlite.hosts import HostRecord, HostTable
    from quarkcrawl.frontier.sqlite.queue import Queue


COUNTER_BITS: Final = 40
HOST_BUDGET: Final = "host_budget"
LEASE_EXPIRED: Final = "lease_expired"


@dataclass(slots=True, eq=False)
class OpenLease:
    """A lease and what it is a lease of; ``row`` is None for robots.txt.

    ``fetched``: it holds no connection any more; ``settled``: it holds no level either.
    """

    lease: Lease
    host: HostRecord
    row: WaitingRow | None
    leased_at: float
    fetched: bool = False
    settled: bool = False


class Leases:
    """Moves URLs between waiting, out and ended; keeps hosts, totals and timetable right.

    Args:
        options: rules of the campaign.
        hosts: what is known of each host.
        queue: the URLs that wait.
        totals: sums over all of them.
        opening: how many times the file was opened for writing.
    """

    def __init__(
        self, options: FrontierOptions, hosts: HostTable, queue: Queue, totals: Totals, opening: int
    ) -> None:
        self._options = options
        self._hosts = hosts
        self._queue = queue
        self._totals = totals
        self._last_token = opening << COUNTER_BITS
        self._open: dict[int, OpenLease] = {}
        self._domains = Domains(options, hosts)

    def __len__(self) -> int:
        return len(self._open)

    def get(self, token: int) -> OpenLease | None:
        """The lease, None if the token is not valid (any more)."""
        return self._open.get(token)

    def of_key(self, key: int) -> OpenLease | None:
        """The lease of the URL with that key."""
        return self._open.get(self._queue.out.get(key, 0))

    # -- handing out -----------------------------------------------------------------------

    def take(self, limit: int, now: float) -> list[Lease]:
        """Hand out URLs of the hosts that are ready, longest ready first."""
        leases: list[Lease] = []
        while len(leases) < limit:
            first = self._first()
            if first is None or first[0] > now:
                break
            host = first[1]
            self._hosts.timetable.take()
            while len(leases) < limit and self._ready_time(host) <= now:
                leases.append(self._hand_out(host, now))
            self._hosts.arm(host)
        return leases

    def next_ready(self) -> float | None:
        """Earliest time at which a host can give a URL; inf: not before something ends."""
        first = self._first()
        if first is not None:
            return first[0]
        return inf if self._totals.pending else None

    def _first(self) -> tuple[float, HostRecord] | None:
        """The host that is ready first; its entry in the timetable is exact and in front."""
        timetable = self._hosts.timetable
        while (first := timetable.first()) is not None:
            time, host = first
            exact = self._ready_time(host)
            if exact <= time:
                return first
            timetable.take()
            if exact < inf:
                timetable.arm(host, exact)
        return None

    def _ready_time(self, host: HostRecord) -> float:
        """When the host can give its next URL; inf while something must end before."""
        if not host.may_give:
            return inf
        options = self._options
        concurrency = options.concurrency if host.concurrency is None else host.concurrency
        if host.leased - host.fetched >= concurrency:
            return inf
        budget = options.max_host_pages
        if budget is not None and host.stored + host.leased >= budget:
            return inf
        head = self._queue.head(host)
        if self._options.strict and host.levels_out and min(host.levels_out) < head.level:
            return inf
        return self._domains.ready_time(host, max(host.next_time, head.not_before))

    def _delay_s(self, host: HostRecord) -> float:
        return self._options.delay_s if host.delay_s is None else host.delay_s

    def recall(self, host: HostRecord) -> None:
        """A host of the file, when it is opened."""
        self._domains.recall(host, self._delay_s(host))

    def postpone(self, host: HostRecord, late_s: float) -> None:
        """Move a host's next time by the lateness of a request."""
        host.next_time += late_s
        self._domains.postpone(host, late_s)
        self._hosts.touch(host)

    def _hand_out(self, host: HostRecord, now: float) -> Lease:
        options = self._options
        host.next_time = max(host.next_time, now) + self._delay_s(host)
        self._domains.begin(host, now)
        self._hosts.touch(host)
        self._last_token = token = self._last_token + 1
        deadline = now + options.lease_s
        fetched_at = host.robots_time
        if options.robots and (fetched_at is None or now - fetched_at >= options.robots_ttl_s):
            url, tries = robots_url(self._queue.head(host).url), host.robots_tries + 1
            lease = Lease(
                url, host.name, 0, token=token, tries=tries, deadline=deadline, kind="robots"
            )
            self._open[token] = OpenLease(lease, host, None, now)
            host.robots_out = True
            return lease
        row = self._queue.take(host)
        place = (row.url, host.name, level_of(row.level), row.origin, row.hops)
        lease = Lease(*place, token=token, tries=row.tries + 1, deadline=deadline)
        self._open[token] = OpenLease(lease, host, row, now)
        self._queue.out[row.key] = token
        host.pending -= 1
        host.leased += 1
        host.levels_out[row.level] = host.levels_out.get(row.level, 0) + 1
        self._totals.pending -= 1
        return lease

    # -- endings: an invalid token changes nothing -----------------------------------------

    def fetched(self, tokens: Iterable[int], now: float) -> None:
        """Let the host be asked again, within its level, and prolong these leases."""
        for out in map(self.get, tokens):
            if out is not None and out.row is not None:
                out.lease = replace(out.lease, deadline=now + self._options.lease_s)
                self._leave_connection(out)
                self._hosts.arm(out.host)

    def settle(self, tokens: Iterable[int]) -> None:
        """Let the host go on although these leases have not ended yet."""
        for out in map(self.get, tokens):
            if out is not None and out.row is not None and not out.settled:
                out.settled = True
                self._leave_connection(out)
                _leave_level(out.host, out.row.level)
                self._hosts.arm(out.host)

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; False where the token is not valid."""
        done: list[bool] = []
        keys: list[int] = []
        for ending in endings:
            out = self.get(ending.token)
            done.append(out is not None)
            if out is not None:
                keys += self._end(out, ending.reason)
        self._queue.delete(keys)
        return done

    def finish(self, out: OpenLease, reason: str) -> None:
        """End one lease for good."""
        self._queue.delete(self._end(out, reason))

    def retry(self, token: int, reason: str, not_before: float) -> RetryOutcome:
        """Count a failed try; the URL waits again unless it has no tries left."""
        out = self.get(token)
        if out is None:
            return "fenced"
        self._totals.retry(reason)
        return "queued" if self._try_again(out, not_before) else "exhausted"

    def release(self, tokens: Iterable[int] | None = None) -> int:
        """Give leases back untried, or all; returns how many tokens were valid."""
        outs = [
            out for token in dict.fromkeys(self._open if tokens is None else tokens)
            if (out := self.get(token)) is not None
        ]  # fmt: skip
        for out in outs:
            if out.row is None:
                self._end_robots(out)
            else:
                self._give_back(out, out.row)
        return len(outs)

    def reap(self, now: float) -> int:
        """Count a try of each lease that is overdue, and give it back or end it."""
        overdue = [out for out in self._open.values() if out.lease.deadline < now]
        for out in overdue:
            self._totals.retry(LEASE_EXPIRED)
            if self._try_again(out, 0):
                continue
            if out.row is None:
                # robots.txt never ends for good by itself: the host's pages wait for it.
                out.host.robots_tries = out.lease.tries
            self.finish(out, LEASE_EXPIRED)
        return len(overdue)

    def set_robots(self, token: int, robots: str, delay_s: float | None, now: float) -> bool:
        """End a lease of robots.txt: keep the text and raise the host's delay if asked.

        The raised delay already holds between robots.txt and the first page.
        """
        out = self.get(token)
        if out is None or out.row is not None:
            return False
        host = out.host
        self._hosts.keep_robots(host, robots, now)
        if delay_s is not None and delay_s > self._delay_s(host):
            host.delay_s = delay_s
            host.next_time = max(host.next_time, out.leased_at + delay_s)
        self._end_robots(out)
        return True

    def _end_robots(self, out: OpenLease) -> None:
        del self._open[out.lease.token]
        out.host.robots_out = False
        self._domains.end(out.host)
        self._hosts.touch(out.host)
        self._hosts.arm(out.host)

    def count_ending(self, host: HostRecord, reason: str) -> None:
        """Count a URL that ended, and close the host whose budget it used up."""
        self._totals.end(reason)
        if reason == "stored":
            host.stored += 1
            host.failures = 0
            budget = self._options.max_host_pages
            if budget is not None and host.stored >= budget and host.closed is None:
                self.close_host(host, HOST_BUDGET)
        self._hosts.touch(host)
        self._hosts.arm(host)

    def close_host(self, host: HostRecord, reason: str) -> None:
        """Close a host; what waits ends, and stays in the file until it is drained."""
        if host.closed is None:
            host.closed = reason
            self._totals.hosts_open -= 1
        self._totals.pending -= host.pending
        if host.pending:
            self._totals.end(host.closed, host.pending)
        host.undrained += host.pending
        host.pending = 0
        self._queue.forget(host)
        self._hosts.touch(host)

    def open_host(self, host: HostRecord, reason: str) -> bool:
        """Open a host that was closed for a reason; what was not listed yet waits again."""
        budget = self._options.max_host_pages
        if host.closed != reason or (budget is not None and host.stored >= budget):
            return False
        host.pending, host.undrained = host.undrained, 0
        self._totals.end(reason, -host.pending)
        self._totals.pending += host.pending
        self._totals.hosts_open += 1
        host.closed = host.robots_time = None
        host.robots_tries = host.failures = 0
        self._queue.forget(host)
        self._hosts.touch(host)
        self._hosts.arm(host)
        return True

    def _end(self, out: OpenLease, reason: str) -> list[int]:
        """End a lease; returns the key whose row is to be deleted, if there is one."""
        if out.row is None:
            self._end_robots(out)
            return []
        self._close_page(out)
        self.count_ending(out.host, reason)
        return [out.row.key]

    def _try_again(self, out: OpenLease, not_before: float) -> bool:
        """Note a failed try and let the URL wait; False if it has no tries left."""
        host, tries = out.host, out.lease.tries
        host.failures += 1
        self._hosts.touch(host)
        if tries >= self._options.tries_at(out.lease.level) or host.closed is not None:
            return False
        if out.row is None:
            host.robots_tries = tries
            host.next_time = max(host.next_time, not_before)
            self._end_robots(out)
        else:
            is_late = tries >= self._options.max_tries
            level = level_of(out.row.level) + is_late * LATE_LEVELS
            row = out.row._replace(level=level, not_before=not_before, tries=tries)
            self._queue.write(row)
            self._give_back(out, row)
        return True

    def _give_back(self, out: OpenLease, row: WaitingRow) -> None:
        """Let a leased URL wait again; of a closed host, it ends as the others did."""
        host = out.host
        self._close_page(out)
        self._totals.pending += 1
        host.pending += 1
        if host.closed is not None:
            self.close_host(host, host.closed)
            return
        self._queue.show(host, row)
        self._hosts.arm(host)

    def _close_page(self, out: OpenLease) -> None:
        host, row = out.host, out.row
        assert row is not None
        host.leased -= 1
        host.fetched -= out.fetched
        if not out.fetched:
            self._domains.end(host)
        if not out.settled:
            _leave_level(host, row.level)
        del self._open[out.lease.token], self._queue.out[row.key]
        self._hosts.touch(host)

    def _leave_connection(self, out: OpenLease) -> None:
        if not out.fetched:
            out.fetched = True
            out.host.fetched += 1
            self._domains.end(out.host)


def _leave_level(host: HostRecord, level: int) -> None:
    left = host.levels_out[level] - 1
    if left:
        host.levels_out[level] = left
    else:
        del host.levels_out[level]
