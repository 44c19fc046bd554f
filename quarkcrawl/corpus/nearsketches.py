"""Feature codes of all texts of a corpus, a Parquet file a bucket.

A file is written anew only when the pages of its bucket or the rule have changed, so a run that was
stopped goes on where it was. The codes are kept as strings of ten characters, which any engine can
count and compare.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl.corpus.extraction import extractions
from quarkcrawl.dedup.codesketch import exact_key
from quarkcrawl.dedup.featurecode import code_strings, code_text
from quarkcrawl.dedup.fingerprint import text_md5
from quarkcrawl.dedup.reposting import without_reposting_lines
from quarkcrawl.errors import StoreError
from quarkcrawl.store.compaction import write_part
from quarkcrawl.store.layout import N_BUCKETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow.dataset as ds

    from quarkcrawl.dedup import CodeRule
    from quarkcrawl.store import Corpus

__all__ = ["SKETCHES", "Texts", "write_sketches"]

SKETCHES: Final = pa.schema(
    [
        ("url", pa.string()),
        ("host", pa.string()),
        ("fetched_at", pa.float64()),
        ("page_md5", pa.string()),
        ("text_md5", pa.string()),
        ("n_chars", pa.int32()),
        ("head", pa.list_(pa.string())),
        ("tail", pa.list_(pa.string())),
        ("exact", pa.uint64()),
    ]
)
"""Columns of a sketch file."""

_PAGE_COLUMNS: Final = ["url", "host", "offset", "fetched_at", "md5"]
_NOTE: Final = b"quarkcrawl_near"


class Texts:
    """Where the texts of a corpus come from.

    Args:
        corpus: the corpus.
        extraction: method of an extraction that was run on it; None for the content that the
            crawl stored.
        least_chars: shorter texts are passed over: a headline or a date that is all the text of
            two pages does not make them the same article.

    Raises:
        StoreError: there is no such extraction.
    """

    def __init__(self, corpus: Corpus, extraction: str | None, least_chars: int) -> None:
        self._pages = corpus.table("page")
        self._results: ds.Dataset | None = None
        self.name = "crawl"
        self.least_chars = least_chars
        if extraction is not None:
            self._results = extractions(corpus.root, extraction)
            self.name = extraction

    def of_bucket(self, number: int) -> list[dict[str, Any]]:
        """Rows with url, host, offset, fetched_at, md5 and content_text; the last of a URL."""
        here = pc.field("bucket") == number
        stored = ["content_text"] if self._results is None else []
        pages = self._pages.to_table(columns=[*_PAGE_COLUMNS, *stored], filter=here).to_pylist()
        pages.sort(key=lambda page: page["offset"])
        rows = {page["url"]: page for page in pages}
        if self._results is not None:
            found = self._results.to_table(columns=["url", "content_text"], filter=here)
            texts = dict(zip(*(column.to_pylist() for column in found.columns), strict=True))
            for url, row in rows.items():
                row["content_text"] = texts.get(url)
        least = max(self.least_chars, 1)
        return [row for row in rows.values() if len(row["content_text"] or "") >= least]


def write_sketches(
    texts: Texts, rule: CodeRule, folder: Path, on_bucket: Callable[[int, int], None]
) -> bool:
    """Bring the sketch files of a folder up to date.

    Args:
        texts: the texts.
        rule: how many codes are taken, and whether lines are left out.
        folder: where the files are.
        on_bucket: called after each bucket with its number and how many texts it has.

    Returns:
        Whether anything has changed.

    Raises:
        StoreError: the folder cannot be written.
    """
    changed = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(N_BUCKETS):
            rows = texts.of_bucket(number)
            path = folder / f"bucket-{number}.parquet"
            note = _note(rows, texts.name, rule)
            if _noted(path) != (note if rows else None):
                changed = True
                path.unlink(missing_ok=True)
                if rows:
                    write_part(_table(rows, rule, note), path)
            on_bucket(number, len(rows))
    except OSError as error:
        raise StoreError(f"cannot write ({error.strerror})", where=folder) from error
    return changed


def _note(rows: list[dict[str, Any]], source: str, rule: CodeRule) -> bytes:
    """What a file was made from."""
    kept = {
        "source": source,
        "rule": asdict(rule),
        "texts": len(rows),
        "state": text_md5("".join(f"{row['url']} {row['offset']}\n" for row in rows)),
        "chars": sum(len(row["content_text"]) for row in rows),
    }
    return json.dumps(kept, sort_keys=True).encode()


def _noted(path: Path) -> bytes | None:
    try:
        metadata: dict[bytes, bytes] = pq.read_schema(path).metadata or {}
    except FileNotFoundError:
        return None
    except (OSError, pa.ArrowInvalid):  # damaged: it is made again
        return b""
    return metadata.get(_NOTE, b"")


def _table(rows: list[dict[str, Any]], rule: CodeRule, note: bytes) -> pa.Table:
    sketches = pa.Table.from_pylist(list(_sketches(rows, rule)), schema=SKETCHES)
    return sketches.replace_schema_metadata({_NOTE: note})


def _sketches(rows: list[dict[str, Any]], rule: CodeRule) -> Iterator[dict[str, Any]]:
    for row in rows:
        text: str = row["content_text"]
        read = without_reposting_lines(text) if rule.strips_lines else text
        coded = code_text(read, n_head=rule.n_codes, n_tail=rule.n_tail_codes)
        yield {
            "url": row["url"],
            "host": row["host"],
            "fetched_at": row["fetched_at"],
            "page_md5": row["md5"],
            "text_md5": text_md5(text),
            "n_chars": coded.n_chars,
            "head": code_strings(coded.head),
            "tail": code_strings(coded.tail),
            "exact": 0 if len(coded.head) else exact_key(read),
        }
