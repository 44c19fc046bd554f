"""The tables of a corpus in a database of our own, so that every view is one quick query.

The analysis tables of a corpus (and of all shards of a merged one) are copied, with the columns
that views need, into a DuckDB file in a temporary folder, and the contents into a file that is
searched (`searchtexts`). A thread does that: the server answers at once, and says how far the copy
has come to those who ask for a table. When the tables of the corpus have changed, they are copied
anew, at most a sixth of the time, and the old copy answers until the new one is ready. A page is
known by an id made of its URL and place, so addresses in the workbench stay valid.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import EngineError
from quarkcrawl.store import is_locked, shard_roots
from quarkcrawl.store.tables import snapshot
from quarkcrawl.workbench.web.http import TablesPendingError
from quarkcrawl.workbench.web.index.build import Builder
from quarkcrawl.workbench.web.index.faults import TablesNote
from quarkcrawl.workbench.web.index.tables import COLUMNS, OPTIONAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from quarkcrawl.workbench.web.index.build import Tables
    from quarkcrawl.workbench.web.index.links import CorpusLinks
    from quarkcrawl.workbench.web.index.search import SearchTexts


PATIENCE_S: Final = 0.7
"""How long a question waits for tables that are being read."""

_LOOK_S: Final = 3.0
_REST: Final = 5
_LINGER_S: Final = 30.0


class CorpusIndex:
    """A corpus to be asked with SQL.

    Args:
        root: the corpus, or a folder of shards.
        memory_bytes: most memory of the database.

    Raises:
        StoreError: the folder is none.
    """

    def __init__(self, root: Path, memory_bytes: int = 1 << 30) -> None:
        self.root = Path(root)
        self.shards = shard_roots(root)
        self._folder = Path(tempfile.mkdtemp(prefix="quarkcrawl-web-"))
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()
        self._number = 0
        self._look_at = 0.0
        self._seen: object = None
        self._tables: Tables | None = None
        self._builder: Builder | None = None
        self._thread: threading.Thread | None = None
        self._failure = ""
        self._is_ready = threading.Event()
        self._held = threading.local()

    def rows(
        self, sql: str, values: Sequence[Any] = (), **tables: pa.Table
    ) -> list[dict[str, Any]]:
        """Rows of a query as dictionaries.

        Args:
            sql: the query; values stand as ``?``.
            values: what stands in place of each ``?``, in order.
            tables: further tables that the query names.

        Raises:
            TablesPendingError: the tables are still being read.
            EngineError: they cannot be read, or the database gave up.
        """
        import duckdb  # noqa: PLC0415 - slow, and not needed without a corpus

        try:
            with self._current().cursor() as cursor:
                for name, table in tables.items():
                    cursor.register(name, table)
                reply = cursor.execute(sql, list(values))
                names = [column[0] for column in reply.description or ()]
                return [dict(zip(names, row, strict=True)) for row in reply.fetchall()]
        except duckdb.Error as error:
            raise EngineError(f"DuckDB gave up ({error})", where=self.root) from error

    def row(self, sql: str, values: Sequence[Any] = (), **tables: pa.Table) -> dict[str, Any]:
        """The first row; empty if there is none."""
        return next(iter(self.rows(sql, values, **tables)), {})

    @property
    def database_path(self) -> Path:
        """File of the tables, for other processes that read it.

        Raises:
            TablesPendingError: they are still being read.
            EngineError: they cannot be read.
        """
        row = self.row("SELECT path FROM duckdb_databases() WHERE path IS NOT NULL")
        return Path(row["path"])

    @property
    def texts(self) -> SearchTexts:
        """The contents of the pages.

        Raises:
            TablesPendingError: they are still being read.
        """
        return self._current().texts

    @property
    def links(self) -> CorpusLinks:
        """The links between pages, as of the copy of the tables.

        Raises:
            TablesPendingError: the tables are still being read.
        """
        return self._current().links

    @contextmanager
    def one_copy(self) -> Iterator[Callable[[], TablesNote | None]]:
        """Have all questions of this thread in the block answered by the same copy of the tables.

        What the block is given tells of that copy; nothing if nothing was asked.
        """
        self._held.tables = []
        try:
            yield self._told
        finally:
            del self._held.tables

    def _told(self) -> TablesNote | None:
        held: list[Tables] = self._held.tables
        return self._note(held[0]) if held else None

    def note(self) -> TablesNote:
        """What there is to know of the tables.

        Raises:
            TablesPendingError: they are still being read.
            EngineError: they cannot be read.
        """
        return self._note(self._current())

    def _note(self, tables: Tables) -> TablesNote:
        is_growing = any(is_locked(shard) for shard in self.shards)
        return TablesNote(tables.as_of, is_growing, tables.faults)

    def warm(self) -> None:
        """Begin to read the tables; what is wrong with them is told to whoever asks."""
        with self._lock:
            self._look()

    def close(self) -> None:
        """Free memory and disk."""
        with self._lock:
            self._look_at = float("inf")
            builder, thread = self._builder, self._thread
        if builder is not None and thread is not None:
            builder.is_stopped = True
            thread.join()
        if self._tables is not None:
            self._tables.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _current(self) -> Tables:
        held: list[Tables] | None = getattr(self._held, "tables", None)
        if held:
            return held[0]
        tables = self._newest()
        if held is not None:
            held.append(tables)
        return tables

    def _newest(self) -> Tables:
        with self._lock:
            self._look()
        self._is_ready.wait(PATIENCE_S)
        with self._lock:
            if self._tables is not None:
                return self._tables
            if self._failure:
                raise EngineError(f"the tables cannot be read ({self._failure})", where=self.root)
            at = self._builder
            raise TablesPendingError(*((at.n_done, at.n_pages) if at is not None else (0, 0)))

    def _look(self) -> None:
        """Start to copy the tables if they have changed."""
        now = time.monotonic()
        if now < self._look_at or self._builder is not None:
            return
        self._look_at = now + _LOOK_S
        seen = _state(self.shards)
        if seen == self._seen:
            return
        self._seen = seen
        self._number += 1
        name = f"index-{self._number}"
        self._builder = Builder(self.shards, self._folder, name, self._memory_bytes)
        self._thread = threading.Thread(target=self._build, args=(self._builder,), daemon=True)
        self._thread.start()

    def _build(self, builder: Builder) -> None:
        start = time.monotonic()
        tables, failure = None, ""
        try:
            tables = builder.build()
        except Exception as error:  # noqa: BLE001 - told to whoever asks for a table
            failure = str(error) or type(error).__name__
        with self._lock:
            old = self._tables
            self._tables, self._failure = tables or old, failure
            if tables is None or any(fault.path in self.shards for fault in tables.faults):
                self._seen = None  # to be tried again
            self._builder = None
            rest_s = max(_LOOK_S, _REST * (time.monotonic() - start))
            self._look_at = max(self._look_at, time.monotonic() + rest_s)
            self._is_ready.set()
        if tables is not None and old is not None:
            timer = threading.Timer(_LINGER_S, old.close)  # questions under way end first
            timer.daemon = True
            timer.start()


def _state(shards: Iterable[Path]) -> object:
    """What the tables are made of at this moment."""
    tables = [
        (kind, [_version(part.path) for part in seen.parts], [_size(p) for _, p in seen.journals])
        for shard in shards
        for kind in COLUMNS
        for seen in [snapshot(shard, kind)]
    ]
    jobs = [
        (str(path), path.stat().st_mtime_ns)
        for shard in shards
        for pattern, _ in OPTIONAL.values()
        for path in sorted(shard.glob(pattern))
    ]
    return tables, jobs


def _version(path: Path) -> tuple[str, int]:
    """A file, and when it was written: one that was damaged may be mended."""
    try:
        return str(path), path.stat().st_mtime_ns
    except OSError:
        return str(path), -1


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
