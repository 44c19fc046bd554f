"""Which rows of several corpora make up one, by DuckDB, which sorts and joins on disk.

All rows of all corpora are numbered: pages of the first corpus, of the second, …, then duplicates,
redirects and drops likewise. A list of numbers in their order is all that a copying pass needs.

Of each URL the newest version counts, of that the first page; of these pages the first of each
body; equally old ones in the order of their numbers. Whether a record is whole is known only when
it is copied: where one was not, the choice is made again without it (``Plan.chosen``), with pages
that are stored before all others, until nothing is left to be tried.
"""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.engines import parquet_files, sql_columns
from quarkcrawl.store import storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine
    from quarkcrawl.store.tables import RowKind


KINDS: Final[tuple[RowKind, ...]] = ("page", "duplicate", "redirect", "drop")
"""Kinds of rows in the order of their numbers; a URL has a row of the first kind it occurs in."""

SORT_BYTES: Final = 128 << 20
"""Memory for sorting; what does not fit goes to disk."""

SORT_THREADS: Final = 2
"""How many threads sort; each has buffers of its own, for which the memory has to do."""

_GROUP_ROWS: Final = 65_536

_ROWS: Final = pa.schema(
    [
        ("n", pa.int64()),
        ("kind", pa.int32()),
        ("url", pa.string()),
        ("md5", pa.string()),
        ("fetched_at", pa.float64()),
        ("version", pa.int32()),
    ]
)
NUMBERS: Final = pa.schema([("n", pa.int64())])
"""Columns of a list of rows that says nothing more of them."""

_FIRSTS_COLUMNS: Final = {
    "n": "bigint", "m1": "ubigint", "m2": "ubigint", "at": "double", "stored": "tinyint",
}  # fmt: skip

_OWNING_COLUMNS: Final = {"n": "bigint", "m1": "ubigint", "m2": "ubigint"}
_OWNERS_COLUMNS: Final = {"m1": "ubigint", "m2": "ubigint", "url": "string"}

# Sorting goes by 16 bytes a URL and a body; a page without MD5 is like no other.
_KEYS: Final = """
SELECT n, kind, md5_number(url) AS u, fetched_at AS "at", version,
       CASE WHEN kind < 2 THEN md5_number_upper(coalesce(md5, url)) END AS m1,
       CASE WHEN kind < 2 THEN md5_number_lower(coalesce(md5, url)) END AS m2
FROM rows
"""

_CANDIDATES: Final = """
SELECT n, u, m1, m2, "at", version, CAST(tried.n IS NOT NULL AS tinyint) AS stored
FROM keys ANTI JOIN damaged USING (n) LEFT JOIN tried USING (n) WHERE kind = 0
"""

_FIRSTS: Final = """
SELECT n, m1, m2, "at", stored FROM candidates
QUALIFY row_number() OVER (
    PARTITION BY u ORDER BY stored DESC, version DESC NULLS LAST, "at", n
) = 1
"""

_CHOSEN: Final = """
SELECT n FROM (
    SELECT n, stored FROM firsts
    QUALIFY row_number() OVER (PARTITION BY m1, m2 ORDER BY stored DESC, "at", n) = 1
) WHERE stored = 0 ORDER BY n
"""

# Of a URL that is not stored: a page whose body is stored, a whole one if there is; else its first
# page, which is lost; else the first of its other rows. By steps, each of which holds little: most
# URLs are stored, and only what is left over has to be joined with anything.
_LEFT: Final = """
SELECT n FROM keys ANTI JOIN (SELECT u FROM keys SEMI JOIN stored USING (n)) USING (u)
"""

_REST: Final = "SELECT * FROM keys SEMI JOIN left_over USING (n)"

_OWNING: Final = """
SELECT n, m1, m2 FROM keys SEMI JOIN rest ON keys.m1 = rest.m1 AND keys.m2 = rest.m2
SEMI JOIN stored ON keys.n = stored.n
"""

_OWNERS: Final = "SELECT m1, m2, rows.url FROM rows JOIN owning USING (n)"

_OTHERS: Final = """
SELECT n, owner FROM (
    SELECT rest.n, rest.u, rest.kind, rest."at", rest.version, owners.url AS owner,
           rest.kind = 0 AND owners.url IS NULL AS lost, damaged.n IS NOT NULL AS broken
    FROM rest
    LEFT JOIN owners ON rest.m1 = owners.m1 AND rest.m2 = owners.m2
    LEFT JOIN damaged ON rest.n = damaged.n
)
QUALIFY row_number() OVER (
    PARTITION BY u
    ORDER BY kind, lost, broken, version DESC NULLS LAST, CASE WHEN lost THEN "at" END, n
) = 1
ORDER BY n
"""


class Plan:
    """The numbered rows of all corpora, and what became of them.

    Args:
        work: empty folder for lists of rows; that of all rows takes 56 bytes a row.
        engine: sorts and joins.
    """

    def __init__(self, work: Path, engine: DuckEngine) -> None:
        self.n_firsts = 0
        self._work = work
        self._engine = engine
        self._tried: list[Path] = []
        self._damaged: list[Path] = []

    def number(self, batches: Iterable[tuple[int, pa.RecordBatch]]) -> None:
        """Take all rows in order, each batch with the index of its kind in `KINDS`."""
        path = self._work / "rows.parquet"
        first = 0
        with NumberedFile(path, _ROWS) as out:
            for kind, batch in batches:
                out.add(_numbered(batch, kind, first))
                first += batch.num_rows
        self._engine.table("rows", [path], sql_columns(_ROWS))
        self._engine.view("keys", _KEYS)

    def chosen(self) -> tuple[Path, int]:
        """A list of the pages to be stored that have not been tried yet, and how many they are."""
        self._engine.table("tried", self._tried, sql_columns(NUMBERS))
        self._engine.table("damaged", self._damaged, sql_columns(NUMBERS))
        self._engine.view("candidates", _CANDIDATES)
        firsts = self._work / f"firsts-{len(self._tried)}"
        self.n_firsts = self._engine.write(_FIRSTS, firsts)
        self._engine.table("firsts", parquet_files(firsts), _FIRSTS_COLUMNS)
        folder = self._work / f"chosen-{len(self._tried)}"
        n_pages = self._engine.write(_CHOSEN, folder)
        shutil.rmtree(firsts)
        return parquet_files(folder)[0], n_pages

    def note_stored(self, pages: Path, damaged: Path | None = None) -> None:
        """Remember which pages are stored: those of one list without those of the other."""
        self._tried.append(pages)
        if damaged is not None:
            self._damaged.append(damaged)

    def others(self) -> Path:
        """A list of rows for the URLs that are not stored, each with the URL that has its body."""
        self._engine.table("tried", self._tried, sql_columns(NUMBERS))
        self._engine.table("damaged", self._damaged, sql_columns(NUMBERS))
        self._engine.view("stored", "SELECT n FROM tried ANTI JOIN damaged USING (n)")
        self._keep("left_over", _LEFT, sql_columns(NUMBERS))
        self._engine.view("rest", _REST)
        self._keep("owning", _OWNING, _OWNING_COLUMNS)
        self._keep("owners", _OWNERS, _OWNERS_COLUMNS)
        folder = self._work / "others"
        self._engine.write(_OTHERS, folder)
        return parquet_files(folder)[0]

    def _keep(self, name: str, sql: str, columns: Mapping[str, str]) -> None:
        """Write the rows of a query, and give them a name."""
        folder = self._work / name
        self._engine.write(sql, folder)
        self._engine.table(name, parquet_files(folder), columns)


def _numbered(batch: pa.RecordBatch, kind: int, first: int) -> pa.Table:
    n = batch.num_rows
    columns = {name: batch.column(name) for name in batch.schema.names}
    columns["n"] = pa.array(np.arange(first, first + n))
    columns["kind"] = pa.array(np.full(n, kind, np.int32))
    absent = {
        name: pa.nulls(n, _ROWS.field(name).type) for name in ("md5", "fetched_at", "version")
    }
    return pa.table({**absent, **columns}).select(_ROWS.names)


class NumberedFile(AbstractContextManager["NumberedFile"]):
    """Writes a list of rows to disk as they come, some thousands at a time."""

    def __init__(self, path: Path, schema: pa.Schema = NUMBERS) -> None:
        self.n_rows = 0
        self._path = path
        self._schema = schema
        self._pending: list[pa.Table] = []
        self._n_pending = 0
        with storage_errors(path):
            self._file = pq.ParquetWriter(str(path), schema)

    def add(self, rows: pa.Table) -> None:
        """Append rows."""
        self._pending.append(rows.cast(self._schema))
        self._n_pending += rows.num_rows
        self.n_rows += rows.num_rows
        if self._n_pending >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._pending:
            with storage_errors(self._path):
                self._file.write_table(pa.concat_tables(self._pending))
        self._pending = []
        self._n_pending = 0

    def __exit__(self, *_: object) -> None:
        self._flush()
        with storage_errors(self._path):
            self._file.close()


class NumberedList:
    """A list of rows sorted by number, handed out piece by piece."""

    def __init__(self, path: Path) -> None:
        self._batches = pq.ParquetFile(path).iter_batches(_GROUP_ROWS, use_threads=False)
        self._rest: pa.RecordBatch | None = next(self._batches, None)

    def has_before(self, end: int) -> bool:
        """Whether a row with a smaller number is left."""
        while self._rest is not None and not self._rest.num_rows:
            self._rest = next(self._batches, None)
        return self._rest is not None and self._rest.column("n")[0].as_py() < end

    def skip_to(self, number: int) -> None:
        """Pass over the rows with smaller numbers."""
        while self.has_before(number) and self._rest is not None:
            numbers = self._rest.column("n").to_numpy()
            self._rest = self._rest.slice(int(np.searchsorted(numbers, number)))

    def take_before(self, end: int) -> pa.Table | None:
        """The rows with smaller numbers that were not taken before; None if there are none."""
        pieces = []
        while self.has_before(end) and self._rest is not None:
            numbers = self._rest.column("n").to_numpy()
            n_taken = int(np.searchsorted(numbers, end))
            pieces.append(self._rest.slice(0, n_taken))
            self._rest = self._rest.slice(n_taken)
        return pa.Table.from_batches(pieces) if pieces else None
