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
from quarkcrawl.crawl.visits.schedule import GONE, History, VisitSchedule
from quarkcrawl.errors import StoreError
from quarkcrawl.page import host_key
from quarkcrawl.store import sync_file
from quarkcrawl.store.tables import all_parts, iter_batches, journal_files

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.store import PageRow
    from quarkcrawl.store.tables import RowKind

BOOK: Final = "visits.sqlite"
"""Name of the file in a corpus."""

READ: Final = ("sitemap", "feed")
"""Reasons with which lists end that were read."""

MOVED: Final = "redirect"
_ELSEWHERE: Final = (MOVED, "duplicate")
_UNCHANGED: Final = "unchanged"

_FORMAT: Final = 3
_CACHE_KIB: Final = 512
"""The system's own cache is behind it: in a book of 400,000 pages a visit takes 40 microseconds of
CPU time, with this as with 16 MiB."""
_PLACE: Final = ("url", "level", "offset", "length", "md5", "fetched_at", "version", "origin",
                 "marks", "render_reason")  # fmt: skip
_TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value)",
    """CREATE TABLE page (
        url BLOB PRIMARY KEY, level INTEGER NOT NULL, offset INTEGER NOT NULL,
        length INTEGER NOT NULL, md5 BLOB NOT NULL, version INTEGER NOT NULL,
        is_home INTEGER NOT NULL, is_plain INTEGER NOT NULL, first_at REAL NOT NULL,
        answered_at REAL NOT NULL, seen_at REAL NOT NULL, visits INTEGER NOT NULL,
        changes INTEGER NOT NULL, reason TEXT NOT NULL, due REAL, is_asked INTEGER NOT NULL
        ) WITHOUT ROWID""",
    "CREATE INDEX page_due ON page (is_home, due) WHERE is_asked = 0",
    "CREATE INDEX page_asked ON page (is_asked) WHERE is_asked = 1",
    """CREATE TABLE other (
        url BLOB PRIMARY KEY, level INTEGER NOT NULL, origin TEXT NOT NULL, reason TEXT NOT NULL,
        seen_at REAL NOT NULL, etag TEXT NOT NULL, modified TEXT NOT NULL, due REAL NOT NULL,
        is_asked INTEGER NOT NULL) WITHOUT ROWID""",
)
_PUT: Final = """INSERT INTO page VALUES (:url, :level, :offset, :length, :md5, :version, :is_home,
    :is_plain, :at, :at, :at, 0, 0, :reason, NULL, 0)
    ON CONFLICT (url) DO UPDATE SET
        visits = visits + 1, changes = changes + 1, first_at = min(first_at, excluded.first_at),
        answered_at = max(answered_at, excluded.answered_at),
        seen_at = max(seen_at, excluded.seen_at),
        offset = iif(excluded.version > version, excluded.offset, offset),
        length = iif(excluded.version > version, excluded.length, length),
        md5 = iif(excluded.version > version, excluded.md5, md5),
        is_plain = iif(excluded.version > version, excluded.is_plain, is_plain),
        reason = iif(excluded.version > version, excluded.reason, reason),
        is_home = max(is_home, excluded.is_home),
        level = min(level, excluded.level), version = max(version, excluded.version)
    WHERE excluded.offset != offset"""
_OTHER: Final = """INSERT INTO other VALUES (:url, :level, :origin, :reason, :at, :etag, :modified,
    :due, 0) ON CONFLICT (url) DO UPDATE SET
    level = excluded.level, origin = excluded.origin, reason = excluded.reason,
    is_asked = 0, seen_at = excluded.seen_at, etag = excluded.etag, modified = excluded.modified,
    due = excluded.due"""
_OTHER_VISIT: Final = """UPDATE other SET is_asked = 0,
    reason = iif(:at >= seen_at, :reason, reason), seen_at = max(seen_at, :at),
    due = other_due(origin, iif(:at >= seen_at, :reason, reason), max(seen_at, :at))
    WHERE url = :url"""
_VISIT: Final = """UPDATE page SET visits = visits + :is_answer,
    changes = changes + (:is_change AND reason != :reason),
    answered_at = iif(:is_answer, max(answered_at, :at), answered_at),
    reason = iif(:at >= seen_at, :reason, reason), seen_at = max(seen_at, :at) WHERE url = :url"""
_DUE_AT: Final = "due(first_at, answered_at, seen_at, visits, changes, is_home, reason)"
_SETTLE: Final = f"UPDATE page SET is_asked = 0, due = {_DUE_AT} WHERE url = ?"  # noqa: S608
_PLAN: Final = f"UPDATE page SET due = {_DUE_AT}"  # noqa: S608
_PLAN_OTHERS: Final = "UPDATE other SET is_asked = 0, due = other_due(origin, reason, seen_at)"
_KNOWN: Final = "SELECT url, level, offset, length, md5, version, is_plain, reason FROM page "
_FIND: Final = _KNOWN + "WHERE url = ?"
_DUE: Final = _KNOWN + "WHERE is_asked = 0 AND is_home = ? AND due <= ? ORDER BY due LIMIT ?"
_OTHERS: Final = "SELECT url, level, origin, reason, etag, modified FROM other "
_FIND_OTHER: Final = _OTHERS + "WHERE url = ?"
_DUE_OTHERS: Final = _OTHERS + "WHERE is_asked = 0 AND due <= ? ORDER BY due LIMIT ?"


class KnownPage(NamedTuple):
    """A stored page, as the book has it; ``is_plain``: neither cut nor run in a browser."""

    url: str
    level: int
    offset: int
    length: int
    md5: bytes
    version: int
    is_plain: int
    reason: str

    @property
    def host(self) -> str:
        """Key of its host."""
        return host_key(self.url)


class KnownOther(NamedTuple):
    """A URL that comes back and is no stored page.

    A list, a home page that leads elsewhere, one that was given up for a reason that may pass.

    Args:
        url: where it is asked for; canonical.
        level: that of its URL in the frontier.
        origin: mark of a list in the frontier; empty for pages.
        reason: how its last visit ended.
        etag, modified: validators of the last reply, "" for none.
    """

    url: str
    level: int
    origin: str
    reason: str
    etag: str = ""
    modified: str = ""


class VisitBook:
    """See the module text.

    Args:
        root: the corpus; its writer holds the lock.
        schedule: says when a page is due.
        passing: reasons of URLs that are asked for again although they gave no page.

    Raises:
        StoreError: the file, or a table of the corpus, cannot be read or written.
    """

    def __init__(
        self, root: Path, schedule: VisitSchedule, passing: Collection[str] = frozenset()
    ) -> None:
        self._root = root
        self._path = root / BOOK
        self._schedule = schedule
        self._passing = passing
        with self._errors():
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        state = {"format": _FORMAT, "tables": tables_state(self._root)}
        if not _says(self._path, state):
            self._path.unlink(missing_ok=True)
        is_new = not self._path.exists()
        connection = _connect(self._path)
        connection.create_function("due", 7, self._due, deterministic=True)
        connection.create_function("other_due", 3, self._schedule.other_due, deterministic=True)
        if is_new:
            for statement in _TABLES:
                connection.execute(statement)
            self._fill(connection)
        # Until it is closed in order, what it says may be more or less than the tables do.
        rows = [("format", _FORMAT), ("tables", "")]
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
        connection.execute("UPDATE page SET is_asked = 0 WHERE is_asked = 1")
        connection.execute(
            "UPDATE other SET is_asked = 0, due = other_due(origin, reason, seen_at)"
        )
        connection.execute(_PLAN)  # the bounds may be others than before
        connection.commit()
        return connection

    def _fill(self, connection: sqlite3.Connection) -> None:
        kinds: tuple[RowKind, ...] = ("version", "page")
        for kind in kinds:
            for batch in iter_batches(self._root, kind, _PLACE):
                connection.executemany(_PUT, map(_page_values, batch.to_pylist()))
        columns = ("url", "level", "reason", "detail", "at")
        for batch in iter_batches(self._root, "drop", columns):
            rows = [(self._dropped(row), row["at"]) for row in batch.to_pylist()]
            others = [self._other_values(other, at) for other, at in rows if other is not None]
            connection.executemany(_OTHER, others)
        for batch in iter_batches(self._root, "redirect", ("url", "level", "fetched_at")):
            homes = [row for row in batch.to_pylist() if row["level"] == 1]
            moved = [(KnownOther(row["url"], 1, "", MOVED), row["fetched_at"]) for row in homes]
            connection.executemany(_OTHER, [self._other_values(*one) for one in moved])
        connection.execute("DELETE FROM other WHERE url IN (SELECT url FROM page)")
        for batch in iter_batches(self._root, "visit", ("url", "reason", "at")):
            visits = [_visit_values(**row) for row in batch.to_pylist()]
            connection.executemany(_VISIT, visits)
            connection.executemany(_OTHER_VISIT, visits)

    def _dropped(self, row: dict[str, Any]) -> KnownOther | None:
        """Of a row of the drops table, if it is that of a list that was read, or may pass."""
        mark = ListMark.parse(row["detail"])
        if row["reason"] in self._passing or (mark is not None and row["reason"] in READ):
            level = max(row["level"], 1)
            return KnownOther(row["url"], level, "" if mark is None else str(mark), row["reason"])
        return None

    def _other_values(self, other: KnownOther, at: float) -> dict[str, Any]:
        due = self._schedule.other_due(other.origin, other.reason, at)
        return other._asdict() | {"url": _text(other.url), "at": at, "due": due}

    def _due(
        self, first_at: float, answered_at: float, seen_at: float, visits: int, changes: int,
        is_home: int, reason: str,
    ) -> float:  # fmt: skip
        is_home, is_gone = bool(is_home), reason in GONE
        return self._schedule.due(
            History(first_at, answered_at, seen_at, visits, changes, is_home, is_gone)
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

    def take_due(self, now: float, limit: int, *, is_home: bool = False) -> list[KnownPage]:
        """Pages that are due, longest due first; they are not given again before their visit."""
        with self._errors():
            rows = self._connection.execute(_DUE, (is_home, now, limit)).fetchall()
            self._connection.executemany(
                "UPDATE page SET is_asked = 1 WHERE url = ?", [row[:1] for row in rows]
            )
        return list(map(_known, rows))

    def n_asked(self) -> int:
        """Pages that were given and not visited yet."""
        with self._errors():
            sql = "SELECT count(*) FROM page WHERE is_asked = 1"
            n_pages: int = self._connection.execute(sql).fetchone()[0]
        return n_pages

    def next_due(self) -> float | None:
        """When the next page or other URL is due; None if all were given."""
        with self._errors():
            times = [
                self._connection.execute(sql).fetchone()[0]
                for sql in (
                    "SELECT min(due) FROM page WHERE is_asked = 0 AND is_home = 0",
                    "SELECT min(due) FROM page WHERE is_asked = 0 AND is_home = 1",
                    "SELECT min(due) FROM other WHERE is_asked = 0",
                )
            ]
        return min((at for at in times if at is not None), default=None)

    def stored(self, row: PageRow, reason: str) -> None:
        """A page, or a new version of one, was stored."""
        analysis = row.analysis
        values = {
            "url": row.url, "level": row.level, "offset": row.offset, "length": row.length,
            "md5": row.md5.hex(), "fetched_at": row.fetched_at, "origin": row.origin,
            "version": analysis.get("version"), "marks": row.flags,
            "render_reason": analysis.get("render_reason"),
        }  # fmt: skip
        with self._errors():
            self._connection.execute(_PUT, _page_values(values) | {"reason": reason})
            self._connection.execute(_SETTLE, (_text(row.url),))
            self._connection.execute("DELETE FROM other WHERE url = ?", (_text(row.url),))

    def take_others(self, now: float, limit: int) -> list[KnownOther]:
        """Lists and others that are due; they are not given again before they were visited."""
        with self._errors():
            rows = self._connection.execute(_DUE_OTHERS, (now, limit)).fetchall()
            self._connection.executemany(
                "UPDATE other SET is_asked = 1 WHERE url = ?", [row[:1] for row in rows]
            )
        return list(map(_known_other, rows))

    def get_other(self, url: str) -> KnownOther | None:
        """What comes back and is no stored page."""
        with self._errors():
            row = self._connection.execute(_FIND_OTHER, (_text(url),)).fetchone()
        return None if row is None else _known_other(row)

    def put_other(self, other: KnownOther, at: float) -> None:
        """A list was read, a home page led elsewhere, or a page was given up for now."""
        with self._errors():
            self._connection.execute(_OTHER, self._other_values(other, at))

    def visited(self, url: str, reason: str, at: float) -> None:
        """A URL was asked for, and has no new version."""
        with self._errors():
            values = _visit_values(url, reason, at)
            if self._connection.execute(_VISIT, values).rowcount:
                self._connection.execute(_SETTLE, (_text(url),))
            self._connection.execute(_OTHER_VISIT, values)

    def put_off(self, url: str, until: float) -> None:
        """A URL that cannot be asked for before a time, or is to be asked for at it."""
        with self._errors():
            for table in ("page", "other"):
                sql = f"UPDATE {table} SET is_asked = 0, due = ? WHERE url = ?"  # noqa: S608
                self._connection.execute(sql, (until, _text(url)))

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
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
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


def _known_other(row: tuple[Any, ...]) -> KnownOther:
    return KnownOther(row[0].decode("utf-8", "surrogatepass"), *row[1:])


def _page_values(row: dict[str, Any]) -> dict[str, Any]:
    version = row.get("version") or 1
    is_cut = "truncated" in (row.get("marks") or ())
    return {
        "url": _text(row["url"]), "level": row["level"], "offset": row["offset"],
        "length": row["length"], "md5": bytes.fromhex(row["md5"]), "version": version,
        "is_home": row["level"] == 1 and not row.get("origin"),
        "is_plain": not (is_cut or row.get("render_reason")), "at": row["fetched_at"],
        "reason": "stored" if version == 1 else "changed",
    }  # fmt: skip


def _visit_values(url: str, reason: str, at: float) -> dict[str, Any]:
    is_change = reason in _ELSEWHERE
    is_answer = is_change or reason == _UNCHANGED or reason in GONE
    return {"url": _text(url), "reason": reason, "at": at,
            "is_answer": is_answer, "is_change": is_change}  # fmt: skip
