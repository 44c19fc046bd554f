"""The view of SQL: a box, examples, the tables, and the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from quarkcrawl.workbench.web.api import MOST_SQL_CHARS, cell_text
from quarkcrawl.workbench.web.http import ApiError, PendingError
from quarkcrawl.workbench.web.sql import described_tables

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.bench import Bench
    from quarkcrawl.workbench.web.http import ViewQuery


SHOWN_ROWS: Final = 200
SHOWN_CHARS: Final = 300
"""Characters of a cell; JSON and CSV have the rest."""

LONG_CHARS: Final = 28
"""A longer text gets room to be broken."""

_PAGE_ID: Final = re.compile("[0-9a-f]{16}")
EXAMPLES: Final = {
    "reasons": "SELECT reason, count(*) AS n, count(DISTINCT host) AS hosts\n"
    "FROM drops GROUP BY reason ORDER BY n DESC",
    "lengths": "SELECT host, pages, content_chars // pages AS mean_chars\n"
    "FROM hosts ORDER BY mean_chars DESC LIMIT 50",
    "years": "SELECT published[:4] AS year, count(*) AS n\n"
    "FROM pages WHERE published IS NOT NULL GROUP BY year ORDER BY year",
    "charsets": "SELECT charset, charset_source, count(*) AS n\n"
    "FROM pages GROUP BY ALL ORDER BY n DESC",
    "ranks": "SELECT r.position AS place, p.id, p.url, p.content_title, r.rank\n"
    "FROM ranks r JOIN pages p USING (url)\n"
    "WHERE r.method = 'quarkrank' ORDER BY r.position LIMIT 50",
    "empty": "SELECT id, url, body_bytes, page_type\n"
    "FROM pages WHERE content_chars = 0 ORDER BY body_bytes DESC LIMIT 50",
}
"""Queries to begin with."""


def sql(bench: Bench, query: ViewQuery) -> dict[str, Any]:
    """A query and its rows; it is run only if somebody with the token asks."""
    statement = query.text("q", MOST_SQL_CHARS).strip()
    path = bench.tables.database_path
    values: dict[str, Any] = {
        "view": "sql", "q": statement, "examples": EXAMPLES, "shown_rows": SHOWN_ROWS,
        "result": None, "problem": "", "is_run": bool(statement) and query.is_signed_in,
        "tables": list(described_tables(bench.tables)),
    }  # fmt: skip
    bench.sql.warm(path)
    if values["is_run"]:
        try:
            reply = bench.sql.rows(path, statement, SHOWN_ROWS)
        except (ApiError, PendingError) as error:
            values["problem"] = str(error)
        else:
            names = [column["name"] for column in reply["columns"]]
            rows = [
                [_cell(*cell) for cell in zip(names, row, strict=True)] for row in reply["rows"]
            ]
            values["result"] = {**reply, "rows": rows}
    return values


def _cell(column: str, value: Any) -> dict[str, Any]:
    """What is shown of a value."""
    text = cell_text(value)
    shown = text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"text": shown, "is_null": value is None, "is_number": is_number,
            "width": "long" if len(text) > LONG_CHARS else "short" if text.isascii() else "",
            "href": _href(column, value) if isinstance(value, str) else ""}  # fmt: skip


def _href(column: str, value: str) -> str:
    """Where a value leads: to a page, the pages of a host, the way of a URL."""
    if column == "id" and _PAGE_ID.fullmatch(value):
        return f"/page/{value}"
    if column == "host" and value:
        return f"/pages?host={quote(value, safe='', errors='replace')}"
    if value.startswith(("http://", "https://")) and len(value) < SHOWN_CHARS:
        return f"/trace?url={quote(value, safe='', errors='replace')}"
    return ""
