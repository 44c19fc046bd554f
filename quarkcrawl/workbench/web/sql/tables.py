"""Which tables SQL is told of, and their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.workbench.web.index import CorpusIndex


TABLES: Final = {
    "pages": "* EXCLUDE (text_row, shard)",
    "hosts": "*",
    "copies": "*",
    "redirects": "* EXCLUDE (shard)",
    "drops": "* EXCLUDE (shard)",
    "ranks": "* EXCLUDE (number)",
}
"""The tables that are told of, and what is shown of each."""


def described_tables(index: CorpusIndex) -> Iterator[dict[str, Any]]:
    """The tables with their columns and numbers of rows; no process for SQL is needed for that.

    Args:
        index: the tables of the corpus.
    """
    for name, shown in TABLES.items():
        source = f"SELECT {shown} FROM {name}"  # noqa: S608 - our own words
        described = index.rows(f"DESCRIBE {source}")
        n_rows = index.row(f"SELECT count(*) AS n FROM {name}")["n"]  # noqa: S608
        columns = [{"name": row["column_name"], "type": row["column_type"]} for row in described]
        yield {"name": name, "rows": n_rows, "columns": columns}
