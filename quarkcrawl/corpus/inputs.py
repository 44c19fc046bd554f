"""The tables of a corpus as files that an engine reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.store import storage_error
from quarkcrawl.store.tables import journal_tables, snapshot, write_part

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import Engine
    from quarkcrawl.store.tables import RowKind


COLUMNS: Final[dict[RowKind, dict[str, str]]] = {
    "page": {
        "url": "string",
        "host": "string",
        "offset": "bigint",
        "length": "bigint",
        "mime": "string",
        "charset": "string",
        "md5": "string",
        "body_bytes": "bigint",
        "ip": "string",
        "level": "int",
        "fetched_at": "double",
    },
    "duplicate": {
        "url": "string",
        "duplicate_of": "string",
        "md5": "string",
        "level": "int",
        "fetched_at": "double",
    },
    "redirect": {
        "url": "string",
        "target": "string",
        "status": "int",
        "level": "int",
        "fetched_at": "double",
        "in_scope": "boolean",
    },
}
"""Columns that jobs read, with types that both engines know."""


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
    try:
        for number, table in enumerate(live):
            work.mkdir(parents=True, exist_ok=True)
            path = work / f"{kind}-{number}.parquet"
            write_part(table.select([c for c in table.column_names if c in COLUMNS[kind]]), path)
            files.append(path)
    except OSError as error:
        raise storage_error(error, work) from error
    engine.table(name, files, COLUMNS[kind])
