"""The API of SQL on the tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from starlette.responses import Response

from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import Operations, integer, string
from quarkcrawl.workbench.web.sql import described_tables

MOST_SQL_CHARS: Final = 10_000
Sql = Annotated[str, string(MOST_SQL_CHARS, "one SELECT", min_length=1)]
RowCount = Annotated[int, integer(1, 10_000, "rows at most")]
SQL_OPERATIONS: Final = Operations()


class SqlColumn(msgspec.Struct, forbid_unknown_fields=True):
    """A column and its type, as DuckDB calls it."""

    name: str
    type: str


class SqlResult(msgspec.Struct, forbid_unknown_fields=True):
    """Rows of a query; ``is_cut``: there are more, which were left out."""

    columns: list[SqlColumn]
    rows: list[list[Any]]
    is_cut: bool


@SQL_OPERATIONS.add("GET /api/sql/tables", "Tables that SQL can ask, with their columns")
def sql_tables(bench: Bench) -> Any:
    """Tables, columns, numbers of rows."""
    bench.sql.warm(bench.tables.database_path)
    return {"tables": list(described_tables(bench.tables))}


@SQL_OPERATIONS.add(
    "GET /api/sql",
    "Rows of a SELECT on the tables",
    reply=SqlResult,
    is_private=True,
    errors=(409,),
)
def sql_rows(bench: Bench, q: Sql, rows: RowCount = 1000) -> Any:
    """Rows of a query."""
    return bench.sql.rows(bench.tables.database_path, q, rows)


@SQL_OPERATIONS.add(
    "GET /api/sql/csv",
    "Rows of a SELECT as CSV",
    media_type="text/csv",
    is_private=True,
    errors=(409,),
)
def sql_csv(bench: Bench, q: Sql, rows: RowCount = 10_000) -> Response:
    """Rows of a query as a file."""
    reply = bench.sql.rows(bench.tables.database_path, q, rows)
    names = [column["name"] for column in reply["columns"]]
    return csv_file("result.csv", names, reply["rows"])


def csv_file(name: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Response:
    """Rows as a file: UTF-8, lists and structures as JSON, nothing for NULL."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([cell_text(value) for value in row] for row in rows)
    data = file.getvalue().encode("utf-8", "replace")
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(data, 200, headers, "text/csv; charset=utf-8")


def cell_text(value: Any) -> str:
    """A value of a result in words; "" for NULL."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
