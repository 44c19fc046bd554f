"""The tables of a corpus as files that an engine reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.corpus.merge import SHARD, Shards
from quarkcrawl.engines import sql_columns
from quarkcrawl.store import storage_errors
from quarkcrawl.store.tables import journal_tables, schema_of, snapshot, write_part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quarkcrawl.engines import Engine
    from quarkcrawl.store.tables import RowKind


COLUMNS: Final[dict[RowKind, tuple[str, ...]]] = {
    "page": (
        "url", "host", "offset", "length", "mime", "charset", "md5", "body_bytes", "ip", "level",
        "fetched_at",
    ),
    "duplicate": ("url", "duplicate_of", "md5", "level", "fetched_at"),
    "redirect": ("url", "target", "status", "level", "fetched_at", "in_scope"),
}  # fmt: skip
"""Columns that jobs read."""


def register_table(
    engine: Engine,
    source: Path | Shards,
    kind: RowKind,
    name: str,
    work: Path,
    columns: Sequence[str] = (),
) -> None:
    """Make a table of a corpus known to an engine, rows still in the journal included.

    Pages have the column `SHARD` besides, NULL in one corpus. Rows that are in no Parquet file of
    the corpus are put into ``work``, which the workers of Spark must see. No crawl should be
    writing to the corpus.

    Args:
        engine: gets to know the table.
        source: the corpus, or shards that are read as one; their rows are put into ``work``, too.
        kind: which table.
        name: name of the table in queries.
        work: folder for rows that are in no Parquet file yet.
        columns: columns to read, those of `COLUMNS` by default; such as files of earlier
            versions lack are NULL.

    Raises:
        StoreError: a file cannot be read or written.
    """
    columns = columns or COLUMNS[kind]
    types = sql_columns(schema_of(kind), columns)
    if kind == "page":
        types[SHARD] = "int"
    if isinstance(source, Shards) and not source.is_one:
        path = work / f"{kind}-merged.parquet"
        source.write(kind, columns, path)
        engine.table(name, [path], types)
        return
    seen = snapshot(source.root if isinstance(source, Shards) else source, kind)
    files = [part.path for part in seen.parts]
    live = [table for _, path in seen.journals if (table := journal_tables(path).get(kind))]
    with storage_errors(work):
        for number, table in enumerate(live):
            work.mkdir(parents=True, exist_ok=True)
            path = work / f"{kind}-{number}.parquet"
            write_part(table.select([c for c in table.column_names if c in columns]), path)
            files.append(path)
    engine.table(name, files, types, lenient=True)


def register_pages(
    engine: Engine, shards: Shards, name: str, work: Path, columns: Sequence[str]
) -> None:
    """Make the pages of a corpus or of shards known to an engine, which reads them in place.

    For columns with much in them, such as texts; see `register_table`, which copies those of
    shards.

    Args:
        engine: gets to know the table.
        shards: the corpus, or shards that are read as one.
        name: name of the table in queries; others begin with it.
        work: folder for the places of the pages and for rows that are in no Parquet file yet.
        columns: columns to read, ``host`` and ``offset`` among them.

    Raises:
        StoreError: a file cannot be read or written.
    """
    if shards.is_one:
        register_table(engine, shards.root, "page", name, work, columns)
        return
    place = ("host", "offset")
    shards.write("page", place, work / "page-places.parquet")
    types = {**sql_columns(schema_of("page"), place), SHARD: "int"}
    engine.table(f"{name}_places", [work / "page-places.parquet"], types)
    for number, folder in enumerate(shards.folders):
        of_shard = work / f"shard-{number}"
        register_table(engine, folder, "page", f"{name}_{number}", of_shard, columns)
    names = ", ".join(f'"{column}"' for column in columns)
    rows = union_of_shards(shards, name, names)
    engine.view(
        name,
        f"SELECT s.* FROM ({rows}) AS s SEMI JOIN {name}_places AS c "  # noqa: S608 - our own words
        'ON s.shard = c.shard AND s.host = c.host AND s."offset" = c."offset"',
    )


def union_of_shards(shards: Shards, name: str, columns: str = "*") -> str:
    """A query for the rows of tables of shards, called by a name and a number, with their shard.

    Args:
        shards: the corpus, or shards that are read as one.
        name: what the names of the tables begin with.
        columns: columns of the tables, as in a query.
    """
    return " UNION ALL ".join(
        f"SELECT {columns}, {number} AS {SHARD} FROM {name}_{number}"  # noqa: S608 - our own words
        for number in range(len(shards.folders))
    )
