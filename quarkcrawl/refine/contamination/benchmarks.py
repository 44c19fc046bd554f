"""The user's files of benchmarks, item by item: text, JSON lines, Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_bytes, read_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


_KINDS: Final = {
    ".txt": "text",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON lines",
    ".parquet": "Parquet",
}


class BenchmarkItem(NamedTuple):
    """A passage of a benchmark: a question, an answer, a text that is asked about.

    Args:
        benchmark: what the benchmark is called.
        place: where the passage is: ``path:line``, or the path and the row.
        text: the passage.
    """

    benchmark: str
    place: str
    text: str


def read_benchmark(path: Path, fields: Sequence[str] = ()) -> Iterator[BenchmarkItem]:
    """The items of a file; the benchmark is called like the file, without its endings.

    Args:
        path: ``.txt``: items with empty lines between them; ``.jsonl``, ``.ndjson``, ``.json``: a
            JSON object a line; the same with ``.gz`` behind; ``.parquet``.
        fields: what is read of objects and rows: texts, or lists and objects of texts, of which
            each is an item. None: all that are texts.

    Raises:
        InputError: the file cannot be read, or lacks a field; it names file and line.
    """
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    kind = _KINDS.get(endings[-1] if endings else "")
    name = path.name.split(".", 1)[0] or path.name
    if kind == "text":
        items = _paragraphs(path)
    elif kind == "JSON lines":
        items = _fields_of(read_records(path), fields)
    elif kind == "Parquet" and path.suffix.lower() == ".parquet":
        items = _fields_of(_rows(path, fields), fields)
    else:
        raise InputError(f"no file of a benchmark; known endings: {', '.join(_KINDS)}", where=path)
    for place, text in items:
        yield BenchmarkItem(name, place, text)


def _paragraphs(path: Path) -> Iterator[tuple[str, str]]:
    """Passages between empty lines, each with its first line's number."""
    lines: list[str] = []
    first = 0
    for number, raw in enumerate(read_bytes(path).split(b"\n"), 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"no UTF-8 ({error.reason})", where=f"{path}:{number}") from error
        if line.strip():
            first = first or number
            lines.append(line)
        elif lines:
            yield f"{path}:{first}", "\n".join(lines)
            lines, first = [], 0
    if lines:
        yield f"{path}:{first}", "\n".join(lines)


def _rows(path: Path, fields: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        file = pq.ParquetFile(path)
        columns = file.schema_arrow.names
        if missing := [field for field in fields if field not in columns]:
            has = ", ".join(columns)
            raise InputError(f"has no column {missing[0]}; it has {has}", where=path)
        number = 0
        for batch in file.iter_batches(columns=list(fields) or None):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", row
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot be read ({error})", where=path) from error


def _fields_of(
    records: Iterator[tuple[str, dict[str, Any]]], fields: Sequence[str]
) -> Iterator[tuple[str, str]]:
    for place, record in records:
        for field in fields or record:
            if field not in record:
                raise InputError(f"has no field {field}; it has {', '.join(record)}", where=place)
            texts = list(_texts(record[field]))
            if fields and not texts and record[field] not in (None, "", [], {}):
                raise InputError(f"field {field} is no text", where=place)
            for text in texts:
                yield place, text


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value of JSON; as deep as its parser goes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
