"""Arrow types of the analysis tables, and the registry where later packages add columns.

A package that computes something per page registers its column once, at import:

    register_column("simhash", pa.uint64(), "64-bit simhash of the content text")

and puts the value under that name into ``PageItem.analysis``. Values under names that nobody
registered, and values that do not fit their type, are not lost: they go, as JSON text, into the
column ``other``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from quarkcrawl.store.tables.rows import RowKind


TABLES: Final[dict[RowKind, str]] = {
    "page": "pages",
    "duplicate": "duplicates",
    "redirect": "redirects",
    "drop": "drops",
}
"""Folder of each kind of row below ``analysis/``."""

LINKS = pa.list_(
    pa.struct(
        [
            ("url", pa.string()),
            ("text", pa.string()),
            ("nofollow", pa.bool_()),
            ("kind", pa.string()),
            ("position", pa.int32()),
        ]
    )
)

_PAGE = pa.schema(
    [
        ("url", pa.string()),
        ("host", pa.string()),
        ("level", pa.int32()),
        ("bucket", pa.int32()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("fetched_at", pa.float64()),
        ("status", pa.int32()),
        ("mime", pa.string()),
        ("charset", pa.string()),
        ("charset_source", pa.string()),
        ("md5", pa.string()),
        ("body_bytes", pa.int64()),
        ("title", pa.string()),
        ("origin", pa.string()),
        ("hops", pa.int32()),
        ("ip", pa.string()),
        ("marks", pa.list_(pa.string())),
        ("links", LINKS),
        ("other", pa.string()),
    ]
)

_BASE: Final[dict[RowKind, pa.Schema]] = {
    "page": _PAGE,
    "duplicate": pa.schema(
        [
            ("url", pa.string()),
            ("duplicate_of", pa.string()),
            ("md5", pa.string()),
            ("level", pa.int32()),
            ("fetched_at", pa.float64()),
            ("links", LINKS),
        ]
    ),
    "redirect": pa.schema(
        [
            ("url", pa.string()),
            ("target", pa.string()),
            ("status", pa.int32()),
            ("level", pa.int32()),
            ("fetched_at", pa.float64()),
            ("in_scope", pa.bool_()),
        ]
    ),
    "drop": pa.schema(
        [
            ("url", pa.string()),
            ("host", pa.string()),
            ("reason", pa.string()),
            ("detail", pa.string()),
            ("level", pa.int32()),
            ("at", pa.float64()),
        ]
    ),
}

_RESERVED = frozenset(_PAGE.names) | {"kind", "analysis"}
_registered: dict[str, tuple[pa.DataType, str]] = {}
_by_field: set[str] = set()


def register_column(
    name: str, arrow_type: pa.DataType, doc: str = "", *, by_field: bool = False
) -> None:
    """Add a column to the pages table.

    Registering the same column twice does nothing.

    Args:
        name: key in ``PageItem.analysis`` and name of the Parquet column.
        arrow_type: its type; lists and structs are welcome, dictionaries with free keys are not.
        doc: one line for the reference.
        by_field: the journal holds one list a field of it rather than one object an entry, which
            takes half the time and a third of the room; for lists of structs.

    Raises:
        ConfigError: the name is taken, by us or with another type.
    """
    taken = _registered.get(name)
    if name in _RESERVED or (taken is not None and taken[0] != arrow_type):
        raise ConfigError(f"analysis column {name!r} exists already", where="register_column")
    _registered[name] = (arrow_type, doc)
    if by_field:
        _by_field.add(name)


def page_columns() -> frozenset[str]:
    """Names of all registered columns."""
    return frozenset(_registered)


def table_columns() -> dict[str, pa.ListType]:
    """Types of the registered columns that the journal holds field by field."""
    return {name: found[0] for name, found in _registered.items() if name in _by_field}


def column_docs() -> dict[str, str]:
    """Registered columns and what they hold."""
    return {name: doc for name, (_, doc) in _registered.items()}


def base_columns(kind: RowKind) -> list[str]:
    """Names of the columns that every row of a kind has."""
    return [name for name in _BASE[kind].names if name != "other"]


def schema_of(kind: RowKind) -> pa.Schema:
    """Arrow schema of a kind of row, registered columns last.

    Args:
        kind: name of the table.
    """
    if kind != "page":
        return _BASE[kind]
    added = [pa.field(name, arrow_type) for name, (arrow_type, _) in _registered.items()]
    return pa.schema([*_PAGE, *added])
