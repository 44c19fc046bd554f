"""The ways in which a lease ends: for good, to be tried again, or given back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.frontier.protocol import Ending, RetryOutcome
    from quarkcrawl.frontier.sqlite.leases import Outstanding
    from quarkcrawl.frontier.sqlite.scheduler import HostScheduler
    from quarkcrawl.frontier.sqlite.tables import FrontierTables


LEASE_EXPIRED = "lease_expired"


class Endings:
    """Ends leases by token; an invalid token changes nothing."""

    def __init__(
        self,
        tables: FrontierTables,
        scheduler: HostScheduler,
        *,
        max_tries: int,
    ) -> None:
        self._leases = tables.leases
        self._waiting = tables.waiting
        self._totals = tables.totals
        self._scheduler = scheduler
        self._max_tries = max_tries

    def acknowledge(self, endings: Sequence[Ending]) -> list[bool]:
        """End leases for good; False where the token is not valid."""
        done: list[bool] = []
        ended: list[int] = []
        for ending in endings:
            out = self._leases.get(ending.token)
            done.append(out is not None)
            if out is not None:
                ended += self._end(out, ending.reason)
        self._waiting.delete(ended)
        return done

    def settle(self, tokens: Iterable[int]) -> None:
        """Let the host go on although these leases have not ended yet."""
        for out in map(self._leases.get, tokens):
            if out is not None:
                self._scheduler.settle(out)

    def finish(self, out: Outstanding, reason: str) -> None:
        """End one lease for good."""
        self._waiting.delete(self._end(out, reason))

    def retry(self, token: int, reason: str, not_before: float) -> RetryOutcome:
        """Count a failed try; the URL waits again unless it has no tries left."""
        out = self._leases.get(token)
        if out is None:
            return "fenced"
        self._totals.retry(reason)
        return "queued" if self._try_again(out, not_before) else "exhausted"

    def release(self, tokens: Iterable[int]) -> int:
        """Give leases back untried; returns how many tokens were valid."""
        outs = [out for out in map(self._leases.get, dict.fromkeys(tokens)) if out is not None]
        for out in outs:
            if out.row is None:
                self._scheduler.end_robots(out)
            else:
                self._scheduler.give_back(out, out.row)
        return len(outs)

    def reap(self, now: float) -> int:
        """Count a try of each lease that is overdue, and give it back or end it."""
        overdue = self._leases.overdue(now)
        for out in overdue:
            self._totals.retry(LEASE_EXPIRED)
            if self._try_again(out, 0):
                continue
            if out.row is None:
                # robots.txt never ends for good by itself: the host's pages wait for it.
                out.host.robots_tries = out.lease.tries
            self.finish(out, LEASE_EXPIRED)
        return len(overdue)

    def _end(self, out: Outstanding, reason: str) -> list[int]:
        """End a lease; returns the key whose row is to be deleted, if there is one."""
        if out.row is None:
            self._scheduler.end_robots(out)
            return []
        self._scheduler.end_page(out, reason)
        return [out.row.key]

    def _try_again(self, out: Outstanding, not_before: float) -> bool:
        """Note a failed try and let the URL wait; False if it has no tries left."""
        host, tries = out.host, out.lease.tries
        host.failures += 1
        if tries >= self._max_tries or host.closed is not None:
            self._scheduler.touch(host)
            return False
        if out.row is None:
            host.robots_tries = tries
            host.next_time = max(host.next_time, not_before)
            self._scheduler.end_robots(out)
        else:
            row = out.row._replace(not_before=not_before, tries=tries)
            self._waiting.write(row)
            self._scheduler.give_back(out, row)
        return True
