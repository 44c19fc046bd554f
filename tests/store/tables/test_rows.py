from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError
from quarkcrawl.page import Fetched, Links
from quarkcrawl.store.tables import columns
from quarkcrawl.store.tables.arrow import row_fields, rows_table
from quarkcrawl.store.tables.columns import page_columns, register_column, schema_of
from quarkcrawl.store.tables.json import decode_row, dump, encode_row
from quarkcrawl.store.tables.rows import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Row,
)
from tests.store.samples import make_item, row_of


@pytest.fixture(autouse=True)
def clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_registered", {})


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
times = st.floats(0, 4e9)
small = st.integers(0, 2**31 - 1)
digests = st.binary(max_size=16)
links = st.lists(st.tuples(text, text, st.booleans(), text), max_size=4).map(
    lambda entries: Links(*map(list, zip(*entries, strict=True)))
)
facts = st.builds(
    Fetched, url=text, host=text, level=small, fetched_at=times, status=small, mime=text,
    md5=digests, body_bytes=small, origin=st.none() | text, hops=small, ip=text,
)  # fmt: skip
page_rows = st.builds(
    PageRow, facts,
    offset=st.integers(0, 2**62), length=st.integers(0, 2**62),
    charset=text, charset_source=text, title=text,
    flags=st.lists(text, max_size=3).map(tuple), links=links,
)  # fmt: skip
duplicate_facts = st.builds(Fetched, url=text, level=small, fetched_at=times, md5=digests)
rows = (
    page_rows
    | st.builds(DuplicateRow, duplicate_facts, text, links)
    | st.builds(RedirectRow, text, text, small, small, times, st.booleans())
    | st.builds(DropRow, text, text, text, text, small, times)
)


@given(rows)
def test_json_round_trip(row: Row) -> None:
    data = encode_row(row)
    assert b"\n" not in data
    assert data.startswith(b'{"kind":"%s"' % row.kind.encode())
    assert decode_row(json.loads(data)) == row


@given(st.lists(page_rows, min_size=1, max_size=5))
def test_arrow_round_trip(many: list[PageRow]) -> None:
    table = rows_table("page", [encode_row(row) for row in many])
    assert table.schema == schema_of("page")
    back = [decode_row({"kind": "page"} | row_fields(r)) for r in table.to_pylist()]
    assert back == many


BLOCK = pa.struct([("n", pa.int32()), ("tag", pa.string()), ("spans", pa.list_(pa.int32()))])
block_lists = st.lists(
    st.fixed_dictionaries(
        {"n": small}, optional={"tag": st.none() | text, "spans": st.lists(small, max_size=2)}
    ),
    max_size=4,
)


def full(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [dict.fromkeys(("n", "tag", "spans")) | block for block in blocks]


@given(st.lists(st.none() | block_lists, min_size=1, max_size=6))
def test_a_table_held_field_by_field(tables: list[list[dict[str, Any]] | None]) -> None:
    columns._registered.clear()
    register_column("blocks", pa.list_(BLOCK), by_field=True)
    many = [with_analysis(**({} if x is None else {"blocks": x})) for x in tables]
    assert tabled(*many)["blocks"].to_pylist() == [None if x is None else full(x) for x in tables]
    for row, blocks in zip(many, tables, strict=True):
        back = decode_row(json.loads(encode_row(row))).analysis  # type: ignore[union-attr]
        assert (None if blocks is None else full(blocks)) == (
            full(back["blocks"]) if "blocks" in back else None
        )


def test_tables_of_older_journals_and_uneven_ones() -> None:
    register_column("blocks", pa.list_(BLOCK), by_field=True)
    old = dump({"kind": "page", "url": "u", "blocks": [{"n": 1}, {"tag": "p"}], "links": None})
    uneven = with_analysis(blocks={"n": [1, 2], "tag": ["p"]})
    table = rows_table("page", [old, encode_row(uneven), encode_row(with_analysis(blocks=[]))])
    assert table["blocks"].to_pylist() == [full([{"n": 1}, {"tag": "p"}]), None, []]
    assert json.loads(table["other"][1].as_py()) == {"blocks": {"n": [1, 2], "tag": ["p"]}}
    assert decode_row(json.loads(encode_row(uneven))).analysis["blocks"] == {  # type: ignore[union-attr]
        "n": [1, 2], "tag": ["p"],
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["page", "duplicate", "redirect", "drop"])
def test_the_schema_has_every_field_of_the_row(kind: Any) -> None:
    row = {r.kind: r for r in (PageRow, DuplicateRow, RedirectRow, DropRow)}[kind]
    fields = {field.name for field in dataclasses.fields(row)} - {"analysis", "fetched"}
    columns = set(schema_of(kind).names) - {"other"}
    assert fields <= columns | {"flags"}
    assert all(hasattr(row, name) or name in fields | {"marks"} for name in columns)
    if kind == "page":  # all that is compared of a fetch is kept
        kept = {field.name for field in dataclasses.fields(Fetched) if field.compare}
        assert columns == fields - {"flags"} | kept | {"bucket", "marks"}


def test_a_page_row_of_an_item() -> None:
    item = make_item(3, host="www.pku.edu.cn", flags=("truncated",), origin="http://o.cn/", hops=1)
    row = row_of(item, offset=10, length=20)
    assert (row.url, row.host, row.bucket, row.offset, row.length) == (
        item.url, "www.pku.edu.cn", 214, 10, 20,
    )  # fmt: skip
    assert (row.mime, row.charset, row.title) == ("text/html", "gb18030", "第3页")
    assert (row.flags, row.origin, row.hops) == (("truncated",), "http://o.cn/", 1)
    assert row.body_bytes == len(item.body)
    assert (row.fetched, row.links) == (item.fetched, item.links)
    assert row.fetched is item.fetched  # nothing of it is copied
    assert [x.url for x in row.links] == [x.url for x in item.links]
    assert len(row.links) == 5


def with_analysis(**analysis: Any) -> PageRow:
    return row_of(make_item(1, analysis=analysis), offset=0, length=1)


def tabled(*rows: PageRow) -> pa.Table:
    return rows_table("page", [encode_row(row) for row in rows])


def test_a_registered_column_gets_its_type() -> None:
    register_column("simhash", pa.uint64(), "a hash")
    register_column("spans", pa.list_(pa.list_(pa.int32())))
    big = 2**64 - 1
    table = tabled(with_analysis(simhash=big, spans=[[1, 2], [3, 4]]), with_analysis())
    assert table.schema.field("simhash").type == pa.uint64()
    assert table["simhash"].to_pylist() == [big, None]
    assert table["spans"].to_pylist() == [[[1, 2], [3, 4]], None]
    assert table["other"].to_pylist() == [None, None]
    assert page_columns() == {"simhash", "spans"}


def test_numpy_values_are_welcome() -> None:
    register_column("codes", pa.list_(pa.int64()))
    register_column("score", pa.float32())
    table = tabled(with_analysis(codes=np.array([1, 2]), score=np.float32(0.5)))
    assert table["codes"].to_pylist() == [[1, 2]]
    assert table["score"].to_pylist() == [0.5]


def test_registering_twice() -> None:
    register_column("simhash", pa.uint64())
    register_column("simhash", pa.uint64())
    with pytest.raises(ConfigError, match="simhash"):
        register_column("simhash", pa.int32())
    with pytest.raises(ConfigError, match="url"):
        register_column("url", pa.string())


def test_unregistered_values_go_to_other_and_come_back() -> None:
    row = with_analysis(new={"a": [1, "中"]}, more=2)
    table = tabled(row)
    assert json.loads(table["other"][0].as_py()) == {"new": {"a": [1, "中"]}, "more": 2}
    assert decode_row(json.loads(encode_row(row))).analysis == row.analysis  # type: ignore[union-attr]


def test_a_value_that_does_not_fit_costs_neither_its_row_nor_the_others() -> None:
    register_column("simhash", pa.uint64())
    register_column("score", pa.float64())
    table = tabled(
        with_analysis(simhash=1, score=0.5),
        with_analysis(simhash="none", score=float("nan")),
        with_analysis(simhash=-1, score=2),
    )
    assert table["simhash"].to_pylist() == [1, None, None]
    assert table["score"].to_pylist()[::2] == [0.5, 2.0]
    assert json.loads(table["other"][1].as_py())["simhash"] == "none"
    assert json.loads(table["other"][2].as_py()) == {"simhash": -1}
    assert all(len(x) == 5 for x in table["links"].to_pylist())


def test_a_column_that_the_compacting_process_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    register_column("simhash", pa.uint64())
    line = encode_row(with_analysis(simhash=7))
    monkeypatch.setattr(columns, "_registered", {})
    assert rows_table("page", [line])["simhash"].to_pylist() == [7]


def test_what_json_cannot_say_becomes_text() -> None:
    loop: list[Any] = []
    loop.append(loop)
    row = with_analysis(loop=loop, raw=b"\x01\xff", words={"b"}, thing=object, bad="\ud800")
    back = decode_row(json.loads(encode_row(row))).analysis  # type: ignore[union-attr]
    assert back["loop"] == "[[...]]"
    assert back["raw"] == "01ff"
    assert back["words"] == ["b"]
    assert back["bad"] == "?"


def test_a_page_row_names_the_url_that_its_page_declares() -> None:
    body = b"<link rel=canonical href='/b'><p>text"
    row = row_of(make_item(1, url="http://a.cn/a?x", body=body), offset=0, length=9)
    assert row.analysis == {"canonical": "http://a.cn/b"}
    register_column("canonical", pa.string())
    assert tabled(row)["canonical"].to_pylist() == ["http://a.cn/b"]
