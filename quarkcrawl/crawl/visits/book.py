"""The book of visits: every stored page, sitemap and feed, and when it is due, in a file on disk.

It holds nothing that the tables of the corpus do not say, and is written anew from them whenever
they are not as they were when it was last closed: after a kill, a merge, a crawl without it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.crawl.visits.schedule import History, VisitSchedule
from quarkcrawl.errors import StoreError
from quarkcrawl.page import host_key
from quarkcrawl.store import sync_file
from quarkcrawl.store.tables import all_parts, iter_batches, journal_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.store import PageRow
    from quarkcrawl.store.tables import RowKind

BOOK: Final = "visits.sqlite"
"""Name of the file in a corpus."""

READ: Final = ("sitemap", "feed")
"""Reasons with which lists end that were read."""

GONE: Final = ("http_404", "http_410")
_ELSEWHERE: Final = ("redirect", "duplicate")

_FORMAT: Final = 2
_PLACE: Final = ("url", "level", "offset", "length", "md5", "fetched_at", "version")
_TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value)",
    """CREATE TABLE page (
        url BLOB PRIMARY KEY, level INTEGER NOT NULL, offset INTEGER NOT NULL,
        length INTEGER NOT NULL, md5 BLOB NOT NULL, version INTEGER NOT NULL,
        first_at REAL NOT NULL, seen_at REAL NOT NULL, visits INTEGER NOT NULL,
        changes INTEGER NOT NULL, reason TEXT NOT NULL, due REAL, is_asked INTEGER NOT NULL
        ) WITHOUT ROWID""",
    "CREATE INDEX page_due ON page (due) WHERE is_asked = 0",
    """CREATE TABLE list (
        url BLOB PRIMARY KEY, origin TEXT NOT NULL, reason TEXT NOT NULL, seen_at REAL NOT NULL,
        etag TEXT, modified TEXT, is_asked INTEGER NOT NULL) WITHOUT ROWID""",
)
_PUT: Final = """INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, NULL, 0)
    ON CONFLICT (url) DO UPDATE SET
        visits = visits + 1, changes = changes + 1,
        first_at = min(first_at, excluded.first_at), seen_at = max(seen_at, excluded.seen_at),
        offset = iif(excluded.version > version, excluded.offset, offset),
        length = iif(excluded.version > version, excluded.length, length),
        md5 = iif(excluded.version > version, excluded.md5, md5),
        reason = iif(excluded.version > version, excluded.reason, reason),
        level = min(level, excluded.level), version = max(version, excluded.version)"""
_LIST: Final = """INSERT INTO list VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT (url) DO UPDATE SET
    origin = excluded.origin, reason = excluded.reason, is_asked = 0,
    seen_at = max(seen_at, excluded.seen_at), etag = excluded.etag, modified = excluded.modified"""
_LIST_VISIT: Final = """UPDATE list SET is_asked = 0, reason = iif(:at >= seen_at, :reason, reason),
    seen_at = max(seen_at, :at) WHERE url = :url"""
_VISIT: Final = """UPDATE page SET visits = visits + :is_answer,
    changes = changes + (:is_change AND reason != :reason),
    reason = iif(:at >= seen_at, :reason, reason), seen_at = max(seen_at, :at) WHERE url = :url"""

_KNOWN: Final = "SELECT url, level, offset, length, md5, version, reason FROM page "
_FIND: Final = _KNOWN + "WHERE url = ?"
_LISTS: Final = "SELECT url, origin, reason, etag, modified FROM list "
_FIND_LIST: Final = _LISTS + "WHERE url = ?"
_DUE_LISTS: Final = _LISTS + "WHERE is_asked = 0 AND seen_at <= ? ORDER BY seen_at LIMIT ?"
_DUE: Final = _KNOWN + "WHERE is_asked = 0 AND due <= ? ORDER BY due LIMIT ?"


class KnownPage(NamedTuple):
    """A stored page, as the book has it."""

    url: str
    level: int
    offset: int
    length: int
    md5: bytes
    version: int
    reason: str

    @property
    def host(self) -> str:
        """Key of its host."""
        return host_key(self.url)


class KnownList(NamedTuple):
    """A sitemap or a feed that was read, as the book has it.

    Args:
        url: where it is asked for; canonical.
        origin: its mark in the frontier.
        reason: how its last visit ended.
        etag, modified: validators of the last reply, "" for none.
    """

    url: str
    origin: str
    reason: str
    etag: str
    modified: str


class VisitBook:
    """See the module text.

    Args:
        root: the corpus; its writer holds the lock.
        schedule: says when a page is due.

    Raises:
        StoreError: the file, or a table of the corpus, cannot be read or written.
    """

    def __init__(self, root: Path, schedule: VisitSchedule) -> None:
        self._root = root
        self._path = root / BOOK
        self._schedule = schedule
        with self._errors():
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        state = {"format": _FORMAT, "tables": tables_state(self._root)}
        if not _says(self._path, state):
            self._path.unlink(missing_ok=True)
        is_new = not self._path.exists()
        connection = _connect(self._path)
        if is_new:
            for statement in _TABLES:
                connection.execute(statement)
            self._fill(connection)
        # Until it is closed in order, what it says may be more or less than the tables do.
        rows = [("format", _FORMAT), ("tables", "")]
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        connection.execute("UPDATE page SET is_asked = 0 WHERE is_asked")
        connection.execute("UPDATE list SET is_asked = 0")
        self._plan(connection)
        connection.commit()
        return connection

    def _fill(self, connection: sqlite3.Connection) -> None:
        kinds: tuple[RowKind, ...] = ("version", "page")
        for kind in kinds:
            for batch in iter_batches(self._root, kind, _PLACE):
                connection.executemany(_PUT, map(_page_values, batch.to_pylist()))
        for batch in iter_batches(self._root, "drop", ("url", "reason", "detail", "at")):
            connection.executemany(_LIST, filter(None, map(_list_values, batch.to_pylist())))
        for batch in iter_batches(self._root, "visit", ("url", "reason", "at")):
            visits = [_visit_values(**row) for row in batch.to_pylist()]
            connection.executemany(_VISIT, visits)
            connection.executemany(_LIST_VISIT, visits)

    def _plan(self, connection: sqlite3.Connection) -> None:
        """All due times anew: the bounds may be others than before."""
        connection.create_function("due", 6, self._due, deterministic=True)
        connection.execute(
            "UPDATE page SET due = due(first_at, seen_at, visits, changes, level, reason)"
        )

    def _due(
        self, first_at: float, seen_at: float, visits: int, changes: int, level: int, reason: str
    ) -> float:
        is_gone = reason in GONE
        return self._schedule.due(
            History(first_at, seen_at, visits, changes, is_home=level == 1, is_gone=is_gone)
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the book of visits: {error}", where=self._path) from error

    def get(self, url: str) -> KnownPage | None:
        """The page, if it is stored."""
        with self._errors():
            row = self._connection.execute(_FIND, (_text(url),)).fetchone()
        return None if row is None else _known(row)

    def take_due(self, now: float, limit: int) -> list[KnownPage]:
        """Pages that are due, longest due first; they are not given again before their visit."""
        with self._errors():
            pages = list(map(_known, self._connection.execute(_DUE, (now, limit))))
            self._connection.executemany(
                "UPDATE page SET is_asked = 1 WHERE url = ?", [(_text(p.url),) for p in pages]
            )
        return pages

    def next_due(self) -> float | None:
        """When the next page is due; None if all were given."""
        with self._errors():
            pages = "SELECT min(due) FROM page WHERE is_asked = 0"
            lists = "SELECT min(seen_at) FROM list WHERE is_asked = 0"
            page: float | None = self._connection.execute(pages).fetchone()[0]
            seen_at: float | None = self._connection.execute(lists).fetchone()[0]
        due = None if seen_at is None else seen_at + self._schedule.list_s
        return min((at for at in (page, due) if at is not None), default=None)

    def stored(self, row: PageRow, reason: str) -> None:
        """A page, or a new version of one, was stored."""
        version = int(str(row.analysis.get("version") or 1))
        place = (row.offset, row.length, row.md5, version)
        with self._errors():
            self._connection.execute(
                _PUT, (_text(row.url), row.level, *place, row.fetched_at, row.fetched_at, reason)
            )
            self._settle(row.url)

    def take_lists(self, now: float, limit: int) -> list[KnownList]:
        """Sitemaps and feeds that are due; they are not given again before they were read."""
        with self._errors():
            until = now - self._schedule.list_s
            rows = self._connection.execute(_DUE_LISTS, (until, limit)).fetchall()
            self._connection.executemany(
                "UPDATE list SET is_asked = 1 WHERE url = ?", [row[:1] for row in rows]
            )
        return [_known_list(row) for row in rows]

    def get_list(self, url: str) -> KnownList | None:
        """The sitemap or feed, if it was read before."""
        with self._errors():
            row = self._connection.execute(_FIND_LIST, (_text(url),)).fetchone()
        return None if row is None else _known_list(row)

    def list_read(self, one: KnownList, at: float) -> None:
        """A sitemap or a feed was read."""
        with self._errors():
            values = (_text(one.url), one.origin, one.reason, at, one.etag, one.modified)
            self._connection.execute(_LIST, values)

    def visited(self, url: str, reason: str, at: float) -> None:
        """A stored page was asked for, and has no new version; or a list."""
        with self._errors():
            values = _visit_values(url, reason, at)
            if self._connection.execute(_VISIT, values).rowcount:
                self._settle(url)
            else:
                self._connection.execute(_LIST_VISIT, values)

    def _settle(self, url: str) -> None:
        self._connection.execute(
            """UPDATE page SET is_asked = 0,
                due = due(first_at, seen_at, visits, changes, level, reason) WHERE url = ?""",
            (_text(url),),
        )

    def put_off(self, url: str, until: float) -> None:
        """A page or a list that cannot be asked for now."""
        with self._errors():
            sql = "UPDATE page SET is_asked = 0, due = ? WHERE url = ?"
            if not self._connection.execute(sql, (until, _text(url))).rowcount:
                sql = "UPDATE list SET is_asked = 0, seen_at = ? WHERE url = ?"
                self._connection.execute(sql, (until - self._schedule.list_s, _text(url)))

    def hasten(self, urls: Iterable[tuple[str, float]]) -> None:
        """Pages of which somebody says when they changed: those seen before that are due soon."""
        with self._errors():
            self._connection.executemany(
                "UPDATE page SET due = min(due, max(?, seen_at + ?)) WHERE url = ? AND seen_at < ?",
                [(at, self._schedule.least_s, _text(url), at) for url, at in urls],
            )

    def commit(self) -> None:
        """Write what was noted; after a kill the tables say it."""
        with self._errors():
            self._connection.commit()

    def close(self) -> None:
        """Note that the book says what the tables do; the corpus is closed, its lock held."""
        with self._errors(), closing(self._connection):
            self._connection.commit()
            sync_file(self._path)
            sql = "INSERT OR REPLACE INTO meta VALUES ('tables', ?)"
            self._connection.execute(sql, (tables_state(self._root),))
            self._connection.commit()

    def abandon(self) -> None:
        """Close the file; it is written anew by the next run."""
        self._connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")  # a torn file is written anew
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -16384")
    return connection


def _says(path: Path, state: dict[str, Any]) -> bool:
    """Whether a book is whole and says what the tables do."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path)) as connection:
        try:
            return dict(connection.execute("SELECT name, value FROM meta")) == state
        except sqlite3.DatabaseError:  # torn
            return False


def tables_state(root: Path) -> str:
    """What tells whether the tables of pages and visits are as they were."""
    kinds: tuple[RowKind, ...] = ("page", "version", "visit")
    files = [part.path for kind in kinds for part in all_parts(root, kind)]
    files += [path for _, path in journal_files(root) if path.stat().st_size]
    names = (f"{path.relative_to(root)} {path.stat().st_size}\n" for path in sorted(files))
    return hashlib.blake2b("".join(names).encode(), digest_size=16).hexdigest()


def _text(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")


def _known(row: tuple[Any, ...]) -> KnownPage:
    return KnownPage(row[0].decode("utf-8", "surrogatepass"), *row[1:])


def _known_list(row: tuple[Any, ...]) -> KnownList:
    return KnownList(row[0].decode("utf-8", "surrogatepass"), *row[1:])


def _list_values(row: dict[str, Any]) -> tuple[Any, ...] | None:
    """Of a row of the drops table, if it is that of a list that was read."""
    mark = ListMark.parse(row["detail"]) if row["reason"] in READ else None
    if mark is None:
        return None
    return _text(row["url"]), str(mark), row["reason"], row["at"], "", ""


def _page_values(row: dict[str, Any]) -> tuple[Any, ...]:
    version = row.get("version") or 1
    reason = "stored" if version == 1 else "changed"
    place = (row["level"], row["offset"], row["length"], bytes.fromhex(row["md5"]), version)
    return _text(row["url"]), *place, row["fetched_at"], row["fetched_at"], reason


def _visit_values(url: str, reason: str, at: float) -> dict[str, Any]:
    is_change = reason in _ELSEWHERE
    is_answer = is_change or reason == "unchanged" or reason in GONE
    return {"url": _text(url), "reason": reason, "at": at,
            "is_answer": is_answer, "is_change": is_change}  # fmt: skip
