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
        parts, alone = _joined(connection, expressions)
        connection.register("names", pa.table({"name": pa.array(names, pa.string())}))
        has_match = [False] * len(names)
        if parts:
            tests = " OR ".join(f"regexp_matches(name, {_quoted(part)})" for part in parts)
            column = connection.sql(f"SELECT {tests} AS found FROM names").to_arrow_table()  # noqa: S608
            has_match = column["found"].to_pylist()
    for expression in alone:
        has_match = [
            f or expression.search(n) is not None for f, n in zip(has_match, names, strict=True)
        ]
    return has_match


def _joined(
    connection: duckdb.DuckDBPyConnection, expressions: Sequence[re.Pattern[str]]
) -> tuple[list[str], list[re.Pattern[str]]]:
    """Alternations that RE2 takes, and the expressions that it does not know.

    What RE2 refuses, because it is too large or one in it is not known, is halved.
    """
    parts: list[str] = []
    alone: list[re.Pattern[str]] = []
    waiting = [expressions[at : at + _TOGETHER] for at in range(0, len(expressions), _TOGETHER)]
    while waiting:
        group = waiting.pop()
        part = "|".join(f"(?:{expression.pattern})" for expression in group)
        if _is_known(connection, part):
            parts.append(part)
        elif len(group) == 1:
            alone += group
        else:
            middle = len(group) // 2
            waiting += [group[:middle], group[middle:]]
    return parts, alone


def _is_known(connection: duckdb.DuckDBPyConnection, pattern: str) -> bool:
    import duckdb  # noqa: PLC0415

    try:
        connection.execute(f"SELECT regexp_matches('', {_quoted(pattern)})").fetchall()
    except duckdb.Error:
        return False
    return True


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
