"""What the process for SQL does: one query on the tables, where it can reach and change nothing.

The database is opened anew for each query, read only, and shut before the query is looked at: no
files, no network, no extensions, no settings. The process may write no file either, whatever
DuckDB does; its parent bounds time and memory.
"""

from __future__ import annotations

import math
import re
import resource
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError
from quarkcrawl.workbench.web.sql.tables import TABLES

if TYPE_CHECKING:
    import duckdb


MOST_COLUMNS: Final = 200
MOST_CELL_CHARS: Final = 20_000
"""A longer text is cut; the last character of what is left is ``…``."""

MOST_BYTES: Final = 8 << 20
"""About how large a result may be; rows behind that are left out."""

_CELL_BYTES: Final = 8  # of a cell besides its text
_N_THREADS: Final = 2
_LOCKS: Final[dict[str, Any]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",  # else a name may be that of a variable of ours
    "temp_directory": "",
    "threads": _N_THREADS,
}
_AFTER_OPENING: Final = (
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET lock_configuration = true",
)
_LINE: Final = re.compile(r"\n+LINE (\d+):.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SqlQuestion:
    """What the process is asked.

    Args:
        database: file of the tables.
        sql: the query; "": none, so that the process is ready for the first one.
        most_rows: rows behind these are left out.
        limit_s: the query ends after this time.
        memory_bytes: most memory of the database.
    """

    database: str
    sql: str
    most_rows: int
    limit_s: float
    memory_bytes: int


def answer_sql(question: SqlQuestion) -> dict[str, Any]:
    """The rows of a query as plain data.

    Raises:
        InputError: it is no single SELECT, or wrong.
        TimeoutError: it takes longer than it may.
        MemoryError: it wants more memory than it gets.
    """
    import duckdb  # noqa: PLC0415 - slow, and only this process needs it

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with _opened(question) as database:
            if not question.sql:
                return {}
            timer = threading.Timer(question.limit_s, database.interrupt)
            timer.daemon = True
            timer.start()
            try:
                return _result(database, question)
            finally:
                timer.cancel()
    except duckdb.InterruptException:
        raise TimeoutError from None
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except duckdb.Error as error:
        raise InputError(_one_line(str(error))) from None


def _opened(question: SqlQuestion) -> duckdb.DuckDBPyConnection:
    import duckdb  # noqa: PLC0415

    config = {**_LOCKS, "memory_limit": f"{question.memory_bytes >> 20}MiB"}
    database = duckdb.connect(question.database, read_only=True, config=config)
    catalog = Path(question.database).stem
    for name, columns in TABLES.items():
        table = f'"{catalog}".main.{name}'
        database.execute(f"CREATE TEMP VIEW {name} AS SELECT {columns} FROM {table}")  # noqa: S608 - ours
    for sql in _AFTER_OPENING:
        database.execute(sql)
    return database


def _result(database: duckdb.DuckDBPyConnection, question: SqlQuestion) -> dict[str, Any]:
    import duckdb  # noqa: PLC0415

    statements = database.extract_statements(question.sql)
    if len(statements) != 1:
        raise InputError(f"one statement can be asked, not {len(statements)}")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise InputError(f"only SELECT can be asked, not {statements[0].type.name}")
    relation = database.sql(question.sql)  # not `execute`, which makes all rows before the first
    if len(relation.columns) > MOST_COLUMNS:
        raise InputError(f"the result has {len(relation.columns)} columns, {MOST_COLUMNS} at most")
    rows: list[list[Any]] = []
    n_bytes, is_cut = 0, False
    for row in relation.limit(question.most_rows + 1).fetchall():
        cells = [_plain(value) for value in row]
        n_bytes += sum(map(_size, cells))
        is_cut = len(rows) == question.most_rows or n_bytes > MOST_BYTES
        if is_cut:
            break
        rows.append(cells)
    named = zip(relation.columns, relation.types, strict=True)
    columns = [{"name": name, "type": str(kind)} for name, kind in named]
    return {"columns": columns, "rows": rows, "is_cut": is_cut}


def _plain(value: Any) -> Any:
    """A value as JSON has it: what it has no word for is a text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return _cut(value[:MOST_CELL_CHARS].hex())
    if isinstance(value, list | tuple):
        return _cut_list([_plain(one) for one in value])
    if isinstance(value, dict):
        return _cut_list({str(key): _plain(one) for key, one in value.items()})
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CELL_CHARS else text[: MOST_CELL_CHARS - 1] + "…"


def _cut_list(value: Any) -> Any:
    """A list or a structure; as a text that is cut if it is too long."""
    return value if _size(value) <= MOST_CELL_CHARS else _cut(str(value))


def _size(value: Any) -> int:
    if isinstance(value, str):
        return _CELL_BYTES + len(value)
    if isinstance(value, list):
        return _CELL_BYTES + sum(map(_size, value))
    if isinstance(value, dict):
        return _CELL_BYTES + sum(len(key) + _size(one) for key, one in value.items())
    return _CELL_BYTES


def _one_line(message: str) -> str:
    """DuckDB's words on one line, with the number of the line of the query that they are about."""
    match = _LINE.search(message)
    where = f" (line {match[1]})" if match else ""
    return " ".join(_LINE.sub("", message).split()) + where
