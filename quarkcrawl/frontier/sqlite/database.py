"""One SQLite connection whose every failure is an error of ours that names the file.

A writer keeps one transaction open from commit to commit, and with it SQLite's write lock: a
second writer is told so when it opens. Readers in other processes see the last commit (WAL).

After a failed statement the connection is closed: part of the open transaction may be lost, so
whatever the program holds in memory no longer matches the file. Opening again gives the state of
the last commit.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import FrontierError, QuarkError, StorageFullError
from quarkcrawl.frontier.sqlite.schema import APPLICATION_ID, SCHEMA_VERSION, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Row = tuple[Any, ...]

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
        try:
            return self.usable().execute(sql, values).fetchall()
        except FAILURES as error:
            raise self._failure(error) from error

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """Run a statement and return its first row, if any."""
        try:
            cursor = self.usable().execute(sql, values)
            first: Row | None = cursor.fetchone()
            cursor.close()
            return first
        except FAILURES as error:
            raise self._failure(error) from error

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run a statement and return the number of rows it changed."""
        try:
            return self.usable().execute(sql, values).rowcount
        except FAILURES as error:
            raise self._failure(error) from error

    def many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each set of values."""
        try:
            self.usable().executemany(sql, values)
        except FAILURES as error:
            raise self._failure(error) from error

    def text(self, raw: bytes) -> str:
        """Decode what `quarkcrawl.frontier.sqlite.schema.pack` made."""
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
