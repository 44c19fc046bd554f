"""An SQLite file of ours: a connection whose every failure is an error that names the file.

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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from quarkcrawl.errors import EmptyFrontierError, FrontierError, QuarkError, StorageFullError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


T = TypeVar("T")
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


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file of ours holds.

    Args:
        noun: what messages call it.
        application_id: by which SQLite files tell programs apart.
        version: number of the schema; a file with another one is refused.
        tables: statements that make them.
    """

    noun: str
    application_id: int
    version: int
    tables: Sequence[str]


class SqliteFile:
    """An open file.

    Args:
        path: where it is; a writer creates it when it is absent or empty.
        kind: what it holds.
        readonly: look only; may be used while a writer in another process has the file open.

    Raises:
        FrontierError: the file is not of this kind, has another version, is damaged or locked.
        StorageFullError: it could not be created for want of space.
    """

    def __init__(self, path: Path, kind: FileKind, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self._kind = kind
        self.readonly = readonly
        self._log = self.path.with_name(self.path.name + "-wal")
        self._connection: sqlite3.Connection | None = None
        if readonly and not self.path.is_file():
            raise FrontierError(f"no such {self._kind.noun} file", where=self.path)
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
            for statement in self._kind.tables:
                self.run(statement)
            self.run(f"PRAGMA application_id={self._kind.application_id}")
            self.run(f"PRAGMA user_version={self._kind.version}")
            self.commit()
            _sync(self.path.parent)

    def _check(self) -> bool:
        """Refuse files that are not ours; True for one that is still empty."""
        # By one statement: between two of them a crawl might make the tables.
        application, version, has_tables = self.row(
            "SELECT application_id, user_version, EXISTS(SELECT 1 FROM sqlite_master) "
            "FROM pragma_application_id, pragma_user_version"
        ) or (0, 0, 0)
        if application == 0 and not has_tables:
            if self.readonly:
                raise EmptyFrontierError(f"the {self._kind.noun} file is empty", where=self.path)
            return True
        if application != self._kind.application_id:
            message = f"an SQLite file, but not a quarkcrawl {self._kind.noun}"
            raise FrontierError(message, where=self.path)
        if version != self._kind.version:
            age = "newer" if version > self._kind.version else "older"
            message = f"made by a {age} quarkcrawl (schema {version}, this is {self._kind.version})"
            raise FrontierError(message, where=self.path)
        return False

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run a statement and return all its rows.

        Args:
            sql: one statement.
            values: for its question marks.
        """
        return self._execute(lambda connection: connection.execute(sql, values).fetchall())

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """Run a statement and return its first row, if any.

        Args:
            sql: one statement.
            values: for its question marks.
        """
        rows = self.rows(sql, values)
        return rows[0] if rows else None

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run a statement and return the number of rows it changed.

        Args:
            sql: one statement.
            values: for its question marks.
        """
        return self._execute(lambda connection: connection.execute(sql, values).rowcount)

    def many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each set of values.

        Args:
            sql: one statement.
            values: sets of what stands for its question marks.
        """
        self._execute(lambda connection: connection.executemany(sql, values))

    def _execute(self, act: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return act(self.usable())
        except FAILURES as error:
            raise self._failure(error) from error

    def usable(self) -> sqlite3.Connection:
        """The connection.

        Raises:
            FrontierError: it was closed, or gave up after an earlier failure.
        """
        if self._connection is None:
            raise FrontierError(f"the {self._kind.noun} is closed", where=self.path)
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
            return StorageFullError(f"cannot grow the {self._kind.noun} ({error})", where=self.path)
        if primary in DAMAGE or isinstance(error, UnicodeDecodeError):
            return FrontierError(f"not a {self._kind.noun}, or damaged ({error})", where=self.path)
        if primary == sqlite3.SQLITE_BUSY:
            return FrontierError(f"another process has the {self._kind.noun} open", where=self.path)
        return FrontierError(f"the {self._kind.noun} cannot be used ({error})", where=self.path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
