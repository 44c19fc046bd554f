"""The tables of a corpus in a database of our own, so that every view is one quick query.

The analysis tables of a corpus (and of all shards of a merged one) are copied once, with the
columns that views need, into a DuckDB file in a temporary folder; 100,000 pages take some seconds
and every view after that some milliseconds. A page is known by an id made of its URL and place, so
addresses in the workbench stay valid. When the tables have changed, the index is made anew, at
most every few seconds.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import EngineError
from quarkcrawl.store import Corpus
from quarkcrawl.store.parts import snapshot
from quarkcrawl.store.shards import shard_roots
from quarkcrawl.web.indextables import COLUMNS, MADE, OPTIONAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb


__all__ = ["CorpusIndex"]

_LOOK_S: Final = 3.0


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
        self._memory = f"{memory_bytes >> 20}MiB"
        self._lock = threading.Lock()
        self._number = 0
        self._looked = 0.0
        self._seen: object = None
        self._database: duckdb.DuckDBPyConnection | None = None

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Rows of a query as dictionaries.

        Args:
            sql: the query; values stand as ``?``.
            values: of the question marks.

        Raises:
            EngineError: the database gave up.
        """
        import duckdb  # noqa: PLC0415 - slow, and not needed without a corpus

        try:
            with self._connection().cursor() as cursor:
                found = cursor.execute(sql, list(values))
                names = [column[0] for column in found.description or ()]
                return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        except duckdb.Error as error:
            raise EngineError(f"DuckDB gave up ({error})", where=self.root) from error

    def row(self, sql: str, values: Sequence[Any] = ()) -> dict[str, Any]:
        """The first row; empty if there is none."""
        return next(iter(self.rows(sql, values)), {})

    def warm(self) -> None:
        """Make the index; what is wrong with it is told to whoever asks."""
        with suppress(Exception):
            self._connection()

    def close(self) -> None:
        """Free memory and disk."""
        if self._database is not None:
            self._database.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def refresh(self) -> None:
        """Look at once whether the tables have changed."""
        self._looked = 0.0

    def _connection(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            now = time.monotonic()
            if self._database is None or now - self._looked > _LOOK_S:
                seen = _state(self.shards)
                if self._database is None or seen != self._seen:
                    self._database = self._built(self._database)
                    self._seen = seen
                self._looked = time.monotonic()
            return self._database

    def _built(self, old: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyConnection:
        import duckdb  # noqa: PLC0415

        self._number += 1
        path = self._folder / f"index-{self._number}.duckdb"
        settings = {"memory_limit": self._memory, "temp_directory": str(self._folder / "spill")}
        database = duckdb.connect(str(path), config={**settings, "threads": "2"})
        for shard in self.shards:
            _take_in(database, shard)
        for name, (pattern, columns) in OPTIONAL.items():
            files = [path for shard in self.shards for path in sorted(shard.glob(pattern))]
            database.execute(_optional(name, files, columns))
        for sql in MADE:
            database.execute(sql)
        if old is not None:
            threading.Timer(30.0, old.close).start()  # queries under way end first
        return database


def _take_in(database: duckdb.DuckDBPyConnection, shard: Path) -> None:
    """Add the rows of a corpus, those in its journal among them."""
    corpus = Corpus.open(shard)
    for kind, names in COLUMNS.items():
        columns = ", ".join(f'"{name}"' for name in names)
        reader = corpus.table(kind).scanner(columns=list(names)).to_reader()
        database.register("source", reader)
        create = f"CREATE TABLE IF NOT EXISTS raw_{kind} AS SELECT {columns}, '' AS shard"
        database.execute(f"{create} FROM source LIMIT 0")
        database.unregister("source")
        reader = corpus.table(kind).scanner(columns=list(names)).to_reader()
        database.register("source", reader)
        insert = f"INSERT INTO raw_{kind} SELECT {columns}, ? FROM source"  # noqa: S608 - own names
        database.execute(insert, [str(shard)])
        database.unregister("source")


def _optional(name: str, files: Sequence[Path], columns: str) -> str:
    """Statement that makes a table of Parquet files; an empty one if there are none."""
    if not files:
        return f"CREATE TABLE {name} ({columns}, filename VARCHAR)"
    words = ", ".join(column.split()[0] for column in columns.split(","))
    paths = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
    options = "union_by_name = true, hive_partitioning = false, filename = true"
    return (
        f"CREATE TABLE {name} AS SELECT {words}, filename"  # noqa: S608 - our own names
        f" FROM read_parquet([{paths}], {options})"
    )


def _state(shards: Iterable[Path]) -> object:
    """What the tables are made of at this moment."""
    return [
        (kind, [str(part.path) for part in seen.parts], [_size(path) for _, path in seen.journals])
        for shard in shards
        for kind in COLUMNS
        for seen in [snapshot(shard, kind)]
    ]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
