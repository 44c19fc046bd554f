"""Rows as Arrow tables: JSON texts in, columns out, nothing lost on the way.

The fast way lets Arrow parse a block of rows under the table's schema (30 µs a row with 60
links; ``json.loads`` and ``from_pylist`` take 80). One value that does not fit its column makes
Arrow refuse the whole block; then the rows go one by one, and the value that does not fit moves
to the column ``other``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from quarkcrawl.store.tables.columns import LINKS, page_columns, schema_of, table_columns
from quarkcrawl.store.tables.json import dump, field_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.store.tables.rows import RowKind

    Counts = NDArray[np.int64]


def rows_table(kind: RowKind, payloads: Sequence[bytes]) -> pa.Table:
    """A table of rows of one kind.

    Columns of the schema come first; a column that this process does not know (a package that
    was not imported) keeps the type that Arrow infers.
    """
    try:
        return _arranged(kind, _parse(kind, payloads))
    except pa.ArrowInvalid:
        rows = [_fitting(kind, payload) for payload in payloads]
        return _arranged(kind, pa.Table.from_pylist(rows, _json_schema(kind)))


def _tables(kind: RowKind) -> dict[str, pa.ListType]:
    """Columns that the journal holds field by field."""
    if kind == "page":
        return {"links": LINKS} | table_columns()
    return {"links": LINKS} if "links" in schema_of(kind).names else {}


def _json_schema(kind: RowKind) -> pa.Schema:
    """The schema with tables as the journal has them: structs of lists."""
    schema = schema_of(kind)
    for name, arrow_type in _tables(kind).items():
        lists = [(field.name, pa.list_(field.type)) for field in arrow_type.value_type]
        schema = schema.set(schema.get_field_index(name), pa.field(name, pa.struct(lists)))
    return schema


def _parse(kind: RowKind, payloads: Sequence[bytes]) -> pa.Table:
    # In memory of Arrow, whose threads may let go of it when Python is gone (see `open_part`).
    stream = pa.BufferOutputStream()
    stream.write(b"\n".join(payloads))
    data = stream.getvalue()
    return pj.read_json(
        pa.BufferReader(data),
        read_options=pj.ReadOptions(use_threads=False, block_size=data.size + 1),
        parse_options=pj.ParseOptions(
            explicit_schema=_json_schema(kind), unexpected_field_behavior="infer"
        ),
    )


def _arranged(kind: RowKind, table: pa.Table) -> pa.Table:
    for name, arrow_type in _tables(kind).items():
        chunks = [_list_of_structs(chunk, arrow_type) for chunk in table.column(name).chunks]
        column = pa.chunked_array(chunks, arrow_type)
        table = table.set_column(table.column_names.index(name), name, column)
    names = schema_of(kind).names
    extra = sorted(set(table.column_names) - set(names) - {"kind"})
    return table.select([*names, *extra])


def _list_of_structs(columns: pa.StructArray, arrow_type: pa.ListType) -> pa.ListArray:
    """List of structs from struct of lists; the lists of one row are equally long or absent."""
    fields = list(arrow_type.value_type)
    lists = _filled([columns.field(field.name) for field in fields])
    structs = pa.StructArray.from_arrays([x.flatten() for x in lists], fields=fields)
    absent = columns.is_null() if columns.null_count else None
    offsets = _from_zero(lists[0].offsets)
    return pa.ListArray.from_arrays(offsets, structs, type=arrow_type, mask=absent)


def _filled(lists: list[pa.ListArray]) -> list[pa.ListArray]:
    """Lists as long as the longest of their row, filled with nulls where they are absent."""
    n_entries = [pc.fill_null(pc.list_value_length(x), 0).to_numpy() for x in lists]
    most = np.maximum.reduce(n_entries)
    return [
        x if np.array_equal(n, most) else _with_nulls(x, n, most)
        for x, n in zip(lists, n_entries, strict=True)
    ]


def _with_nulls(lists: pa.ListArray, n_entries: Counts, most: Counts) -> pa.ListArray:
    absent = n_entries == 0
    if (n_entries[~absent] != most[~absent]).any():
        raise pa.ArrowInvalid("fields of a table are not equally long")
    offsets = np.concatenate(([0], most.cumsum()))
    taken = np.repeat(absent, most)  # of these entries nothing is known
    places = pa.array(np.cumsum(~taken) - 1, mask=taken)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), lists.flatten().take(places))


def _from_zero(offsets: pa.Array) -> pa.Array:
    first = offsets[0]
    return offsets if first.as_py() == 0 else pc.subtract(offsets, first)


def _fitting(kind: RowKind, payload: bytes) -> dict[str, Any]:
    """The row with what does not fit a registered column moved to ``other``."""
    fields: dict[str, Any] = json.loads(payload)
    tables = _tables(kind)
    for name in tables.keys() & fields.keys():  # older journals hold lists of objects
        fields[name] = field_lists(fields[name])
    schema = _json_schema(kind)
    misfits: dict[str, Any] = {}
    for name in page_columns() & fields.keys() if kind == "page" else ():
        try:
            value = pa.array([fields[name]], schema.field(name).type)
            if name in tables:
                _list_of_structs(value, tables[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError, ValueError):
            misfits[name] = fields.pop(name)
    unknown = fields.keys() - set(schema.names) - {"kind"}
    misfits.update((name, fields.pop(name)) for name in unknown)
    if misfits:
        other = json.loads(fields.get("other") or "{}")
        fields["other"] = dump(other | misfits).decode()
    return fields


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with exactly the columns of a schema; absent ones are null.

    Args:
        table: rows of one kind.
        schema: the columns.
    """
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def row_fields(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a table (``to_pylist``) as the journal would have it, absent values left out."""
    fields = {name: value for name, value in row.items() if value is not None}
    if "links" in row:
        links = row["links"] or []
        names = [field.name for field in LINKS.value_type]
        fields["links"] = {name: [link[name] for link in links] for name in names}
    return fields
