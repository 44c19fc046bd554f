"""The hosts: what is known of each, and when it may next be asked.

A host is held in memory while it has something to do. Hosts without work are forgotten when there
are many and read again when needed, so memory follows the number of hosts at work, not the number
ever met.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from heapq import heapify, heappop, heappush
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier.keys import pack
from quarkcrawl.frontier.protocol import FrontierOptions, HostState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.frontier.sqlite.database import Database, WaitingRow


CHUNK: Final = 500
KEPT_IDLE: Final = 4096


@dataclass(slots=True, eq=False)
class HostRow:
    """A host's row.

    ``max_level`` is an upper bound of the levels that wait or are out. ``undrained`` counts URLs
    that waited when the host was closed and have not been listed since.
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


NAMES: Final = [column.name for column in fields(HostRow)]
COLUMNS: Final = ", ".join(NAMES)
UPSERT: Final = (
    f"INSERT INTO host ({COLUMNS}) VALUES ({','.join('?' * 14)}) ON CONFLICT (id) DO UPDATE SET "  # noqa: S608
    + ", ".join(f"{name}=excluded.{name}" for name in NAMES[2:])
)
_values = attrgetter(*NAMES)


@dataclass(slots=True, eq=False)
class HostRecord(HostRow):
    """A host's row, and what only the running process needs.

    ``window`` is the front of the host's queue (see `quarkcrawl.frontier.sqlite.queue`).
    ``fetched`` counts leases whose fetch is over: they are out, but take no concurrency.
    """

    robots_out: bool = False
    fetched: int = 0
    levels_out: dict[int, int] = field(default_factory=dict)
    window: list[WaitingRow] = field(default_factory=list)
    complete: bool = True
    armed: int = 0
    armed_time: float = inf

    @property
    def idle(self) -> bool:
        """Nothing waits and nothing is out."""
        return not (self.pending or self.leased or self.robots_out)

    @property
    def may_give(self) -> bool:
        """Something waits that need not wait for the host's robots.txt."""
        return self.pending > 0 and self.closed is None and not self.robots_out

    def columns(self) -> tuple[object, ...]:
        """Values of the row, in the order of the table."""
        number, name, *others = _values(self)
        return number, pack(name), *others

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


class Timetable:
    """Hosts by the time at which they may be asked: a heap with at most one valid entry a host.

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
            self._heap = [entry for entry in self._heap if entry[2].armed == entry[1]]
            heapify(self._heap)

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


class HostTable:
    """Host records by name, written back at commit.

    Args:
        database: the open file.
        next_id: number of the next host that is new.
    """

    def __init__(self, database: Database, next_id: int) -> None:
        self.timetable = Timetable()
        self._database = database
        self._by_name: dict[str, HostRecord] = {}
        self._by_id: dict[int, HostRecord] = {}
        self._dirty: dict[int, HostRecord] = {}
        self._evict_at = 2 * KEPT_IDLE
        self._next_id = next_id

    def get(self, name: str) -> HostRecord | None:
        """The host of that name, if known."""
        return self._by_name.get(name) or self._load("name = ?", pack(name))

    def by_id(self, number: int) -> HostRecord:
        """The host with that number."""
        record = self._by_id.get(number) or self._load("id = ?", number)
        assert record is not None, number
        return record

    def add(self, name: str) -> HostRecord:
        """A new host."""
        record = HostRecord(self._next_id, name)
        self._next_id += 1
        self._keep(record)
        self.touch(record)
        return record

    def touch(self, record: HostRecord) -> None:
        """Note that the record changed."""
        self._dirty[record.id] = record

    def arm(self, record: HostRecord) -> None:
        """Have the host looked at again, after a change that may let it give a URL."""
        if record.next_time < record.armed_time and record.may_give:
            self.timetable.arm(record, record.next_time)

    def at_work(self) -> Iterator[HostRecord]:
        """Read all hosts from the file for which URLs wait or were out at the last commit."""
        return map(self._keep, self._read("pending > 0 OR leased > 0"))

    def all(self) -> Iterator[HostRecord]:
        """All hosts in order of first sight."""
        last = 0
        while True:
            self.flush()
            records = self._read("id > ? ORDER BY id LIMIT ?", last, CHUNK)
            if not records:
                return
            for record in records:
                last = record.id
                yield self._by_id.get(last) or record

    def undrained(self) -> HostRecord | None:
        """A closed host with URLs that nobody has listed."""
        self.flush()
        row = self._database.row("SELECT id FROM host WHERE undrained > 0 ORDER BY id LIMIT 1")
        return None if row is None else self.by_id(row[0])

    def robots(self, record: HostRecord) -> str | None:
        """Text of the host's robots.txt, None while unknown."""
        if record.robots_time is None:
            return None
        row = self._database.row("SELECT text FROM robots WHERE host = ?", (record.id,))
        return "" if row is None else self._database.text(row[0])

    def keep_robots(self, record: HostRecord, robots: str, now: float) -> None:
        """Store the text of a host's robots.txt."""
        values = (record.id, pack(robots))
        self._database.run("INSERT OR REPLACE INTO robots (host, text) VALUES (?, ?)", values)
        record.robots_time = now
        record.robots_tries = 0
        self.touch(record)

    def flush(self) -> None:
        """Write changed records into the open transaction."""
        if self._dirty:
            self._database.many(UPSERT, [record.columns() for record in self._dirty.values()])
            self._dirty.clear()

    def evict(self) -> None:
        """Forget hosts without work, if there are many. All must have been flushed."""
        if len(self._by_id) < self._evict_at:
            return
        for record in [record for record in self._by_id.values() if record.idle]:
            del self._by_id[record.id], self._by_name[record.name]
        self._evict_at = 2 * max(len(self._by_id), KEPT_IDLE)

    def _load(self, condition: str, value: object) -> HostRecord | None:
        records = self._read(condition, value)
        return self._keep(records[0]) if records else None

    def _read(self, condition: str, *values: object) -> list[HostRecord]:
        sql = f"SELECT {COLUMNS} FROM host WHERE {condition}"  # noqa: S608
        return [self._record(row) for row in self._database.rows(sql, values)]

    def _record(self, row: tuple[Any, ...]) -> HostRecord:
        record = HostRecord(row[0], self._database.text(row[1]), *row[2:])
        record.complete = record.pending == 0
        return record

    def _keep(self, record: HostRecord) -> HostRecord:
        if not self._database.readonly:
            self._by_name[record.name] = record
            self._by_id[record.id] = record
        return record
