"""Rows as JSON objects, the form they have in the journal.

Links and blocks lie field by field ({"url": […], "text": […], …}): with 60 links a page that
halves the time and takes a third off the size against a list of objects, and Arrow turns the one
into the other without copying (``docs/decisions.md``).
"""

from __future__ import annotations

import dataclasses
import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import orjson

from quarkcrawl.page import Fetched, Links
from quarkcrawl.store.tables.columns import TABLES, base_columns, page_columns, table_columns
from quarkcrawl.store.tables.rows import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Row,
    VisitRow,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.store.tables.rows import RowKind


_COLUMNS: dict[RowKind, list[str]] = {kind: base_columns(kind) for kind in TABLES}
_ATTRIBUTES = {"marks": "flags"}  # of columns that are called otherwise than in a row
_GETTERS = {
    kind: attrgetter(*(_ATTRIBUTES.get(name, name) for name in names))
    for kind, names in _COLUMNS.items()
}
_FACTS = {field.name for field in dataclasses.fields(Fetched)} & set(_COLUMNS["page"])


def _plain(value: object) -> object:
    """Anything JSON does not know, as something it does; NumPy values above all."""
    for method in ("tolist", "item"):
        convert = getattr(value, method, None)
        if convert is not None:
            return convert()
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return list(value) if isinstance(value, (set, frozenset, tuple)) else repr(value)


_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), default=_plain, check_circular=True
).encode


def dump(value: object) -> bytes:
    """JSON in UTF-8; a lone surrogate becomes "?", a float that is no number null."""
    try:
        return orjson.dumps(value, _plain, _OPTIONS)
    except TypeError:  # half a pair of UTF-16, a number above 64 bits, keys that are no text
        return _encode(value).encode("utf-8", "replace")


def encode_row(row: Row) -> bytes:
    """JSON of a row; ``kind`` is its first key.

    A value in ``analysis`` that cannot be written at all (a cycle) is replaced by its repr, so
    that no page is lost for it.
    """
    fields: dict[str, Any] = {"kind": row.kind}
    fields.update(zip(_COLUMNS[row.kind], _GETTERS[row.kind](row), strict=True))
    if isinstance(row, PageRow | DuplicateRow):
        fields |= {"md5": row.md5.hex(), "links": row.links.field_lists()}
    if isinstance(row, PageRow) and row.analysis:
        return _with_analysis(fields, row.analysis)
    return dump(fields)


def _with_analysis(fields: dict[str, Any], analysis: Mapping[str, object]) -> bytes:
    try:
        return dump(_placed(fields, analysis))
    except (ValueError, TypeError, RecursionError):  # rare: find out which value it is
        return dump(_placed(fields, {k: _writable(v) for k, v in analysis.items()}))


def _placed(fields: Mapping[str, Any], analysis: Mapping[str, object]) -> dict[str, Any]:
    """The fields with registered values under their names and the others as JSON text."""
    columns, tables = page_columns(), table_columns()
    placed = dict(fields)
    for name in analysis.keys() & columns:
        placed[name] = field_lists(analysis[name]) if name in tables else analysis[name]
    other = {name: value for name, value in analysis.items() if name not in columns}
    if other:
        placed["other"] = dump(other).decode()
    return placed


def field_lists(value: Any) -> Any:
    """A table as one list a field; what is none, as it is.

    Args:
        value: mappings, or what has a method ``field_lists`` that saves making them.
    """
    lists = getattr(value, "field_lists", None)
    if lists is not None:
        return lists()
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return value
    names = dict.fromkeys(name for entry in value for name in entry)
    return {name: [entry.get(name) for entry in value] for name in names}


def _entries(lists: Any) -> Any:
    """The entries of a table; what is none, as it is."""
    if not isinstance(lists, dict) or len(set(map(len, lists.values()))) > 1:
        return lists
    return [dict(zip(lists, entry, strict=True)) for entry in zip(*lists.values(), strict=True)]


def _writable(value: object) -> object:
    if value is None or isinstance(value, (str, int, float)):
        return value
    try:
        dump(value)
    except (ValueError, TypeError, RecursionError):
        return repr(value)
    return value


def decode_row(fields: dict[str, Any]) -> Row:
    """The row of a JSON object; unknown keys of a page are analysis values."""
    fields = dict(fields)
    kind = fields.pop("kind")
    if kind == "redirect":
        return RedirectRow(**fields)
    if kind == "drop":
        return DropRow(**fields)
    if kind == "visit":
        return VisitRow(**fields)
    columns = fields.pop("links", {})  # collections have none of duplicates
    links = Links(*(columns[name] for name in ("url", "text", "nofollow", "kind") if columns))
    facts = {name: fields.pop(name) for name in _FACTS & fields.keys()}
    fetched = Fetched(**facts | {"md5": bytes.fromhex(facts["md5"])})
    if kind == "duplicate":
        return DuplicateRow(fetched, fields["duplicate_of"], links)
    fields.pop("bucket", None)  # the host says it
    analysis = json.loads(fields.pop("other", None) or "{}")
    flags = tuple(fields.pop("marks", None) or ())
    for name in fields.keys() - _COLUMNS["page"]:
        analysis[name] = fields.pop(name)
    for name in table_columns().keys() & analysis.keys():
        analysis[name] = _entries(analysis[name])
    return PageRow(fetched, **fields, flags=flags, links=links, analysis=analysis)
