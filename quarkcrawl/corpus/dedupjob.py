"""Exact duplicates of a whole corpus by MD5, over its analysis tables (CWT200g thesis, 3.5).

    analysis/dedup/duplicates/*.parquet   url, duplicate_of, md5, host, offset, stored
    analysis/dedup/report.json            what was counted

Nothing is deleted from the corpus: `corpus sample` leaves the duplicates out of the collection.
Of pages with the same MD5 the one with the shortest URL is kept, of equally short ones the
smallest by its bytes; a page that is stored comes before one that the crawl already dropped as a
duplicate. So the table reads URL == URL, as that of the .GOV collection does: every other URL of
a body beside the one it is known by.

A first pass over hashes alone finds which MD5s occur twice; only rows of these, a few percent, are
sorted. An MD5 that is missing or not 32 characters long makes no two pages equal. The method
``thesis`` puts all rows into 1024 small databases by MD5 mod 1024 and keeps the URL that comes
first there (`partitiondedup`): stored pages by host and place in page.dat, then those dropped.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.corpus.inputs import register_table
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.corpus.partitiondedup import partition_dedup
from quarkcrawl.engines import parquet_files, replaced_folder, sql_columns
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.progress import no_progress
from quarkcrawl.store import CorpusLock, storage_errors, write_whole
from quarkcrawl.store.tables import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.corpus.partitiondedup import DedupRow
    from quarkcrawl.engines import Engine
    from quarkcrawl.progress import Progress


_BATCH_ROWS: Final = 1 << 16


DUPLICATE_COLUMNS: Final = {
    **sql_columns(pa.schema(columns_of("url", "duplicate_of", "md5", "host", "offset"))),
    "stored": "int",
}
"""Columns of the duplicates table; ``stored`` is 1 for pages in page.dat."""

_UNIQUE: Final = """
SELECT pages.* FROM pages ANTI JOIN (SELECT * FROM known_duplicates WHERE stored = 1) AS d
ON pages.host = d.host AND pages."offset" = d."offset"
"""

_REPEATED: Final = """
SELECT row_hash(md5) AS k FROM dedup_rows WHERE length(md5) = 32 GROUP BY row_hash(md5)
HAVING count(*) > 1
"""

_COPIES: Final = """
SELECT md5, url, host, "offset", stored,
       first_value(url) OVER w AS duplicate_of, row_number() OVER w AS n
FROM (SELECT * FROM dedup_rows SEMI JOIN dedup_repeated ON row_hash(dedup_rows.md5) = k) AS r
WHERE length(md5) = 32
WINDOW w AS (PARTITION BY md5 ORDER BY stored DESC, length(url), url, host, "offset")
"""

_DUPLICATES: Final = """
SELECT url, duplicate_of, md5, host, "offset", stored FROM dedup_copies WHERE n > 1
"""

_KEPT: Final = """
SELECT url, md5 FROM dedup_rows ANTI JOIN dedup_repeated ON row_hash(dedup_rows.md5) = k
WHERE length(md5) = 32
UNION ALL SELECT url, md5 FROM dedup_copies WHERE n = 1
UNION ALL SELECT url, md5 FROM dedup_rows WHERE NOT coalesce(length(md5) = 32, FALSE)
"""

_COUNTED: Final = """
SELECT count(*) AS n, coalesce(sum(stored), 0) AS stored,
       coalesce(sum(CASE WHEN length(md5) = 32 THEN 0 ELSE 1 END), 0) AS odd
FROM dedup_rows
"""

_HEXADECIMAL: Final = """
SELECT url, md5, host, "offset", stored FROM dedup_rows
WHERE length(md5) = 32 ORDER BY stored DESC, host, "offset", url
"""

DedupMethod = Literal["default", "thesis"]
"""Ways to find exact duplicates: by hashes that occur twice, or by 1024 small databases."""

_CORPUS_ROWS: Final = """
SELECT url, host, "offset", md5, 1 AS stored FROM pages
UNION ALL
SELECT url, '' AS host, CAST(-1 AS bigint) AS "offset", md5, 0 AS stored FROM crawl_duplicates
"""


@dataclass(frozen=True, slots=True)
class DedupReport:
    """What a run found.

    Args:
        corpus: the corpus or "" for plain tables.
        folder: where the results are.
        engine: what ran the job.
        method: how duplicates were found.
        rows: rows looked at: stored pages and those the crawl dropped as duplicates.
        stored: stored pages among them.
        without_md5: rows whose MD5 is missing or has another length than 32; they count as unlike
            all others.
        duplicates: rows of the duplicates table.
        stored_duplicates: stored pages that leave with them.
        elapsed_s: length of the run.
    """

    corpus: str
    folder: str
    engine: str
    method: str
    rows: int
    stored: int
    without_md5: int
    duplicates: int
    stored_duplicates: int
    elapsed_s: float


def dedup_rows(
    engine: Engine,
    rows: str,
    work: Path,
    *,
    kept_folder: Path | None = None,
    on_progress: Progress = no_progress,
) -> int:
    """Find the duplicates among rows that an engine knows.

    ``rows`` is a query or table with url, host, offset, md5 and stored. The result ``duplicates``
    and, meanwhile, other stages go into ``work``, url and MD5 of the rows that stay into
    ``kept_folder``.

    Returns:
        The number of duplicates.

    Raises:
        StorageFullError: no room.
        EngineError: the engine gave up.
    """
    engine.view("dedup_rows", rows)
    stages = work / "stages"
    on_progress("MD5s that occur twice", 0, None)
    try:
        engine.write(_REPEATED, stages / "repeated")
        engine.table("dedup_repeated", parquet_files(stages / "repeated"), {"k": _key(engine)})
        on_progress("equal pages", 0, None)
        engine.write(_COPIES, stages / "copies")
        columns = {**DUPLICATE_COLUMNS, "n": "bigint"}
        engine.table("dedup_copies", parquet_files(stages / "copies"), columns)
        if kept_folder is not None:
            engine.write(_KEPT, kept_folder)
        on_progress("duplicates", 0, None)
        return engine.write(_DUPLICATES, work / "duplicates")
    finally:
        shutil.rmtree(stages, ignore_errors=True)


def _dedup_by_partitions(engine: Engine, rows: str, work: Path) -> None:
    """The same result by the thesis' method; rows and partitions lie in ``work`` meanwhile."""
    engine.view("dedup_rows", rows)
    stages = work / "stages"
    try:
        engine.write(_HEXADECIMAL, stages / "rows")
        duplicates = partition_dedup(_rows_in(stages / "rows"), stages / "partitions")
        with replaced_folder(work / "duplicates") as part, storage_errors(part):
            part.mkdir()
            _write_duplicates(duplicates, part / "part-0.parquet")
    finally:
        shutil.rmtree(stages, ignore_errors=True)


def _rows_in(folder: Path) -> Iterator[DedupRow]:
    for path in parquet_files(folder):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches():
                columns = (column.to_pylist() for column in batch.columns)
                yield from zip(*columns, strict=True)


def _write_duplicates(duplicates: Iterator[tuple[DedupRow, str]], path: Path) -> None:
    schema = pa.schema([*columns_of("url", "duplicate_of", "md5", "host", "offset"),
                        pa.field("stored", pa.int32())])  # fmt: skip
    with pq.ParquetWriter(path, schema) as writer:
        while rows := list(islice(duplicates, _BATCH_ROWS)):
            table = [
                {"url": url, "duplicate_of": owner, "md5": md5, "host": host,
                 "offset": offset, "stored": stored}
                for (url, md5, host, offset, stored), owner in rows
            ]  # fmt: skip
            writer.write_table(pa.Table.from_pylist(table, schema))


def _key(engine: Engine) -> str:
    """Type of the shared function row_hash."""
    return "ubigint" if engine.name == "duckdb" else "bigint"


def dedup_folder(root: Path) -> Path:
    """Where the results of a corpus are.

    Args:
        root: the corpus.
    """
    return root / "analysis" / "dedup"


def dedup_corpus(
    engine: Engine,
    root: Path | str,
    method: DedupMethod = "default",
    *,
    on_progress: Progress = no_progress,
) -> DedupReport:
    """Find the exact duplicates of a corpus; see the module for the rule and the result.

    Args:
        engine: DuckDB or Spark, see `quarkcrawl.engines.open_engine`.
        root: the corpus, or shards of a shared crawl that are not merged, with the result that
            they would have merged; no crawl should be writing to it.
        method: ``thesis`` keeps of equal pages the one that comes first.
        on_progress: is told of each query.

    Raises:
        InputError: there is no such method.
        CorpusLockedError: another run is working on this corpus.
        StoreError: the folder is no corpus, a table cannot be read, or no room.
        EngineError: the engine gave up.
    """
    if method not in get_args(DedupMethod):
        names = ", ".join(get_args(DedupMethod))
        raise InputError(f"no method {method!r} of dedup; there are {names}", where=root)
    started = time.monotonic()
    folder = dedup_folder(Path(root))
    work = folder / "journal"
    shards = Shards(root, work / "merge")
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with CorpusLock(folder):
        try:
            on_progress("tables", 0, None)
            register_table(engine, shards, "page", "pages", work)
            register_table(engine, shards, "duplicate", "crawl_duplicates", work)
            if method == "thesis":
                on_progress("duplicates", 0, None)
                _dedup_by_partitions(engine, _CORPUS_ROWS, folder)
            else:
                dedup_rows(engine, _CORPUS_ROWS, folder, on_progress=on_progress)
            on_progress("report", 0, None)
            report = _report(engine, shards.root, folder, method, started)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        _write_report(report, folder)
    return report


def _report(engine: Engine, root: Path, folder: Path, method: str, started: float) -> DedupReport:
    counted = engine.fetch(_COUNTED).to_pylist()[0]
    engine.table("dedup_found", parquet_files(folder / "duplicates"), DUPLICATE_COLUMNS)
    sums = engine.fetch(
        "SELECT count(*) AS n, coalesce(sum(stored), 0) AS stored FROM dedup_found"
    ).to_pylist()[0]
    return DedupReport(
        corpus=str(root),
        folder=str(folder),
        engine=engine.name,
        method=method,
        rows=int(counted["n"]),
        stored=int(counted["stored"]),
        without_md5=int(counted["odd"]),
        duplicates=int(sums["n"]),
        stored_duplicates=int(sums["stored"]),
        elapsed_s=round(time.monotonic() - started, 3),
    )


def _write_report(report: DedupReport, folder: Path) -> None:
    with storage_errors(folder), write_whole(folder / "report.json") as file:
        file.write(json.dumps(asdict(report), ensure_ascii=False).encode() + b"\n")


def duplicate_files(root: Path) -> list[Path]:
    """Files of the duplicates table.

    Raises:
        StoreError: `dedup_corpus` has not run.
    """
    folder = dedup_folder(root)
    if not (folder / "report.json").is_file():
        raise StoreError("has not been deduplicated: quarkcrawl corpus dedup", where=root)
    return parquet_files(folder / "duplicates")


def dedup_method(root: Path) -> DedupMethod | None:
    """The method by which a corpus was deduplicated; None if it was not, or nobody can tell.

    Args:
        root: the corpus, or a folder of shards.
    """
    try:
        report = json.loads((dedup_folder(root) / "report.json").read_bytes())
    except (OSError, ValueError):
        return None
    said = report.get("method") if isinstance(report, dict) else None
    return next((name for name in get_args(DedupMethod) if name == said), None)


def view_unique(engine: Engine, root: Path, name: str, *, dedup: bool) -> None:
    """Make a view of the pages of a corpus without its stored duplicates.

    The engine must know the table ``pages``; it gets to know ``known_duplicates``, too.
    Without ``dedup`` the view has all pages and that table is empty.

    Raises:
        StoreError: `dedup_corpus` has not run.
    """
    engine.table("known_duplicates", duplicate_files(root) if dedup else [], DUPLICATE_COLUMNS)
    engine.view(name, _UNIQUE if dedup else "SELECT * FROM pages")
