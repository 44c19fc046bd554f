"""A host and a waiting URL as they are held in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from quarkcrawl.frontier.protocol import Candidate, FrontierOptions, HostState
from quarkcrawl.frontier.sqlite.schema import pack


class WaitingRow(NamedTuple):
    """One waiting URL; rows compare in the order of the walk."""

    level: int
    not_before: float
    seq: int
    key: int
    url: str
    origin: str | None
    hops: int
    tries: int

    def candidate(self, host: str) -> Candidate:
        """The URL as it was offered."""
        return Candidate(self.url, host, self.level, self.origin, self.hops)


@dataclass(slots=True, eq=False)
class HostRecord:
    """A host's row, and what only the running process needs.

    ``max_level`` is an upper bound of the levels that wait or are out. ``undrained`` counts URLs
    that waited when the host was closed and have not been listed since. ``window`` is the front
    of the host's queue (see `quarkcrawl.frontier.sqlite.waiting`). ``settled`` counts leases whose
    fetch is over; they are out, but take neither concurrency nor a place in ``levels_out``.
    """

    id: int
    name: str
    delay_s: float | None = None
    concurrency: int | None = None
    next_time: float = 0.0
    pending: int = 0
    leased: int = 0
    stored: int = 0
    failures: int = 0
    max_level: int = 0
    robots_time: float | None = None
    robots_tries: int = 0
    closed: str | None = None
    undrained: int = 0

    robots_out: bool = False
    settled: int = 0
    levels_out: dict[int, int] = field(default_factory=dict)
    window: list[WaitingRow] = field(default_factory=list)
    complete: bool = True
    armed: int = 0
    armed_time: float = inf

    @property
    def idle(self) -> bool:
        """Nothing waits and nothing is out."""
        return not (self.pending or self.leased or self.robots_out)

    def columns(self) -> tuple[object, ...]:
        """Values of the row, in the order of the table."""
        return (
            self.id, pack(self.name), self.delay_s, self.concurrency, self.next_time,
            self.pending, self.leased, self.stored, self.failures, self.max_level,
            self.robots_time, self.robots_tries, self.closed, self.undrained,
        )  # fmt: skip

    def state(self, options: FrontierOptions, robots: str | None) -> HostState:
        """The host as users see it."""
        return HostState(
            host=self.name,
            delay_s=options.delay_s if self.delay_s is None else self.delay_s,
            concurrency=options.concurrency if self.concurrency is None else self.concurrency,
            next_time=self.next_time,
            pending=self.pending,
            leased=self.leased + self.robots_out,
            stored=self.stored,
            failures=self.failures,
            robots=robots,
            robots_time=self.robots_time or 0.0,
            closed=self.closed,
        )
