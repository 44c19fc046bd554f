"""The order of waiting requests, as Scrapy's default queues have it.

Next comes a request of the download slot (host) with the fewest requests out; of a slot the one
of the highest priority; of these the youngest, or the oldest where the project's queues are first
in, first out; requests of ``start()`` come last, the oldest first.

The job's file has them all. In memory are the next ones of each slot, a few thousand together.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scrapy import Request

    from quarkcrawl.crawl.jobs.opened import OpenRequest


IN_MEMORY: Final = 5000
OF_A_SLOT: Final = 200

OLDEST_FIRST: Final = -(1 << 62)
"""Added to the numbers of requests that are first in, first out: they come before ``start()``'s."""


@dataclass(eq=False, slots=True)
class WaitingRequest:
    """A request that waits.

    Args:
        number: under which the job knows it.
        slot: its download slot.
        priority: the higher, the sooner.
        rank: among those of one priority; the lower, the sooner.
        row: the request as the codec has it; empty if it stays in memory.
        request: the request itself; None for one that was read from the file.
        parent: the request whose callback gave it, if that is not done.
    """

    number: int
    slot: str
    priority: int
    rank: int
    row: bytes
    request: Request | None = None
    parent: OpenRequest | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Place among those of its slot; the last one comes first, as lists pop."""
        return self.priority, -self.rank


@dataclass(eq=False, slots=True)
class _Slot:
    """Waiting requests of one download slot; those on disk only come after those in memory."""

    entries: list[WaitingRequest]
    n_on_disk: int = 0

    def __len__(self) -> int:
        return len(self.entries) + self.n_on_disk


class WaitingRequests:
    """All waiting requests.

    Args:
        on_disk: how many of each slot the file holds.
        read: reads the next ones of a slot from the file; those in memory are none of them.
        spilled: told numbers of requests that are in the file only from now on.
    """

    def __init__(
        self,
        on_disk: Mapping[str, int],
        *,
        read: Callable[[str, int], list[WaitingRequest]],
        spilled: Callable[[Iterable[WaitingRequest]], None],
    ) -> None:
        self._slots = {slot: _Slot([], n_waiting) for slot, n_waiting in on_disk.items()}
        self._n_waiting = sum(on_disk.values())
        self._n_in_memory = 0
        self._read = read
        self._spilled = spilled
        self._n_out: dict[str, int] = {}
        # Slots in which something waits and of which nothing is out; an ordered set.
        self._idle: dict[str, None] = dict.fromkeys(self._slots)

    def __len__(self) -> int:
        return self._n_waiting

    def push(self, entry: WaitingRequest) -> None:
        """Add a request; its row is written, or will be before the file is read."""
        slot = self._slots.get(entry.slot)
        if slot is None:
            slot = self._slots[entry.slot] = _Slot([])
            if not self._n_out.get(entry.slot):
                self._idle[entry.slot] = None
        self._n_waiting += 1
        entries = slot.entries
        if slot.n_on_disk and entry.row and (not entries or entry.order < entries[0].order):
            slot.n_on_disk += 1
            self._spilled([entry])
            return
        if not entries or entry.order > entries[-1].order:
            entries.append(entry)
        else:
            insort(entries, entry, key=lambda each: each.order)
        self._n_in_memory += 1
        if len(entries) > OF_A_SLOT:
            self._spill(slot, OF_A_SLOT // 2)
        elif self._n_in_memory > IN_MEMORY:
            self._spill(slot, len(entries))

    def _spill(self, slot: _Slot, number: int) -> None:
        """Forget the last ones of a slot, but for those that are nowhere else."""
        last = slot.entries[:number]
        spilled = [entry for entry in last if entry.row]
        slot.entries[:number] = [entry for entry in last if not entry.row]
        slot.n_on_disk += len(spilled)
        self._n_in_memory -= len(spilled)
        self._spilled(spilled)

    def pop(self) -> WaitingRequest | None:
        """Take the next request out."""
        name = self._next_slot()
        if name is None:
            return None
        slot = self._slots[name]
        if not slot.entries:
            slot.entries = sorted(self._read(name, OF_A_SLOT // 2), key=lambda each: each.order)
            self._n_in_memory += len(slot.entries)
            slot.n_on_disk -= len(slot.entries)
        entry = slot.entries.pop()
        self._n_in_memory -= 1
        self._n_waiting -= 1
        self._idle.pop(name, None)
        self._n_out[name] = self._n_out.get(name, 0) + 1
        if not len(slot):
            del self._slots[name]
        return entry

    def _next_slot(self) -> str | None:
        """The slot with the fewest requests out in which something waits."""
        for name in self._idle:
            return name
        if not self._slots:
            return None
        if len(self._slots) <= len(self._n_out):
            return min(self._slots, key=lambda name: self._n_out.get(name, 0))
        waiting = (name for name in self._n_out if name in self._slots)
        return min(waiting, key=self._n_out.__getitem__)

    def ended(self, slot: str) -> None:
        """One that was taken out is finished."""
        left = self._n_out.get(slot, 0) - 1
        if left > 0:
            self._n_out[slot] = left
            return
        self._n_out.pop(slot, None)
        if slot in self._slots:
            self._idle[slot] = None
