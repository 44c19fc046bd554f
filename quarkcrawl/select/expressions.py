"""Thousands of regular expressions against many names, in one pass over the names.

The expressions are joined into alternations for RE2 (in DuckDB), which turns each into one
automaton: its time does not grow with the number of expressions in it. What RE2 does not know
(look-around, back-references) is searched by Python. The answer is only "some expression may be
found here": which one, Python's own engine says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    import duckdb

__all__ = ["any_found"]

_TOGETHER = 200
"""Expressions in one automaton."""


def any_found(expressions: Sequence[re.Pattern[str]], names: Sequence[str]) -> list[bool]:
    """For each name, whether some expression is found in it.

    Args:
        expressions: compiled by Python.
        names: ASCII, lower case, one line each.
    """
    import duckdb  # noqa: PLC0415 - slow to load
    import pyarrow as pa  # noqa: PLC0415

    with duckdb.connect() as connection:
        known = [e for e in expressions if _is_known(connection, e.pattern)]
        alone = [e for e in expressions if e not in set(known)]
        parts = list(_joined(connection, [e.pattern for e in known]))
        connection.register("names", pa.table({"name": pa.array(names, pa.string())}))
        found = [False] * len(names)
        if parts:
            tests = " OR ".join(f"regexp_matches(name, {_quoted(part)})" for part in parts)
            column = connection.sql(f"SELECT {tests} AS found FROM names").to_arrow_table()  # noqa: S608
            found = column["found"].to_pylist()
    for expression in alone:
        found = [f or expression.search(n) is not None for f, n in zip(found, names, strict=True)]
    return found


def _joined(connection: duckdb.DuckDBPyConnection, patterns: Sequence[str]) -> list[str]:
    """Alternations; one that RE2 finds too large is halved."""
    parts = []
    waiting = [list(group) for group in _groups(patterns)]
    while waiting:
        group = waiting.pop()
        part = "|".join(f"(?:{pattern})" for pattern in group)
        if len(group) == 1 or _is_known(connection, part):
            parts.append(part)
        else:
            middle = len(group) // 2
            waiting += [group[:middle], group[middle:]]
    return parts


def _groups(patterns: Sequence[str]) -> list[Sequence[str]]:
    return [patterns[at : at + _TOGETHER] for at in range(0, len(patterns), _TOGETHER)]


def _is_known(connection: duckdb.DuckDBPyConnection, pattern: str) -> bool:
    import duckdb  # noqa: PLC0415

    try:
        connection.execute(f"SELECT regexp_matches('', {_quoted(pattern)})").fetchall()
    except duckdb.Error:
        return False
    return True


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
