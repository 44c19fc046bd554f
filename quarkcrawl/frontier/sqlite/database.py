"""The file of a frontier.

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
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier.protocol import Candidate, FrontierCounts, FrontierOptions, level_of
from quarkcrawl.frontier.sqlite.file import FileKind, SqliteFile

if TYPE_CHECKING:
    from pathlib import Path

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


KIND: Final = FileKind("frontier", APPLICATION_ID, SCHEMA_VERSION, TABLES)


class Database(SqliteFile):
    """The open file of a frontier.

    Args:
        path: the file; a writer creates it when it is absent or empty.
        readonly: look only; may be used while a writer in another process has the file open.

    Raises:
        FrontierError: the file is not a frontier, has another version, is damaged or locked.
        StorageFullError: it could not be created for want of space.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        super().__init__(path, KIND, readonly=readonly)

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
