"""Extractions as XML and JSON lines (thesis, sections 1.1.2 and 6.6), CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from itertools import islice
from typing import IO, TYPE_CHECKING, Final, Literal, get_args
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.template.model.fields import TemplateFields
    from quarkcrawl.template.model.model import Template


FieldsForm = Literal["json", "xml", "csv", "parquet"]
"""Forms in which fields are written; JSON is one object a line."""

FIELDS_FORMS: Final[tuple[FieldsForm, ...]] = get_args(FieldsForm)
_ABOUT: Final = ("url", "template", "similarity")
_BETWEEN: Final = " | "
_GROUP_ROWS: Final = 10_000
_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def json_lines(extractions: Iterable[TemplateFields]) -> Iterator[str]:
    """One JSON object for each page, in order."""
    for number, page in enumerate(extractions, 1):
        record = {
            "id": number,
            "url": page.url,
            "template": page.template or None,
            "similarity": round(page.similarity, 4),
            "fields": {name: list(values) for name, values in page.fields.items()},
            "dynamic": [{"gap": part.gap, "text": part.text} for part in page.dynamic],
        }
        yield json.dumps(record, ensure_ascii=False)


def xml_lines(extractions: Iterable[TemplateFields]) -> Iterator[str]:
    """One XML document, line by line; a field with several values is repeated."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<documents>"
    for number, page in enumerate(extractions, 1):
        about = f'id="{number}" url={_attribute(page.url)} template={_attribute(page.template)}'
        yield f'<document {about} similarity="{page.similarity:.4f}">'
        for name, values in page.fields.items():
            yield from (f"<{name}>{_text(value)}</{name}>" for value in values)
        for part in page.dynamic:
            yield f'<dynamic gap="{part.gap}">{_text(part.text)}</dynamic>'
        yield "</document>"
    yield "</documents>"


def csv_lines(extractions: Iterable[TemplateFields], names: Sequence[str]) -> Iterator[str]:
    """A table with a column for each field, RFC 4180; several values have `` | `` between them.

    Args:
        extractions: what templates gave of pages.
        names: the fields, in the order of their columns.
    """
    yield _csv_line([*_ABOUT, *names])
    for page in extractions:
        values = [_BETWEEN.join(page.fields.get(name, ())) for name in names]
        yield _csv_line([page.url, page.template, f"{page.similarity:.4f}", *values])


def _csv_line(values: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(values)
    return line.getvalue().removesuffix("\n")


def field_names(templates: Iterable[Template]) -> list[str]:
    """Names of the fields that templates give, each once.

    Args:
        templates: some or all of a set.
    """
    return list(dict.fromkeys(name for template in templates for name in template.labels))


def write_fields(
    out: IO[bytes], form: FieldsForm, extractions: Iterable[TemplateFields], names: Sequence[str]
) -> None:
    """Write what templates gave of pages.

    Args:
        out: where to.
        form: one of `FIELDS_FORMS`.
        extractions: one for each page.
        names: the fields, for the columns of CSV and Parquet.
    """
    if form == "parquet":
        _write_parquet(out, extractions, names)
        return
    writers: dict[str, Callable[[Iterable[TemplateFields]], Iterator[str]]] = {
        "json": json_lines,
        "xml": xml_lines,
        "csv": partial(csv_lines, names=names),
    }
    # Half a pair of UTF-16 can be said in JSON, and nowhere else.
    errors = "backslashreplace" if form == "json" else "replace"
    for line in writers[form](extractions):
        out.write(f"{line}\n".encode("utf-8", errors))


def _write_parquet(
    out: IO[bytes], extractions: Iterable[TemplateFields], names: Sequence[str]
) -> None:
    """A table with a list of values for each field."""
    import pyarrow as pa  # noqa: PLC0415 - slow, and for one form only
    import pyarrow.parquet as pq  # noqa: PLC0415

    about = [("url", pa.string()), ("template", pa.string()), ("similarity", pa.float64())]
    schema = pa.schema([*about, *((name, pa.list_(pa.string())) for name in names)])
    left = iter(extractions)
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        while group := list(islice(left, _GROUP_ROWS)):
            columns = [
                [_whole(page.url) for page in group],
                [page.template or None for page in group],
                [round(page.similarity, 4) for page in group],
                *(
                    [list(map(_whole, page.fields.get(name, ()))) for page in group]
                    for name in names
                ),
            ]
            arrays = [
                pa.array(values, kind.type) for values, kind in zip(columns, schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _whole(value: str) -> str:
    """A text that Arrow takes: without halves of pairs of UTF-16."""
    return value.encode("utf-8", "replace").decode()


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("", value))


def _attribute(value: str) -> str:
    return quoteattr(_NOT_XML.sub("", value))
