"""Rows as JSON objects, the form they have in the journal.

Links and blocks lie field by field ({"url": […], "text": […], …}): with 60 links a page that
halves the time and takes a third off the size against a list of objects, and Arrow turns the one
into the other without copying (``docs/decisions.md``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson

from quarkcrawl.page import Links
from quarkcrawl.store.tables.columns import page_columns, table_columns
from quarkcrawl.store.tables.rows import DropRow, DuplicateRow, PageRow, RedirectRow, Row

if TYPE_CHECKING:
    from collections.abc import Mapping


_PLAIN_FIELDS = tuple(
    name for name in PageRow.__dataclass_fields__ if name not in {"kind", "links", "analysis"}
)
_OTHER_ROWS: dict[str, type[DuplicateRow | RedirectRow | DropRow]] = {
    row.kind: row for row in (DuplicateRow, RedirectRow, DropRow)
}


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
    if not isinstance(row, PageRow):
        fields: dict[str, Any] = {"kind": row.kind}
        fields.update((name, getattr(row, name)) for name in _names(row))
        if isinstance(row, DuplicateRow):
            fields["links"] = row.links.field_lists()
        return dump(fields)
    fields = {"kind": "page"}
    for name in _PLAIN_FIELDS:
        fields[name] = getattr(row, name)
    fields["links"] = row.links.field_lists()
    if not row.analysis:
        return dump(fields)
    return _with_analysis(fields, row.analysis)


def _names(row: Row) -> list[str]:
    return [name for name in type(row).__dataclass_fields__ if name != "kind"]


def _with_analysis(fields: dict[str, Any], analysis: Mapping[str, object]) -> bytes:
    try:
        return dump(_placed(fields, analysis))
    except (ValueError, TypeError, RecursionError):  # rare: find out which value it is
        return dump(_placed(fields, {k: _writable(v) for k, v in analysis.items()}))


def _placed(fields: Mapping[str, Any], analysis: Mapping[str, object]) -> dict[str, Any]:
    """The fields with registered values under their names and the others as JSON text."""
    known, tables = page_columns(), table_columns()
    placed = dict(fields)
    for name in analysis.keys() & known:
        placed[name] = field_lists(analysis[name]) if name in tables else analysis[name]
    other = {name: value for name, value in analysis.items() if name not in known}
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
    if "links" in fields:
        columns = fields["links"]
        fields["links"] = Links(*(columns[name] for name in ("url", "text", "nofollow", "kind")))
    if kind != "page":
        return _OTHER_ROWS[kind](**fields)
    analysis = json.loads(fields.pop("other", None) or "{}")
    fields["marks"] = tuple(fields.get("marks") or ())
    for name in [name for name in fields if name not in PageRow.__dataclass_fields__]:
        analysis[name] = fields.pop(name)
    for name in table_columns().keys() & analysis.keys():
        analysis[name] = _entries(analysis[name])
    return PageRow(**fields, analysis=analysis)
