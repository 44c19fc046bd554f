"""The tables of a corpus as files that an engine reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.engines import sql_columns
from quarkcrawl.store import storage_errors
from quarkcrawl.store.tables import journal_tables, schema_of, snapshot, write_part

if TYPE_CHECKING:
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


def register_table(engine: Engine, root: Path, kind: RowKind, name: str, work: Path) -> None:
    """Make a table of a corpus known to an engine, rows still in the journal included.

    Those rows are put into ``work``, which the workers of Spark must see. No crawl should be
    writing to the corpus.

    Raises:
        StoreError: a file cannot be read or written.
    """
    seen = snapshot(root, kind)
    files = [part.path for part in seen.parts]
    live = [table for _, path in seen.journals if (table := journal_tables(path).get(kind))]
    with storage_errors(work):
        for number, table in enumerate(live):
            work.mkdir(parents=True, exist_ok=True)
            path = work / f"{kind}-{number}.parquet"
            write_part(table.select([c for c in table.column_names if c in COLUMNS[kind]]), path)
            files.append(path)
    engine.table(name, files, sql_columns(schema_of(kind), COLUMNS[kind]))
