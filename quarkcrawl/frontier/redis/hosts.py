"""What a worker knows of hosts from its leases, so that it need not ask for each page."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier.protocol import HostState

if TYPE_CHECKING:
    from collections.abc import Sequence


_HOSTS: Final = 4000
_CHARS: Final = 128 << 20
"""Of robots.txt; a farm of 4000 hosts could send 2 GB. More than are leased at once at 512 KiB."""
_SAME_S: Final = 0.01


@dataclass(slots=True)
class _Known:
    state: HostState
    robots_on_server: float = 0.0


class HostFacts:
    """The hosts leased last; pending and the like are not known here and are 0."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._wanted: set[str] = set()
        self._n_chars = 0

    def learn(self, host: str, raw: Sequence[Any], offset_s: float) -> None:
        """Take what came with a lease: next time, delay, and when robots.txt was fetched."""
        next_time, delay_s, robots_time = raw[8:11]
        known = self._entry(host)
        known.state = replace(
            known.state, next_time=float(next_time) - offset_s, delay_s=float(delay_s)
        )
        known.robots_on_server = float(robots_time) - offset_s if robots_time else 0.0
        ours = known.state.robots_time
        if robots_time and abs(known.robots_on_server - ours) > _SAME_S:
            self._wanted.add(host)
        self._bound()

    def _entry(self, host: str) -> _Known:
        known = self._known.get(host)
        if known is None:
            state = HostState(host, 0.0, 1, 0.0, 0, 0, 0, 0, None, 0.0, None)
            known = self._known[host] = _Known(state)
        self._known.move_to_end(host)
        return known

    def _bound(self) -> None:
        while len(self._known) > _HOSTS or (self._n_chars > _CHARS and len(self._known) > 1):
            _, known = self._known.popitem(last=False)
            self._n_chars -= len(known.state.robots or "")

    def wanted(self) -> list[str]:
        """Hosts whose robots.txt the server has and we have not; each is named once."""
        hosts, self._wanted = list(self._wanted), set()
        return hosts

    def keep_robots(self, host: str, robots: str, at: float) -> None:
        """Remember a robots.txt."""
        known = self._entry(host)
        self._n_chars += len(robots) - len(known.state.robots or "")
        known.state = replace(known.state, robots=robots, robots_time=at)
        self._bound()

    def get(self, host: str) -> HostState | None:
        """What is known of a host."""
        known = self._known.get(host)
        return None if known is None else known.state
