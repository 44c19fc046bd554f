"""When each host may next be asked: a heap with at most one valid entry a host."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.frontier.sqlite.records import HostRecord


class Timetable:
    """Hosts by time.

    An entry's time may be too early, never too late: whoever takes a host from the front checks
    the time and, if need be, puts the host back with the true one. So most changes to a host
    need no work here. An entry is valid while its number is the host's ``armed`` number.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, HostRecord]] = []
        self._number = 0
        self._valid = 0

    def arm(self, host: HostRecord, time: float) -> None:
        """See to it that the host comes up at ``time`` at the latest."""
        if time >= host.armed_time:
            return
        self._valid += host.armed == 0
        self._number += 1
        host.armed = self._number
        host.armed_time = time
        heappush(self._heap, (time, self._number, host))
        if len(self._heap) > 2 * self._valid + 1024:
            self._compact()

    def first(self) -> tuple[float, HostRecord] | None:
        """The earliest host and its time."""
        heap = self._heap
        while heap:
            time, number, host = heap[0]
            if host.armed == number:
                return time, host
            heappop(heap)
        return None

    def take(self) -> None:
        """Remove the entry that `first` returned."""
        _, _, host = heappop(self._heap)
        host.armed = 0
        host.armed_time = inf
        self._valid -= 1

    def _compact(self) -> None:
        self._heap = [entry for entry in self._heap if entry[2].armed == entry[1]]
        heapify(self._heap)
