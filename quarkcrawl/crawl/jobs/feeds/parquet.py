"""Feeds in Parquet: rows wait as JSON lines until types are known, which takes all of them."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from itemadapter import ItemAdapter, is_item
from scrapy.exporters import BaseItemExporter
from scrapy.extensions.postprocessing import PostProcessingManager
from scrapy.utils.python import is_listlike
from scrapy.utils.serialize import ScrapyJSONEncoder

from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


_CHUNK_BYTES: Final = 8 << 20
_MOST_FIELDS: Final = 1000
"""Distinct keys of a nested dict; with more it is a map rather than a record, and becomes text."""

_TAG: Final = "\0"
"""Begins a string that stands for a value JSON has no type for."""

_EXACT: Final = 1 << 53
_ENCODER: Final = ScrapyJSONEncoder()


class ParquetItemExporter(BaseItemExporter):
    """Writes items as rows of one Parquet file, with types that hold for all of them.

    Rows wait in a temporary file, so memory does not grow with them. Integers, floats, booleans,
    strings, bytes, dates, times, decimals, lists and nested items keep their types; a string
    that looks like a date stays a string. Where the values of a field differ in type, it is text.

    Args:
        file: gets the Parquet file at the end; it is empty.
        compression: any that Parquet knows.
        kwargs: those of every exporter of Scrapy's.
    """

    def __init__(self, file: IO[bytes], *, compression: str = "zstd", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.file = file
        self.rows: IO[bytes] | io.RawIOBase | None = None
        self._compression = compression

    def start_exporting(self) -> None:
        """Open the temporary file.

        Raises:
            InputError: the feed's file has content, to which Parquet cannot append.
        """
        check_empty(self.file)
        self.rows = tempfile.TemporaryFile(prefix="feed-")  # noqa: SIM115 - till the end

    def export_item(self, item: Any) -> None:
        """Add a row to those that wait."""
        assert self.rows is not None
        self.rows.write(_encode(dict(self.get_serialized_fields(item))))

    def finish_exporting(self) -> None:
        """Write the Parquet file."""
        assert self.rows is not None
        rows, self.rows = self.rows, None
        with rows:
            self.convert(rows)

    def convert(self, rows: IO[bytes] | io.RawIOBase) -> None:
        """Write the Parquet file from rows that an exporter of this class wrote."""
        columns: dict[str, _Kind] = {}
        if self.fields_to_export is not None:
            fields = self.fields_to_export
            columns = dict.fromkeys(
                fields.values() if isinstance(fields, Mapping) else fields, "null"
            )
        for chunk in _chunks(rows):
            names = dict.fromkeys(chain.from_iterable(chunk))
            for name in names:
                kind = _kind_of([row.get(name) for row in chunk])
                columns[name] = _merged(columns.get(name, "null"), kind)
        schema = pa.schema([(name, _arrow_type(kind)) for name, kind in columns.items()])
        with pq.ParquetWriter(_Sink(self.file), schema, compression=self._compression) as writer:
            for chunk in _chunks(rows):
                arrays = [
                    pa.array([_shaped(row.get(name), kind) for row in chunk], field.type)
                    for (name, kind), field in zip(columns.items(), schema, strict=True)
                ]
                writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def check_empty(file: IO[bytes]) -> None:
    """See that a file has no content yet.

    Raises:
        InputError: it has.
    """
    if isinstance(file, PostProcessingManager):  # which has begun to write by now
        return
    try:
        size = file.tell()
    except (OSError, ValueError):  # a pipe, which is empty
        return
    if size:
        message = "Parquet cannot be appended to a file that has content; set overwrite (or -O)"
        raise InputError(message, where=getattr(file, "name", None))


class _Sink(io.RawIOBase):
    """Tells Parquet its place in the file, also where a plugin stands between."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self._n_bytes = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._n_bytes

    def write(self, data: Any) -> int:
        self._file.write(bytes(data))
        self._n_bytes += len(data)
        return len(data)


def _encode(row: dict[str, Any]) -> bytes:
    text = json.dumps(_plain(row), ensure_ascii=False)
    return text.encode("utf-8", "replace") + b"\n"


_WRITTEN: Final[dict[type, tuple[str, Callable[[Any], str]]]] = {
    bytes: ("b", bytes.hex),
    datetime: ("t", datetime.isoformat),
    date: ("d", date.isoformat),
    time: ("h", time.isoformat),
    Decimal: ("n", str),
}
_READ: Final[dict[str, Callable[[str], Any]]] = {
    "s": str,
    "b": bytes.fromhex,
    "t": datetime.fromisoformat,
    "d": date.fromisoformat,
    "h": time.fromisoformat,
    "n": Decimal,
}


def _plain(value: Any) -> Any:  # noqa: PLR0911 - one a kind of value
    """A value as JSON has it; the inverse is `_restored`."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return f"{_TAG}s{value}" if value.startswith(_TAG) else value
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if tagged := _WRITTEN.get(type(value)):
        tag, write = tagged
        return f"{_TAG}{tag}{write(value)}"
    if is_item(value):
        return _plain(ItemAdapter(value).asdict())
    if is_listlike(value):
        return [_plain(one) for one in value]
    return _plain(_ENCODER.default(value))


def _restored(value: Any) -> Any:
    if isinstance(value, str):
        return _READ[value[1]](value[2:]) if value.startswith(_TAG) else value
    if isinstance(value, dict):
        return {key: _restored(one) for key, one in value.items()}
    return [_restored(one) for one in value] if isinstance(value, list) else value


def _chunks(rows: IO[bytes] | io.RawIOBase) -> Iterator[list[dict[str, Any]]]:
    """All rows, as many at a time as fit into memory."""
    rows.seek(0)
    while lines := rows.readlines(_CHUNK_BYTES):
        decoded = (json.loads(line) for line in lines)
        yield [
            _restored(row) if b"\\u0000" in line else row
            for line, row in zip(lines, decoded, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _List:
    of: _Kind


@dataclass(frozen=True, slots=True)
class _Digits:
    """Decimals: the most digits before and behind the point."""

    before: int
    behind: int


_Kind: TypeAlias = "str | _List | _Digits | dict[str, _Kind]"

_ARROW: Final = {
    "null": pa.string(),
    "bool": pa.bool_(),
    "int": pa.int64(),
    "wide": pa.int64(),
    "float": pa.float64(),
    "str": pa.string(),
    "bytes": pa.binary(),
    "datetime": pa.timestamp("us"),
    "utc": pa.timestamp("us", tz="UTC"),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "text": pa.string(),
}
_KINDS: Final[dict[type, str]] = {
    bool: "bool",
    float: "float",
    str: "str",
    bytes: "bytes",
    date: "date",
}


def _kind_of(values: Sequence[Any]) -> _Kind:
    """The type that holds for some values of a field."""
    values = [value for value in values if value is not None]
    classes = set(map(type, values))
    kind: _Kind = "null"
    for one in classes:
        of_class = values if len(classes) == 1 else [v for v in values if type(v) is one]
        kind = _merged(kind, _KINDS.get(one) or _KIND_OF[one](of_class))
    return kind


def _int_kind(values: Sequence[int]) -> _Kind:
    low, high = min(values), max(values)
    if low >= -_EXACT and high <= _EXACT:
        return "int"
    return "wide" if low >= -(1 << 63) and high < 1 << 63 else "text"


def _datetime_kind(values: Sequence[datetime]) -> _Kind:
    aware = {value.utcoffset() is not None for value in values}
    return "text" if len(aware) == 2 else "utc" if aware.pop() else "datetime"


def _time_kind(values: Sequence[time]) -> _Kind:
    return "text" if any(value.tzinfo for value in values) else "time"


def _decimal_kind(values: Iterable[Decimal]) -> _Kind:
    before = behind = 0
    for value in values:
        _, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):  # NaN and infinity
            return "text"
        behind = max(behind, -exponent)
        before = max(before, len(digits) + exponent)
    return _digits(before, behind)


def _digits(before: int, behind: int) -> _Kind:
    return _Digits(before, behind) if before + behind <= 38 else "text"


def _list_kind(values: Sequence[list[Any]]) -> _Kind:
    return _List(_kind_of(list(chain.from_iterable(values))))


def _dict_kind(values: Sequence[dict[str, Any]]) -> _Kind:
    names = dict.fromkeys(chain.from_iterable(values))
    if len(names) > _MOST_FIELDS:
        return "text"
    return {name: _kind_of([value.get(name) for value in values]) for name in names}


_KIND_OF: Final[dict[type, Callable[[Any], _Kind]]] = {
    int: _int_kind,
    datetime: _datetime_kind,
    time: _time_kind,
    Decimal: _decimal_kind,
    list: _list_kind,
    dict: _dict_kind,
}


def _merged(one: _Kind, other: _Kind) -> _Kind:  # noqa: PLR0911 - one a rule
    """The type that holds for values of both."""
    if other in (one, "null"):
        return one
    if one == "null":
        return other
    if isinstance(one, dict) and isinstance(other, dict):
        names = one | other
        if len(names) > _MOST_FIELDS:
            return "text"
        return {n: _merged(one.get(n, "null"), other.get(n, "null")) for n in names}
    if isinstance(one, _List) and isinstance(other, _List):
        return _List(_merged(one.of, other.of))
    if isinstance(one, _Digits) and isinstance(other, _Digits):
        return _digits(max(one.before, other.before), max(one.behind, other.behind))
    numbers = (one, other)
    if "int" in numbers and ("wide" in numbers or "float" in numbers):
        return other if one == "int" else one
    return "text"


def _arrow_type(kind: _Kind) -> pa.DataType:
    if isinstance(kind, str):
        return _ARROW[kind]
    if isinstance(kind, _List):
        return pa.list_(_arrow_type(kind.of))
    if isinstance(kind, _Digits):
        return pa.decimal128(max(1, kind.before + kind.behind), kind.behind)
    if not kind:  # Parquet has no records without fields
        return pa.string()
    return pa.struct([(name, _arrow_type(of)) for name, of in kind.items()])


def _shaped(value: Any, kind: _Kind) -> Any:  # noqa: PLR0911 - one a kind
    """A value as Arrow takes it for the type of its field."""
    if value is None:
        return None
    if isinstance(kind, _List):
        return [_shaped(one, kind.of) for one in value]
    if isinstance(kind, dict) and kind:
        return {name: _shaped(value.get(name), of) for name, of in kind.items()}
    if kind == "float":
        return float(value)
    if kind == "utc":
        return value.astimezone(UTC)
    if kind in ("text", {}):
        return value if isinstance(value, str) else _text(value)
    return value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_text_of)


def _text_of(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
