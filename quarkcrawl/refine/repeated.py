"""What the texts of a corpus repeat of each other, as labels.

Copies of whole pages are left out of the search: of these one is kept anyway, and its text must
not count as repeated since another copy was fetched before it.
"""

from __future__ import annotations

import heapq
import shutil
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from quarkcrawl.engines import parquet_files
from quarkcrawl.progress import CountedStep, Progress, no_progress
from quarkcrawl.refine.repeats import SourceText, repeated_paragraphs, repeated_substrings
from quarkcrawl.refine.table import LabelTable
from quarkcrawl.store import storage_errors
from quarkcrawl.store.tables import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from quarkcrawl.engines import Engine
    from quarkcrawl.refine.repeats import RepeatedSpan


REPEATS: Final = pa.list_(
    pa.struct(
        [
            ("start", pa.int32()),
            ("end", pa.int32()),
            ("kind", pa.string()),
            ("first_url", pa.string()),
            ("first_start", pa.int32()),
        ]
    )
)
"""Pieces of a text that stand elsewhere, too: of what kind they are, and where they stood first."""

REPEAT_SCHEMA: Final = pa.schema(
    [
        *columns_of("url", "host", "offset"),
        ("text_md5", pa.string()),
        ("repeats", REPEATS),
        ("repeated_chars", pa.int32()),
    ]
)
"""Columns of the table of repeats; it has a row for each document that repeats something."""

_SEARCHED: Final = "text <> '' AND duplicate_of IS NULL AND near_of IS NULL"
_TEXTS: Final = f"""
SELECT url, host, "offset", text_md5, text FROM documents WHERE {_SEARCHED}
ORDER BY fetched_at, url
"""  # noqa: S608 - our own words
_STATE: Final = f"""
SELECT count(*) AS n, coalesce(sum(row_hash(concat(url, text_md5)) % 1000000007), 0) AS total
FROM documents WHERE {_SEARCHED}
"""  # noqa: S608 - our own words
_BATCH_ROWS: Final = 256
_PART_ROWS: Final = 4096


def repeat_table(root: Path) -> LabelTable:
    """The table of what texts repeat of each other."""
    return LabelTable(root / "analysis" / "labels" / "repeats", REPEAT_SCHEMA)


def label_repeats(engine: Engine, root: Path, on_progress: Progress = no_progress) -> int:
    """Bring the table up to date; a search that was stopped goes on if the texts are the same.

    Args:
        engine: knows ``documents``.
        root: the corpus.
        on_progress: is told of the texts, some hundred at a time.

    Returns:
        How many documents repeat something.

    Raises:
        StoreError: a part cannot be read or written.
        EngineError: the engine gave up.
    """
    table = repeat_table(root)
    on_progress("texts to be compared", 0, None)
    counted = engine.fetch(_STATE).to_pylist()[0]
    state = f"{engine.name}-{int(counted['n'])}-{int(counted['total'])}"
    noted = table.options()
    if noted is not None and noted.get("state") == state:
        return sum(pq.read_metadata(path).num_rows for path in table.files())
    work = table.path.with_name(f".repeats-{state}")
    for other in table.path.parent.glob(".repeats-*"):
        if other != work:
            shutil.rmtree(other)
    texts = work / "texts"
    if not texts.is_dir():
        engine.write(_TEXTS, texts)

    def source(what: str) -> Iterator[SourceText]:
        return _source_texts(texts, CountedStep(f"{what} of texts", on_progress, int(counted["n"])))

    paragraphs = repeated_paragraphs(lambda: source("paragraphs"), work / "paragraphs")
    substrings = repeated_substrings(lambda: source("substrings"), work / "substrings")
    spans = heapq.merge(paragraphs, substrings, key=attrgetter("document", "start", "end"))
    on_progress("repeats", 0, None)
    table.open({"state": "unfinished"}, restart=True)
    n_rows = _write(table, texts, spans)
    table.note({"state": state})
    with storage_errors(work):
        shutil.rmtree(work)
    return n_rows


def _source_texts(folder: Path, step: CountedStep) -> Iterator[SourceText]:
    for number, row in enumerate(_rows(folder, ["host", "text"], step)):
        yield SourceText(number, row["text"], row["host"])


def _rows(
    folder: Path, columns: list[str], step: CountedStep | None = None
) -> Iterator[dict[str, Any]]:
    for path in parquet_files(folder):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                yield from batch.to_pylist()
                if step is not None:
                    step.add(batch.num_rows)


def _write(table: LabelTable, texts: Path, spans: Iterable[RepeatedSpan]) -> int:
    """Write a row for each document with spans; they come in the order of the documents."""
    columns = ["url", "host", "offset", "text_md5"]
    urls = pa.chunked_array(
        [
            pq.read_table(path, columns=["url"])["url"].combine_chunks()
            for path in parquet_files(texts)
        ],
        pa.string(),
    )
    documents = enumerate(_rows(texts, columns))
    rows: list[dict[str, Any]] = []
    n_rows = 0
    for document, group in groupby(spans, key=attrgetter("document")):
        row = next(row for number, row in documents if number == document)
        spans_of_document = list(group)
        repeats = [_span(span, urls) for span in spans_of_document]
        rows.append(row | {"repeats": repeats, "repeated_chars": _n_covered(spans_of_document)})
        n_rows += 1
        if len(rows) >= _PART_ROWS:
            table.write(rows)
            rows = []
    if rows:
        table.write(rows)
    return n_rows


def _span(span: RepeatedSpan, urls: pa.ChunkedArray) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "kind": span.reason,
        "first_url": urls[span.first_document].as_py(),
        "first_start": span.first_start,
    }


def _n_covered(spans: list[RepeatedSpan]) -> int:
    n_chars = last = 0
    for span in spans:
        n_chars += max(span.end - max(span.start, last), 0)
        last = max(last, span.end)
    return n_chars
