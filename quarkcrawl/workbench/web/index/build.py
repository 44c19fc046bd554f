"""Copies the tables of a corpus into a database and a file of texts."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.engines import parquet_files
from quarkcrawl.errors import EngineError
from quarkcrawl.store import Corpus, open_table, schema_of
from quarkcrawl.store.tables import count_table
from quarkcrawl.workbench.web.index.faults import TableFault, damaged_parts, first_line, read_errors
from quarkcrawl.workbench.web.index.links import CorpusLinks
from quarkcrawl.workbench.web.index.search import SearchTexts, TextWriter
from quarkcrawl.workbench.web.index.tables import (
    COLUMNS,
    EXTRACTION_FILES,
    MADE,
    NO_JOBS,
    OPTIONAL,
    WORK,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb
    import pyarrow as pa
    import pyarrow.dataset as ds

    from quarkcrawl.store.tables import RowKind


_BATCH_ROWS: Final = 4096
_OPTIONS: Final = "union_by_name = true, hive_partitioning = false, filename = true"


class Tables:
    """What a corpus is asked with.

    Args:
        database: the tables.
        texts: contents of pages, by ``text_row`` of the table of pages.
        as_of: epoch seconds at which reading began.
        faults: what could not be read.
        shards: the corpora, for links, which are not copied.
    """

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        texts: SearchTexts,
        as_of: float = 0.0,
        faults: Sequence[TableFault] = (),
        shards: Sequence[Path] = (),
    ) -> None:
        self.texts = texts
        self.links = CorpusLinks(shards)
        self.as_of = as_of
        self.faults = tuple(faults)
        self._database = database
        self._n_cursors = 0
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of its own for one question."""
        with self._changed:
            cursor = self._database.cursor()
            self._n_cursors += 1
        try:
            with cursor:
                yield cursor
        finally:
            with self._changed:
                self._n_cursors -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Free memory and disk as soon as no question is under way: DuckDB 2 refuses it before."""
        with self._changed:
            self._changed.wait_for(lambda: not self._n_cursors)
            self._database.close()
        self.texts.close()


class Builder:
    """Makes the tables once.

    Args:
        shards: the corpora.
        folder: where database and texts are put.
        name: what both files are called, without their endings.
        memory_bytes: most memory of the database.

    Attributes:
        n_done: pages read so far.
        n_pages: pages to be read; 0 as long as they have not been counted.
        is_stopped: set to end the work.
        faults: what could not be read.
    """

    def __init__(self, shards: Sequence[Path], folder: Path, name: str, memory_bytes: int) -> None:
        self._shards = shards
        self._folder = folder
        self._name = name
        self._memory = f"{memory_bytes >> 20}MiB"
        self.n_done = 0
        self.n_pages = 0
        self.is_stopped = False
        self.faults: list[TableFault] = []

    def build(self) -> Tables:
        """Read everything that can be read.

        Raises:
            EngineError: the work was stopped.
            StoreError: a folder is no corpus.
        """
        import duckdb  # noqa: PLC0415 - slow, and not needed without a corpus

        as_of = time.time()
        spill = str(self._folder / f"{self._name}-spill")
        settings: dict[str, Any] = {
            "memory_limit": self._memory,
            "temp_directory": spill,
            "threads": 2,
        }
        path = self._folder / f"{self._name}.duckdb"
        database = duckdb.connect(str(path), config=settings)
        writer = TextWriter(self._folder / f"{self._name}.texts")
        try:
            database.execute(f"ATTACH ':memory:' AS {WORK}")
            self.n_pages = self._count()
            for shard in self._shards:
                self._take_in(database, writer, shard)
            self._take_jobs(database, writer)
            for sql in MADE:
                self._go_on()
                database.execute(sql)
        except BaseException:
            database.close()
            writer.finish().close()
            raise
        # Read only from now on: a file that is open for writing cannot be read by another process.
        database.close()
        database = duckdb.connect(str(path), read_only=True, config=settings)
        return Tables(database, writer.finish(), as_of, self.faults, self._shards)

    def _count(self) -> int:
        """Pages to be read; 0 if a table of them is damaged."""
        corpora = [Corpus.open(one) for one in self._shards]
        with contextlib.suppress(*read_errors()):
            return sum(count_table(corpus.table("page")) for corpus in corpora)
        return 0

    def _go_on(self) -> None:
        if self.is_stopped:
            raise EngineError("the workbench is being closed")

    def _take_in(
        self, database: duckdb.DuckDBPyConnection, writer: TextWriter, shard: Path
    ) -> None:
        """Add the rows of a corpus, those in its journal among them."""
        for kind, names in COLUMNS.items():
            n_done, faults = self.n_done, list[TableFault]()
            for _ in range(2):
                try:
                    dataset = open_table(shard, kind, without={one.path for one in faults})
                    self._copy(database, writer, dataset, kind, shard)
                    break
                except read_errors() as error:
                    self._go_on()
                    failure = first_line(error)
                self.n_done = n_done
                faults = damaged_parts(shard, kind, names)
            else:
                faults = [TableFault(kind, shard, failure)]
                self._copy(database, writer, _nothing(kind), kind, shard)
            self.faults += faults

    def _copy(
        self,
        database: duckdb.DuckDBPyConnection,
        writer: TextWriter,
        dataset: ds.Dataset,
        kind: RowKind,
        shard: Path,
    ) -> None:
        scanner = dataset.scanner(
            columns=list(COLUMNS[kind]),
            batch_size=_BATCH_ROWS,
            cache_metadata=False,
            use_threads=False,
        )
        reader = scanner.to_reader()
        if kind == "page":
            reader = self._counted(_without_texts(reader, writer))
        _insert(database, f"{WORK}.raw_{kind}", reader, str(shard))

    def _counted(self, reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
        import pyarrow as pa  # noqa: PLC0415

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in reader:
                self._go_on()
                self.n_done += len(batch)
                yield batch

        return pa.RecordBatchReader.from_batches(reader.schema, batches())

    def _take_jobs(self, database: duckdb.DuckDBPyConnection, writer: TextWriter) -> None:
        """Tables of jobs over the corpus."""
        for name, (pattern, columns) in OPTIONAL.items():
            paths = (path for shard in self._shards for path in sorted(shard.glob(pattern)))
            job_paths = (path for path in paths if not path.name.endswith(NO_JOBS))
            files = [part for path in job_paths for part in parquet_files(path)]
            files = self._take_job(database, name, files, columns)
            if pattern == EXTRACTION_FILES:
                self._take_extracted(database, writer, files)

    def _take_job(
        self, database: duckdb.DuckDBPyConnection, name: str, files: list[Path], columns: str
    ) -> list[Path]:
        """One of these tables, of the files that can be read; returns which those are."""
        statement = f"CREATE OR REPLACE TABLE {WORK}.{name} ({columns}, filename VARCHAR)"
        database.execute(statement)
        try:
            database.execute(_filled(name, files, columns))
        except read_errors():
            self._go_on()
        else:
            return files
        whole = []
        for path in files:
            try:
                database.execute(_filled(name, [path], columns))
                whole.append(path)
            except read_errors() as error:
                self.faults.append(TableFault(name, path, first_line(error)))
        return whole

    def _take_extracted(
        self, database: duckdb.DuckDBPyConnection, writer: TextWriter, files: Sequence[Path]
    ) -> None:
        """Of several extractions of a page the one by the default method, if there is one.

        The crawl's own counts as one: what it found by the default method gives way only to
        what was found by it later.
        """
        database.execute(
            f"""
            CREATE TABLE {WORK}.chosen AS
            SELECT e.* FROM {WORK}.found_extraction e
            LEFT JOIN (SELECT DISTINCT url, "offset" FROM {WORK}.raw_page
                       WHERE content_method = 'default') p
                 ON e.url = p.url AND e."offset" = p."offset"
            WHERE failure IS NULL AND (content_method = 'default' OR p.url IS NULL)
            QUALIFY row_number() OVER (PARTITION BY e.url, e."offset"
                ORDER BY content_method <> 'default', content_method, filename) = 1
            """  # noqa: S608 - our own names
        )
        if not files:
            database.execute(f'CREATE TABLE {WORK}.extracted_text (url VARCHAR, "offset" BIGINT,'
                             " text_row BIGINT, content_chars BIGINT)")  # fmt: skip
            return
        with database.cursor() as cursor:
            relation = cursor.sql(
                f"""
                SELECT e.url, e."offset", coalesce(e.content_title, p.title) AS title, content_text
                FROM read_parquet([{_listed(files)}], {_OPTIONS}) e
                     SEMI JOIN {WORK}.chosen c
                     ON e.filename = c.filename AND e.url = c.url AND e."offset" = c."offset"
                     LEFT JOIN (SELECT url, "offset", any_value(coalesce(content_title, title))
                                AS title FROM {WORK}.raw_page GROUP BY ALL) p
                     ON e.url = p.url AND e."offset" = p."offset"
                WHERE content_text IS NOT NULL
                """  # noqa: S608 - our own names and paths
            )
            reader = relation.to_arrow_reader(_BATCH_ROWS)
            try:
                _insert(database, f"{WORK}.extracted_text", _without_texts(reader, writer), "")
            except read_errors() as error:  # the table is there, and empty
                self._go_on()
                self.faults.append(
                    TableFault("found_extraction", self._shards[0], first_line(error))
                )


def _nothing(kind: RowKind) -> ds.Dataset:
    import pyarrow.dataset as ds  # noqa: PLC0415

    return ds.dataset(schema_of(kind).empty_table())


def _without_texts(reader: pa.RecordBatchReader, writer: TextWriter) -> pa.RecordBatchReader:
    """Rows with the number and the length of their text in place of the text."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    names = [name for name in reader.schema.names if name != "content_text"]
    fields = [reader.schema.field(name) for name in names]
    added = [pa.field("text_row", pa.int64()), pa.field("content_chars", pa.int64())]

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            text = batch["content_text"]
            titles = [batch[name] for name in ("content_title", "title") if name in names]
            rows = writer.add(pc.coalesce(*titles), text)
            chars = pc.utf8_length(text).cast(pa.int64())
            columns = [batch[name] for name in names]
            yield pa.RecordBatch.from_arrays([*columns, rows, chars], schema=schema)

    schema = pa.schema([*fields, *added])
    return pa.RecordBatchReader.from_batches(schema, batches())


def _insert(database: duckdb.DuckDBPyConnection, name: str, reader: Any, shard: str) -> None:
    columns = ", ".join(f'"{column}"' for column in reader.schema.names)
    empty = reader.schema.empty_table()
    database.register("source", empty)
    select = f"SELECT {columns}, '' AS shard FROM source"  # noqa: S608 - own names
    database.execute(f"CREATE TABLE IF NOT EXISTS {name} AS {select}")
    database.unregister("source")
    database.register("source", reader)
    insert = f"INSERT INTO {name} SELECT {columns}, ? FROM source"  # noqa: S608 - own names
    database.execute(insert, [shard])
    database.unregister("source")


def _filled(name: str, files: Sequence[Path], columns: str) -> str:
    """A statement that fills a table from Parquet files; a column that older ones lack is NULL."""
    if not files:
        return ""
    words = [column.split()[0].strip('"') for column in columns.split(",")]
    column_list = ", ".join(f"'{word}'" for word in (*words, "filename"))
    return (
        f"INSERT INTO {WORK}.{name} BY NAME"  # noqa: S608 - our own names
        f" SELECT COLUMNS(lambda one: one IN ({column_list}))"
        f" FROM read_parquet([{_listed(files)}], {_OPTIONS})"
    )


def _listed(files: Sequence[Path]) -> str:
    return ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
