"""The hosts: what is known of each, held in memory while it has something to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.frontier.sqlite.records import HostRecord
from quarkcrawl.frontier.sqlite.schema import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.frontier.sqlite.database import Database


COLUMNS: Final = (
    "id, name, delay_s, concurrency, next_time, pending, leased, stored, failures, max_level,"
    " robots_time, robots_tries, closed, undrained"
)
CHANGING: Final = COLUMNS.split(", ")[2:]
UPSERT: Final = (
    f"INSERT INTO host ({COLUMNS}) VALUES ({','.join('?' * 14)}) ON CONFLICT (id) DO UPDATE SET "  # noqa: S608
    + ", ".join(f"{name}=excluded.{name}" for name in CHANGING)
)
CHUNK: Final = 500
KEPT_IDLE: Final = 4096


class HostTable:
    """Host records by name, written back at commit.

    Hosts without work are forgotten when there are many and read again when needed, so memory
    follows the number of hosts at work, not the number ever met.
    """

    def __init__(self, database: Database, next_id: int) -> None:
        self._database = database
        self._by_name: dict[str, HostRecord] = {}
        self._by_id: dict[int, HostRecord] = {}
        self._dirty: dict[int, HostRecord] = {}
        self._evict_at = 2 * KEPT_IDLE
        self.next_id = next_id

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
        record = HostRecord(self.next_id, name)
        self.next_id += 1
        self._keep(record)
        self.touch(record)
        return record

    def touch(self, record: HostRecord) -> None:
        """Note that the record changed."""
        self._dirty[record.id] = record

    def at_work(self) -> Iterator[HostRecord]:
        """Read all hosts from the file for which URLs wait or were out at the last commit."""
        sql = f"SELECT {COLUMNS} FROM host WHERE pending > 0 OR leased > 0"  # noqa: S608
        for row in self._database.rows(sql):
            yield self._keep(self._record(row))

    def all(self) -> Iterator[HostRecord]:
        """All hosts in order of first sight."""
        last = 0
        while True:
            self.flush()
            sql = f"SELECT {COLUMNS} FROM host WHERE id > ? ORDER BY id LIMIT {CHUNK}"  # noqa: S608
            rows = self._database.rows(sql, (last,))
            if not rows:
                return
            for row in rows:
                last = row[0]
                yield self._by_id.get(last) or self._record(row)

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
        sql = f"SELECT {COLUMNS} FROM host WHERE {condition}"  # noqa: S608
        row = self._database.row(sql, (value,))
        return None if row is None else self._keep(self._record(row))

    def _keep(self, record: HostRecord) -> HostRecord:
        if not self._database.readonly:
            self._by_name[record.name] = record
            self._by_id[record.id] = record
        return record

    def _record(self, row: tuple[Any, ...]) -> HostRecord:
        record = HostRecord(row[0], self._database.text(row[1]), *row[2:])
        record.complete = record.pending == 0
        return record
