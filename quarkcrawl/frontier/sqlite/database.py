"""The file of a frontier: a connection whose every failure is an error that names the file.

A writer keeps one transaction open from commit to commit, and with it SQLite's write lock: a
second writer is told so when it opens. Readers in other processes see the last commit (WAL).

After a failed statement the connection is closed: part of the open transaction may be lost, so
whatever the program holds in memory no longer matches the file. Opening again gives the state of
the last commit.

``seen`` holds the 64-bit key of every URL ever met and nothing else, so an ended URL costs about
15 bytes. ``waiting`` holds the text of URLs that wait or are out on lease, in the order of the
walk; a row goes when its URL ends. A lease itself is never written: it belongs to the one
process that has the file open, and when that process dies, what it had out simply still waits.
The host table keeps how many were out at the last commit, so that the counts can be put right
at the next opening.

Texts are stored as UTF-8 blobs (``surrogatepass``): a URL with a lone surrogate is a poor URL,
but not an error.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from quarkcrawl.errors import FrontierError, QuarkError, StorageFullError
from quarkcrawl.frontier.protocol import Candidate, FrontierCounts, FrontierOptions, level_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


T = TypeVar("T")
Row = tuple[Any, ...]

APPLICATION_ID: Final = 0x51_43_46_52  # "QCFR"
SCHEMA_VERSION: Final = 1

TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "CREATE TABLE seen (key INTEGER PRIMARY KEY)",
    """CREATE TABLE waiting (
        host INTEGER NOT NULL, level INTEGER NOT NULL, not_before NOT NULL, seq INTEGER NOT NULL,
        key INTEGER NOT NULL, url BLOB NOT NULL, origin BLOB, hops INTEGER NOT NULL,
        tries INTEGER NOT NULL, PRIMARY KEY (host, level, not_before, seq)) WITHOUT ROWID""",
    "CREATE UNIQUE INDEX waiting_key ON waiting (key)",
    """CREATE TABLE host (
        id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, delay_s REAL, concurrency INTEGER,
        next_time REAL NOT NULL, pending INTEGER NOT NULL, leased INTEGER NOT NULL,
        stored INTEGER NOT NULL, failures INTEGER NOT NULL, max_level INTEGER NOT NULL,
        robots_time REAL, robots_tries INTEGER NOT NULL, closed TEXT,
        undrained INTEGER NOT NULL)""",
    "CREATE INDEX host_undrained ON host (id) WHERE undrained > 0",
    "CREATE TABLE robots (host INTEGER PRIMARY KEY, text BLOB NOT NULL)",
    """CREATE TABLE claim (namespace TEXT NOT NULL, digest BLOB NOT NULL, owner BLOB NOT NULL,
        PRIMARY KEY (namespace, digest)) WITHOUT ROWID""",
)

PAGE_CACHE_KIB: Final = 16 * 1024
WAL_PAGES: Final = 8000
LOCK_WAIT_S: Final = 2.0
SHRINK_PAGES: Final = 256
WRITER_PRAGMAS: Final = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    f"wal_autocheckpoint={WAL_PAGES}",
    f"journal_size_limit={WAL_PAGES * 4096}",
)
# What SQLite says when a quota or limit, not the disk, is reached: for the file, for its index.
CANNOT_GROW: Final = {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}

# The last: SQLite quotes a damaged schema, and Python cannot decode the message.
FAILURES: Final = (sqlite3.Error, UnicodeDecodeError)
DAMAGE: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT}

_LATER: Final = frozenset({"domain_delay_s", "address_concurrency", "late_tries", "saved_at"})
"""Fields of records that earlier versions had not."""


@dataclass(slots=True)
class Totals:
    """Sums over all URLs and hosts; ``next_seq`` numbers arrivals.

    ``saved_at`` is the time of the last commit; 0 in files of earlier versions.
    """

    seen: int = 0
    pending: int = 0
    leased: int = 0
    hosts: int = 0
    hosts_open: int = 0
    next_seq: int = 1
    ended: dict[str, int] = field(default_factory=dict)
    retried: dict[str, int] = field(default_factory=dict)
    saved_at: float = 0.0

    def end(self, reason: str, number: int = 1) -> None:
        """Count URLs that ended so."""
        count = self.ended.get(reason, 0) + number
        if count:
            self.ended[reason] = count
        else:
            self.ended.pop(reason, None)

    def retry(self, reason: str) -> None:
        """Count a failed try."""
        self.retried[reason] = self.retried.get(reason, 0) + 1

    def counts(self) -> FrontierCounts:
        """The totals as users see them."""
        totals = asdict(self)  # with copies of the dictionaries
        del totals["next_seq"], totals["saved_at"]
        return FrontierCounts(**totals)


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
        return Candidate(self.url, host, level_of(self.level), self.origin, self.hops)


Record = TypeVar("Record", Totals, FrontierOptions)


class Database:
    """The open file.

    Args:
        path: the file; a writer creates it when it is absent or empty.
        readonly: look only; may be used while a writer in another process has the file open.

    Raises:
        FrontierError: the file is not a frontier, has another version, is damaged or locked.
        StorageFullError: it could not be created for want of space.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self.readonly = readonly
        self._log = self.path.with_name(self.path.name + "-wal")
        self._connection: sqlite3.Connection | None = None
        if readonly and not self.path.is_file():
            raise FrontierError("no such frontier file", where=self.path)
        try:
            self._connection = self._connect()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        try:
            self._prepare()
        except BaseException:
            self.abandon()
            raise

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self.readonly else "rwc"
        if self.readonly and not os.access(self.path.parent, os.W_OK) and not self._log.exists():
            # SQLite cannot put its lock file there; nor can anyone write (an archived corpus).
            mode += "&immutable=1"
        return sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            cached_statements=256,
            timeout=LOCK_WAIT_S,
        )

    def _prepare(self) -> None:
        self.run(f"PRAGMA cache_size=-{PAGE_CACHE_KIB}")
        is_new = self._check()
        if self.readonly:
            return
        for pragma in WRITER_PRAGMAS:
            self.row(f"PRAGMA {pragma}")
        self.run("BEGIN IMMEDIATE")
        if is_new:
            for statement in TABLES:
                self.run(statement)
            self.run(f"PRAGMA application_id={APPLICATION_ID}")
            self.run(f"PRAGMA user_version={SCHEMA_VERSION}")
            self.commit()
            _sync(self.path.parent)

    def _check(self) -> bool:
        """Refuse files that are not ours; True for one that is still empty."""
        (application,) = self.row("PRAGMA application_id") or (0,)
        (version,) = self.row("PRAGMA user_version") or (0,)
        if application == 0 and self.row("SELECT 1 FROM sqlite_master LIMIT 1") is None:
            if self.readonly:
                raise FrontierError("the frontier file is empty", where=self.path)
            return True
        if application != APPLICATION_ID:
            raise FrontierError("an SQLite file, but not a quarkcrawl frontier", where=self.path)
        if version != SCHEMA_VERSION:
            age = "newer" if version > SCHEMA_VERSION else "older"
            message = f"made by a {age} quarkcrawl (schema {version}, this is {SCHEMA_VERSION})"
            raise FrontierError(message, where=self.path)
        return False

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run a statement and return all its rows."""
        return self._execute(lambda connection: connection.execute(sql, values).fetchall())

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """Run a statement and return its first row, if any."""
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run a statement and return the number of rows it changed."""
        return self._execute(lambda connection: connection.execute(sql, values).rowcount)

    def many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each set of values."""
        self._execute(lambda connection: connection.executemany(sql, values))

    def _execute(self, act: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return act(self.usable())
        except FAILURES as error:
            raise self._failure(error) from error

    def load(self, name: str, kind: type[Record]) -> Record:
        """A record that the last commit wrote; its defaults if the file has none yet.

        Raises:
            FrontierError: the file does not hold what a frontier must.
        """
        row = self.row("SELECT value FROM meta WHERE name = ?", (name,))
        if row is None:
            return kind()
        try:
            value = json.loads(row[0])
        except (ValueError, TypeError):
            value = None
        names = {each.name for each in fields(kind)}
        if not (isinstance(value, dict) and names - _LATER <= value.keys() <= names):
            raise FrontierError(f"damaged: its {name} cannot be read", where=self.path)
        return kind(**value)

    def save(self, name: str, record: Totals | FrontierOptions) -> None:
        """Write a record into the open transaction."""
        values = (
            name,
            json.dumps({each.name: getattr(record, each.name) for each in fields(record)}),
        )
        self.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)

    def text(self, raw: bytes) -> str:
        """Decode what `quarkcrawl.frontier.keys.pack` made."""
        try:
            return raw.decode("utf-8", "surrogatepass")
        except (UnicodeDecodeError, AttributeError) as error:
            raise FrontierError(f"damaged: no text: {raw!r}", where=self.path) from error

    def usable(self) -> sqlite3.Connection:
        """The connection.

        Raises:
            FrontierError: it was closed, or gave up after an earlier failure.
        """
        if self._connection is None:
            raise FrontierError("the frontier is closed", where=self.path)
        return self._connection

    @property
    def closed(self) -> bool:
        """No connection (any more)."""
        return self._connection is None

    def commit(self) -> None:
        """End the transaction and begin the next."""
        self.run("COMMIT")
        self.run("BEGIN IMMEDIATE")

    def checkpoint(self) -> None:
        """Commit, and return only when everything is on the device."""
        self.run("COMMIT")
        self.row("PRAGMA wal_checkpoint(PASSIVE)")
        # A reader may hold the checkpoint back; then the synced log is what survives. (SQLite
        # takes no locks on the log, so closing our own descriptor of it releases none.)
        try:
            if self._log.exists():
                _sync(self._log)
        except OSError as error:
            self.abandon()
            raise FrontierError(f"cannot be synced ({error})", where=self.path) from error
        self.run("BEGIN IMMEDIATE")

    def close(self) -> None:
        """Commit and close; the log is merged into the file. Safe to call twice."""
        if self._connection is None:
            return
        if not self.readonly:
            self.run("COMMIT")
            self._shrink()
        self.abandon()

    def _shrink(self) -> None:
        """Give space back if most of the file is free, as when a campaign has ended."""
        (free,) = self.row("PRAGMA freelist_count") or (0,)
        (pages,) = self.row("PRAGMA page_count") or (0,)
        if free > max(SHRINK_PAGES, pages // 2):
            # All is committed: without room for the copy, or time, the file just stays large.
            with suppress(QuarkError):
                self.run("VACUUM")

    def abandon(self) -> None:
        """Close without committing."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _failure(self, error: sqlite3.Error | UnicodeDecodeError) -> QuarkError:
        """Close the connection and say what happened in our own words."""
        self.abandon()
        code = getattr(error, "sqlite_errorcode", 0)
        primary = code & 0xFF
        if primary == sqlite3.SQLITE_FULL or code in CANNOT_GROW:
            return StorageFullError(f"cannot grow the frontier ({error})", where=self.path)
        if primary in DAMAGE or isinstance(error, UnicodeDecodeError):
            return FrontierError(f"not a frontier, or damaged ({error})", where=self.path)
        if primary == sqlite3.SQLITE_BUSY:
            return FrontierError("another process has the frontier open", where=self.path)
        return FrontierError(f"the frontier cannot be used ({error})", where=self.path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
