"""The file of a job: what a crawl needs to go on after its process died.

A row of ``requests`` is a request that is not done. A process takes requests out in memory only;
what it had out when it died simply still waits. ``parent`` marks rows whose parent was not done
when they were written: it runs again after a crash and gives them again, so they are dropped then.

``seen`` has the fingerprint of every request that was not given as ``dont_filter``, with the
number of the request. ``start`` counts the outputs of ``start()`` that were taken, by fingerprint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.crawl.jobs.waiting import WaitingRequest
from quarkcrawl.frontier import FileKind, SqliteFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

JOB_FILE: Final = "job.db"

KIND: Final = FileKind(
    noun="job",
    application_id=0x51_43_4A_42,  # "QCJB"
    version=1,
    tables=(
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
        """CREATE TABLE requests (
            number INTEGER PRIMARY KEY, slot TEXT NOT NULL, priority INTEGER NOT NULL,
            rank INTEGER NOT NULL, parent INTEGER, row BLOB NOT NULL)""",
        "CREATE INDEX request_order ON requests (slot, priority DESC, rank)",
        "CREATE INDEX request_parent ON requests (parent) WHERE parent IS NOT NULL",
        "CREATE TABLE seen (fingerprint BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE start (fingerprint BLOB PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE feeds (uri TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE undurable (
            number INTEGER PRIMARY KEY, method TEXT NOT NULL, url TEXT NOT NULL,
            attribute TEXT NOT NULL, lost INTEGER NOT NULL DEFAULT 0)""",
    ),
)


class UndurableRequest(NamedTuple):
    """A request that the file cannot hold."""

    number: int
    method: str
    url: str
    attribute: str


class Commit(NamedTuple):
    """What one transaction adds to the file, besides the rows that were written before.

    ``done`` are numbers of requests, ``parents`` those of them that have rows of children; ``firm``
    are requests that wait for their first parent no more.
    """

    done: Collection[int]
    parents: Collection[int]
    firm: Collection[int]
    feeds: Mapping[str, str]
    state: bytes | None
    n_done: int


class DurableFile(SqliteFile):
    """A file with values and states of feeds, each commit of which is on the device at its end."""

    def __init__(self, path: Path, kind: FileKind, *, readonly: bool = False) -> None:
        super().__init__(path, kind, readonly=readonly)
        if not readonly:
            self.run("COMMIT")
            self.row("PRAGMA synchronous=FULL")
            self.run("BEGIN IMMEDIATE")

    def value(self, name: str) -> bytes | str | int | None:
        """A value of ``meta``."""
        row = self.row("SELECT value FROM meta WHERE name = ?", (name,))
        return None if row is None else row[0]

    def set_value(self, name: str, value: bytes | str | int) -> None:
        """Set a value of ``meta`` in the open transaction."""
        self.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def feed_states(self) -> dict[str, str]:
        """States of the feeds as of the last commit."""
        return dict(self.rows("SELECT uri, state FROM feeds"))

    def write_feeds(self, states: Mapping[str, str]) -> None:
        """Set states of feeds in the open transaction."""
        self.many("INSERT OR REPLACE INTO feeds VALUES (?, ?)", states.items())


class JobFile(DurableFile):
    """The open file of a job; a transaction is open from commit to commit.

    Args:
        path: the file; created when it is absent or empty.
        readonly: look only.

    Raises:
        FrontierError: the file is no job, is damaged or in use.
        StorageFullError: it could not be created for want of space.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        super().__init__(path, KIND, readonly=readonly)

    # -- opening -------------------------------------------------------------------------------

    def drop_provisional(self) -> int:
        """Drop requests whose parent runs again, with their fingerprints; returns how many."""
        numbers = self.rows("SELECT number FROM requests WHERE parent IS NOT NULL")
        if numbers:
            self.run(
                "DELETE FROM seen WHERE number IN "
                "(SELECT number FROM requests WHERE parent IS NOT NULL)"
            )
            self.run("DELETE FROM requests WHERE parent IS NOT NULL")
            self.commit()
        return len(numbers)

    def note_lost(self) -> list[UndurableRequest]:
        """Requests that only a memory had that is gone; each is returned once."""
        rows = self.rows("SELECT number, method, url, attribute FROM undurable WHERE lost = 0")
        if rows:
            self.run("UPDATE undurable SET lost = 1")
            self.commit()
        return [UndurableRequest(*row) for row in rows]

    def lost(self) -> int:
        """How many requests were lost so in all runs."""
        (number,) = self.row("SELECT count(*) FROM undurable WHERE lost = 1") or (0,)
        return int(number)

    def waiting_slots(self) -> dict[str, int]:
        """Number of requests by download slot."""
        return dict(self.rows("SELECT slot, count(*) FROM requests GROUP BY slot"))

    def started(self) -> dict[bytes, int]:
        """How often each output of ``start()`` was taken, by fingerprint."""
        return dict(self.rows("SELECT fingerprint, times FROM start"))

    def next_number(self) -> int | None:
        """Number of the next new request; None if nothing was committed yet.

        Files of earlier versions may hold requests beyond the number that they name: states of
        feeds were committed with them, and the number was not.
        """
        stored = self.value("next_number")
        tables = "SELECT max(number) FROM requests UNION ALL SELECT max(number) FROM undurable"
        numbers = [number + 1 for (number,) in self.rows(tables) if number is not None]
        if stored is not None:
            numbers.append(int(stored))
        return max(numbers, default=None)

    # -- at work -------------------------------------------------------------------------------

    def seen_number(self, fingerprint: bytes) -> int | None:
        """Number of the request that has a fingerprint."""
        row = self.row("SELECT number FROM seen WHERE fingerprint = ?", (fingerprint,))
        return None if row is None else row[0]

    def parent_of(self, number: int) -> int | None:
        """Number of the parent that a request waits for, if it does."""
        row = self.row("SELECT parent FROM requests WHERE number = ?", (number,))
        return None if row is None else row[0]

    def read_slot(self, slot: str, limit: int) -> list[tuple[WaitingRequest, int | None]]:
        """The next requests of a slot, with the number of the parent they wait for."""
        rows = self.rows(
            "SELECT number, priority, rank, row, parent FROM requests WHERE slot = ? "
            "ORDER BY priority DESC, rank LIMIT ?",
            (slot, limit),
        )
        return [
            (WaitingRequest(number, slot, priority, rank, row), parent)
            for number, priority, rank, row, parent in rows
        ]

    def write_seen(self, fingerprints: Iterable[tuple[bytes, int]]) -> None:
        """Enter fingerprints with the numbers of their requests."""
        self.many("INSERT OR IGNORE INTO seen VALUES (?, ?)", fingerprints)

    def write_requests(self, entries: Iterable[WaitingRequest]) -> None:
        """Enter requests."""
        self.many(
            "INSERT OR REPLACE INTO requests (number, slot, priority, rank, parent, row) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                (each.number, each.slot, each.priority, each.rank, parent_number(each), each.row)
                for each in entries
            ),
        )

    def add_started(self, fingerprints: Iterable[bytes]) -> None:
        """Count outputs of ``start()`` that were taken."""
        self.many(
            "INSERT INTO start VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1",
            ((fingerprint,) for fingerprint in fingerprints),
        )

    def write_undurable(self, requests: Iterable[UndurableRequest]) -> None:
        """Enter requests that are in memory only."""
        self.many(
            "INSERT INTO undurable (number, method, url, attribute) VALUES (?, ?, ?, ?)", requests
        )

    def commit_group(self, group: Commit) -> None:
        """Make a group durable, whole or not at all."""
        done = [(number,) for number in group.done]
        self.many("DELETE FROM requests WHERE number = ?", done)
        self.many("DELETE FROM undurable WHERE number = ?", done)
        parents = [(number,) for number in group.parents]
        self.many("UPDATE requests SET parent = NULL WHERE parent = ?", parents)
        self.many(
            "UPDATE requests SET parent = NULL WHERE number = ?",
            ((number,) for number in group.firm),
        )
        self.write_feeds(group.feeds)
        if group.state is not None:
            self.set_value("state", group.state)
        self.set_value("done", group.n_done)
        self.commit()

    def commit_feeds(self, states: Mapping[str, str]) -> None:
        """Make states of feeds durable at once, with whatever was written before."""
        self.write_feeds(states)
        self.commit()


def job_status(folder: Path) -> dict[str, Any]:
    """What the file of a job says, as JSON values; a process may be at work on it.

    Args:
        folder: that of the job.

    Raises:
        FrontierError: there is no job, or its file is damaged.
    """
    file = JobFile(folder / JOB_FILE, readonly=True)
    try:
        slots = file.waiting_slots()
        rows = file.rows("SELECT method, url, attribute, lost FROM undurable ORDER BY number")
        undurable = [
            {"method": method, "url": url, "attribute": attribute, "lost": bool(lost)}
            for method, url, attribute, lost in rows
        ]
        return {
            "job": str(folder),
            "finished": file.value("finished") is not None,
            "done": file.value("done") or 0,
            "waiting": sum(slots.values()),
            "waiting_by_slot": slots,
            "not_durable": [each for each in undurable if not each["lost"]],
            "lost": [each for each in undurable if each["lost"]],
            "feeds": sorted(file.feed_states()),
        }
    finally:
        file.abandon()


def parent_number(entry: WaitingRequest) -> int | None:
    """Number of the parent that a request waits for."""
    if entry.parent is None or entry.parent.is_done:
        return None
    return entry.parent.number
