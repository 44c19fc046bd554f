"""Types of a Parquet feed: they hold for all rows, and nothing is guessed from strings."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Field, Item

from quarkcrawl.crawl.jobs.feeds import ParquetItemExporter, parquet
from quarkcrawl.errors import InputError

from .test_continued import by_scrapy


def table_of(rows: list, **kwargs) -> pa.Table:
    file = io.BytesIO()
    exporter = ParquetItemExporter(file, **kwargs)
    exporter.start_exporting()
    for row in rows:
        exporter.export_item(row)
    exporter.finish_exporting()
    return pq.read_table(pa.BufferReader(file.getvalue()))


MOMENT = datetime(2026, 11, 26, 12, 30, 5, 123456)
VALUES = [
    (["2026-11-26", None], "string"),
    (["12", "1.5"], "string"),
    ([1, 2], "int64"),
    ([1, 2.5], "double"),
    ([1 << 60], "int64"),
    ([True, None], "bool"),
    ([b"\x00\xff"], "binary"),
    ([MOMENT], "timestamp[us]"),
    ([MOMENT.replace(tzinfo=UTC)], "timestamp[us, tz=UTC]"),
    ([date(2026, 1, 2)], "date32[day]"),
    ([time(1, 2, 3)], "time64[us]"),
    ([Decimal("1.50"), Decimal(-200)], "decimal128(5, 2)"),
    ([["a"], []], "list<element: string>"),
    ([{"a": 1}, {"b": ["x"]}], "struct<a: int64, b: list<element: string>>"),
    (["\0s", "\0t2026"], "string"),
]


@pytest.mark.parametrize(("values", "kind"), VALUES)
def test_values_keep_their_types(values, kind):
    table = table_of([{"value": value} for value in values])
    assert str(table.schema.field("value").type) == kind
    if kind.startswith("struct"):
        assert table["value"].to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": ["x"]}]
    else:
        assert table["value"].to_pylist() == values


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, "n/a"], ["1", "n/a"]),
        ([True, 1], ["true", "1"]),
        ([1 << 70], [str(1 << 70)]),
        ([(1 << 53) + 1, 0.5], [str((1 << 53) + 1), "0.5"]),
        ([{"a": 1}, [1]], ['{"a": 1}', "[1]"]),
        ([{}, None], ["{}", None]),
        ([Decimal("NaN")], ["NaN"]),
        ([b"\x01", "x"], ["01", "x"]),
        (["\ud800x"], ["?x"]),
    ],
)
def test_values_of_no_common_type_are_text(values, texts):
    if isinstance(values[0], Decimal):
        texts = ['"NaN"']
    if isinstance(values[0], bytes):
        texts = ['"01"', "x"]
    assert table_of([{"v": value} for value in values])["v"].to_pylist() == texts


class Nested(Item):
    name = Field(serializer=str.upper)
    inner = Field()


def test_items_fields_and_serializers():
    rows = [Nested(name="a", inner=Nested(name="b")), {"name": None, "more": 1}]
    assert table_of(rows[:1]).to_pylist() == [{"name": "A", "inner": {"name": "b"}}]
    table = table_of([{"a": 1, "b": 2}, {"c": 3}], fields_to_export={"c": "C", "a": "A", "z": "Z"})
    assert table.to_pylist() == [{"C": None, "A": 1, "Z": None}, {"C": 3, "A": None, "Z": None}]
    assert table_of([], fields_to_export=["a"]).schema.names == ["a"]
    assert table_of([{f"k{n}": {f"x{n}": 1}} for n in range(2)]).num_columns == 2
    wide = table_of([{"m": {f"key{n}": n}} for n in range(1001)])
    assert wide.schema.field("m").type == pa.string()


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 70), 1 << 70), st.floats(allow_nan=False),
    st.text(max_size=5), st.binary(max_size=5), st.dates(), st.times(),
    st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29)),
    st.decimals(allow_nan=True, places=3, min_value=-(10**9), max_value=10**9),
)  # fmt: skip
NAMES = st.sampled_from(["a", "b", "\0c", ""])
NESTED = st.recursive(
    LEAVES,
    lambda of: st.lists(of, max_size=3) | st.dictionaries(NAMES, of, max_size=3),
    max_leaves=6,
)


@given(rows=st.lists(st.dictionaries(NAMES, NESTED, max_size=3), max_size=8))
def test_any_items_make_a_table_that_depends_on_no_chunk(rows):
    with pytest.MonkeyPatch.context() as patch:
        whole = table_of(rows)
        patch.setattr(parquet, "_CHUNK_BYTES", 1)
        assert table_of(rows).equals(whole)
    if whole.num_columns:
        assert whole.num_rows == len(rows)


SAME_TYPE = st.one_of(
    *(
        st.lists(st.none() | of, min_size=1, max_size=5)
        for of in (
            st.booleans(), st.integers(-(1 << 63), (1 << 63) - 1), st.floats(allow_nan=False),
            st.text(max_size=5).filter(lambda text: text.isprintable()), st.binary(max_size=5),
            st.dates(), st.times(), st.datetimes(), st.lists(st.integers(0, 9), max_size=3),
        )
    )
)  # fmt: skip


@given(values=SAME_TYPE)
def test_values_of_one_type_come_back(values):
    assert table_of([{"v": value} for value in values])["v"].to_pylist() == values


def test_without_the_add_on_by_scrapys_own_exporter(tmp_path):
    path, packed = tmp_path / "a.parquet", tmp_path / "a.parquet.gz"
    gzip = {"postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}
    feeds = {path: {"format": "parquet"}, packed: {"format": "parquet", **gzip}}
    by_scrapy(feeds, [{"a": 1}, {"a": 2}])
    assert pq.read_table(path).to_pylist() == [{"a": 1}, {"a": 2}]
    with pa.input_stream(str(packed), compression="gzip") as file:
        assert pq.read_table(pa.BufferReader(file.read())).num_rows == 2
    with path.open("ab") as file, pytest.raises(InputError, match="cannot be appended"):
        ParquetItemExporter(file).start_exporting()
