"""The rules of the walk: which host may give which URL when, and what an ending changes."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from quarkcrawl.frontier.protocol import FrontierOptions, Lease, LeaseKind
from quarkcrawl.frontier.sqlite.leases import Outstanding
from quarkcrawl.frontier.sqlite.timetable import Timetable

if TYPE_CHECKING:
    from quarkcrawl.frontier.sqlite.records import HostRecord, WaitingRow
    from quarkcrawl.frontier.sqlite.tables import FrontierTables


HOST_BUDGET = "host_budget"


class HostScheduler:
    """Moves URLs between waiting, out and ended; keeps hosts, totals and timetable right."""

    def __init__(
        self,
        options: FrontierOptions,
        tables: FrontierTables,
    ) -> None:
        self._options = options
        self._hosts = tables.hosts
        self._waiting = tables.waiting
        self._leases = tables.leases
        self._totals = tables.totals
        self._timetable = Timetable()

    def ready_time(self, host: HostRecord) -> float:
        """When the host can give its next URL; inf while something must end before."""
        if not host.pending or host.closed is not None or host.robots_out:
            return inf
        options = self._options
        concurrency = options.concurrency if host.concurrency is None else host.concurrency
        if host.leased - host.settled >= concurrency:
            return inf
        budget = options.max_host_pages
        if budget is not None and host.stored + host.leased >= budget:
            return inf
        head = self._waiting.head(host)
        if host.levels_out and min(host.levels_out) < head.level:
            return inf
        return max(host.next_time, head.not_before)

    def arm(self, host: HostRecord) -> None:
        """Have the host looked at again, after a change that may let it give a URL."""
        if host.pending and host.closed is None and not host.robots_out:
            self._timetable.arm(host, host.next_time)

    def touch(self, host: HostRecord) -> None:
        """Note that a host changed in a way that lets it give no URL sooner."""
        self._hosts.touch(host)

    def add_host(self, name: str) -> HostRecord:
        """Enter a host never met before."""
        self._totals.hosts += 1
        self._totals.hosts_open += 1
        return self._hosts.add(name)

    def next_ready(self) -> float | None:
        """Earliest time at which a host can give a URL; inf: not before something ends."""
        first = self._first()
        if first is not None:
            return first[0]
        return inf if self._totals.pending else None

    def take(self, limit: int, now: float) -> list[Lease]:
        """Hand out URLs of the hosts that are ready, longest ready first."""
        leases: list[Lease] = []
        while len(leases) < limit:
            first = self._first()
            if first is None or first[0] > now:
                break
            host = first[1]
            self._timetable.take()
            while len(leases) < limit and self.ready_time(host) <= now:
                leases.append(self._hand_out(host, now))
            self.arm(host)
        return leases

    def end_page(self, out: Outstanding, reason: str) -> None:
        """End a page lease for good; the caller deletes the row."""
        self._close_lease(out)
        self.count_ending(out.host, reason)

    def count_ending(self, host: HostRecord, reason: str) -> None:
        """Count a URL that ended, and close the host whose budget it used up."""
        self._totals.end(reason)
        if reason == "stored":
            host.stored += 1
            host.failures = 0
            budget = self._options.max_host_pages
            if budget is not None and host.stored >= budget and host.closed is None:
                self.close(host, HOST_BUDGET)
        self._hosts.touch(host)
        self.arm(host)

    def settle(self, out: Outstanding) -> None:
        """The fetch of a lease is over: it holds neither a connection nor a level any more."""
        if out.row is not None and self._leases.settle(out.lease.token):
            out.host.settled += 1
            self._leave_level(out.host, out.row.level)
            self.arm(out.host)

    def end_robots(self, out: Outstanding) -> None:
        """End a robots lease."""
        self._leases.end(out.lease.token)
        out.host.robots_out = False
        self._hosts.touch(out.host)
        self.arm(out.host)

    def give_back(self, out: Outstanding, row: WaitingRow) -> None:
        """Let a leased URL wait again; of a closed host, it ends as the others did."""
        host = out.host
        self._close_lease(out)
        self._totals.pending += 1
        host.pending += 1
        if host.closed is not None:
            self.close(host, host.closed)
            return
        self._waiting.show(host, row)
        self._hosts.touch(host)
        self.arm(host)

    def close(self, host: HostRecord, reason: str) -> None:
        """Close a host; what waits ends, and stays in the file until it is drained."""
        if host.closed is None:
            host.closed = reason
            self._totals.hosts_open -= 1
        self._totals.pending -= host.pending
        if host.pending:
            self._totals.end(host.closed, host.pending)
        host.undrained += host.pending
        host.pending = 0
        self._waiting.forget(host)
        self._hosts.touch(host)

    def _first(self) -> tuple[float, HostRecord] | None:
        """The host that is ready first; its entry in the timetable is exact and in front."""
        while (first := self._timetable.first()) is not None:
            time, host = first
            exact = self.ready_time(host)
            if exact <= time:
                return first
            self._timetable.take()
            if exact < inf:
                self._timetable.arm(host, exact)
        return None

    def _hand_out(self, host: HostRecord, now: float) -> Lease:
        delay_s = self._options.delay_s if host.delay_s is None else host.delay_s
        host.next_time = max(host.next_time, now) + delay_s
        self._hosts.touch(host)
        if self._robots_due(host, now):
            return self._lease_robots(host, now)
        return self._lease_page(host, now)

    def _robots_due(self, host: HostRecord, now: float) -> bool:
        if not self._options.robots:
            return False
        return host.robots_time is None or now - host.robots_time >= self._options.robots_ttl_s

    def _lease_robots(self, host: HostRecord, now: float) -> Lease:
        url = robots_url(self._waiting.head(host).url)
        lease = self._new_lease(host, url, host.robots_tries + 1, now, kind="robots")
        self._leases.open(Outstanding(lease, host, None, now))
        host.robots_out = True
        return lease

    def _lease_page(self, host: HostRecord, now: float) -> Lease:
        row = self._waiting.take(host)
        lease = self._new_lease(host, row.url, row.tries + 1, now, row=row)
        self._leases.open(Outstanding(lease, host, row, now))
        host.pending -= 1
        host.leased += 1
        host.levels_out[row.level] = host.levels_out.get(row.level, 0) + 1
        self._totals.pending -= 1
        return lease

    def _new_lease(
        self,
        host: HostRecord,
        url: str,
        tries: int,
        now: float,
        *,
        kind: LeaseKind = "page",
        row: WaitingRow | None = None,
    ) -> Lease:
        return Lease(
            token=self._leases.next_token(),
            url=url,
            host=host.name,
            level=0 if row is None else row.level,
            origin=None if row is None else row.origin,
            hops=0 if row is None else row.hops,
            tries=tries,
            deadline=now + self._options.lease_s,
            kind=kind,
        )

    def _close_lease(self, out: Outstanding) -> None:
        assert out.row is not None
        host = out.host
        host.leased -= 1
        if self._leases.is_settled(out.lease.token):
            host.settled -= 1
        else:
            self._leave_level(host, out.row.level)
        self._leases.end(out.lease.token)
        self._hosts.touch(host)

    def _leave_level(self, host: HostRecord, level: int) -> None:
        left = host.levels_out[level] - 1
        if left:
            host.levels_out[level] = left
        else:
            del host.levels_out[level]


def robots_url(url: str) -> str:
    """Address of the robots.txt that rules over a URL (RFC 9309, section 2.3)."""
    scheme, _, rest = url.partition("://")
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    return f"{scheme}://{rest[:end]}/robots.txt"
