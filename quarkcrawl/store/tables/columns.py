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
    "visit": "visits",
    "version": "versions",
}
"""Folder of each kind of row below ``analysis/``."""

_STRINGS: Final = (
    "url", "host", "mime", "charset", "charset_source", "md5", "title", "origin", "ip", "other",
    "text", "kind", "duplicate_of", "target", "reason", "detail",
)  # fmt: skip
_TYPES: Final[dict[str, pa.DataType]] = {
    **dict.fromkeys(_STRINGS, pa.string()),
    **dict.fromkeys(("level", "bucket", "status", "hops", "position"), pa.int32()),
    **dict.fromkeys(("offset", "length", "body_bytes"), pa.int64()),
    **dict.fromkeys(("fetched_at", "at"), pa.float64()),
    **dict.fromkeys(("nofollow", "in_scope"), pa.bool_()),
    "marks": pa.list_(pa.string()),
}


def columns_of(*names: str) -> list[pa.Field]:
    """Columns that mean the same in every table, with their types.

    Args:
        names: names of columns of the tables of a corpus.
    """
    return [pa.field(name, _TYPES[name]) for name in names]


LINKS = pa.list_(pa.struct(columns_of("url", "text", "nofollow", "kind", "position")))
_TYPES["links"] = LINKS

_NAMES: Final[dict[RowKind, tuple[str, ...]]] = {
    "page": (
        "url", "host", "level", "bucket", "offset", "length", "fetched_at", "status", "mime",
        "charset", "charset_source", "md5", "body_bytes", "title", "origin", "hops", "ip", "marks",
        "links", "other",
    ),
    "duplicate": ("url", "duplicate_of", "md5", "level", "fetched_at", "links"),
    "redirect": ("url", "target", "status", "level", "fetched_at", "in_scope"),
    "drop": ("url", "host", "reason", "detail", "level", "at"),
    "visit": ("url", "reason", "level", "at"),
}  # fmt: skip
_NAMES["version"] = _NAMES["page"]

_RESERVED = frozenset(_NAMES["page"]) | {"kind", "analysis"}
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
    return {name: entry[0] for name, entry in _registered.items() if name in _by_field}


def column_docs() -> dict[str, str]:
    """Registered columns and what they hold."""
    return {name: doc for name, (_, doc) in _registered.items()}


def base_columns(kind: RowKind) -> list[str]:
    """Names of the columns that every row of a kind has."""
    return [name for name in _NAMES[kind] if name != "other"]


def schema_of(kind: RowKind) -> pa.Schema:
    """Arrow schema of a kind of row, registered columns last.

    Args:
        kind: name of the table.
    """
    added = _registered.items() if kind in {"page", "version"} else ()
    return pa.schema([*columns_of(*_NAMES[kind]), *((name, entry[0]) for name, entry in added)])
