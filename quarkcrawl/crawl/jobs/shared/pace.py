"""Politeness over all workers: the frontier counts a host's delay from when a request was sent.

It hands out leases of a host with the delay between. A request may go out later than that, since
robots.txt comes before it or there is no room. While it has not been sent, the host's next lease
is held back, so that it comes a delay after the sending, whichever worker gets it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.frontier import Frontier, Lease

PACE_S: Final = 0.1
"""How often `HostPace.hold_back` is to be called."""
_AHEAD_S: Final = 0.4
_MOST_HOSTS: Final = 100_000


class HostPace:
    """Requests of one worker that are not sent yet.

    Args:
        frontier: is told of lateness.
        delays: seconds, where they are not those of the rules.
        asks_robots: whether robots.txt of a host is fetched before its first request.
    """

    def __init__(
        self, frontier: Frontier, delays: Mapping[str, float], *, asks_robots: bool
    ) -> None:
        self._frontier = frontier
        self._delays = delays
        self._asks_robots = asks_robots
        self._met: set[str] = set()
        self._unsent: dict[int, tuple[Lease, float]] = {}

    def delay_s(self, host: str) -> float:
        """Least time between two requests to a host."""
        return self._delays.get(host, self._frontier.options.delay_s)

    def meets(self, host: str) -> bool:
        """Whether robots.txt of a host has to be fetched, too: that needs a turn of its own."""
        if not self._asks_robots or host in self._met or self.delay_s(host) <= 0:
            return False
        if len(self._met) >= _MOST_HOSTS:
            self._met.clear()
        self._met.add(host)
        return True

    def begin(self, lease: Lease, now: float, at: float | None = None) -> None:
        """A request of this worker is to be sent, at its lease's time or at a turn of its own."""
        if self.delay_s(lease.host) <= 0:
            return
        start = lease.deadline - self._frontier.options.lease_s if at is None else at
        self._unsent[lease.token] = (lease, start)
        self._hold(lease.token, now)

    def hold_back(self, now: float) -> None:
        """Hold back the hosts of requests that are not sent yet."""
        for token in list(self._unsent):
            self._hold(token, now)

    def sent(self, token: int, at: float) -> None:
        """A request goes out."""
        lease, counted_from = self._unsent.pop(token, (None, 0.0))
        if lease is not None and at > counted_from:
            self._frontier.postpone(lease.host, at - counted_from)

    def forget(self, token: int) -> None:
        """A request is over, sent or not."""
        self._unsent.pop(token, None)

    def _hold(self, token: int, now: float) -> None:
        lease, counted_from = self._unsent[token]
        if counted_from + self.delay_s(lease.host) < now + _AHEAD_S:
            self._move(lease, counted_from, now + _AHEAD_S)

    def _move(self, lease: Lease, counted_from: float, to: float) -> None:
        self._frontier.postpone(lease.host, to - counted_from)
        self._unsent[lease.token] = (lease, to)
