"""Registered domains whose hosts share a delay and a concurrency, where the rules say so.

Kept in memory: a restart knows the last requests from the hosts' own times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from quarkcrawl.frontier.clock import steady_time
from quarkcrawl.page.urls import registered_domain

if TYPE_CHECKING:
    from quarkcrawl.frontier.protocol import FrontierOptions
    from quarkcrawl.frontier.sqlite.hosts import HostRecord, HostTable


@dataclass(slots=True)
class Domain:
    """When a domain may be asked next, its requests out, and hosts that wait for one to end."""

    next_time: float = 0.0
    out: int = 0
    parked: dict[int, HostRecord] = field(default_factory=dict)


class Domains:
    """The domains of one campaign; without the rule each call changes nothing.

    Args:
        options: rules of the campaign.
        hosts: what is known of each host.
    """

    def __init__(self, options: FrontierOptions, hosts: HostTable) -> None:
        self._delay_s = options.domain_delay_s
        self._concurrency = options.concurrency
        self._hosts = hosts
        self._known: dict[str, Domain] = {}

    def _of(self, host: HostRecord) -> Domain:
        return self._known.setdefault(registered_domain(host.name), Domain())

    def recall(self, host: HostRecord, delay_s: float) -> None:
        """Learn from a host of the file when its domain was asked last."""
        if self._delay_s and host.next_time:
            domain = self._of(host)
            # A host that is to be left alone for longer does not hold the others back.
            asked_at = min(host.next_time - delay_s, steady_time())
            domain.next_time = max(domain.next_time, asked_at + self._delay_s)

    def ready_time(self, host: HostRecord, own_time: float) -> float:
        """When a host may be asked that could be asked at a time of its own."""
        if not self._delay_s:
            return own_time
        domain = self._of(host)
        if domain.out >= self._concurrency:
            domain.parked[host.id] = host
            return inf
        return max(own_time, domain.next_time)

    def begin(self, host: HostRecord, now: float) -> None:
        """A request to a host begins."""
        if self._delay_s:
            domain = self._of(host)
            domain.next_time = max(domain.next_time, now) + self._delay_s
            domain.out += 1

    def end(self, host: HostRecord) -> None:
        """A request to a host is over: those that waited for it are looked at again."""
        if self._delay_s:
            domain = self._of(host)
            domain.out -= 1
            parked, domain.parked = domain.parked, {}
            for other in parked.values():
                self._hosts.arm(other)

    def postpone(self, host: HostRecord, late_s: float) -> None:
        """Move the next time by the lateness of a request."""
        if self._delay_s:
            self._of(host).next_time += late_s
