"""Corpora for the tests, and what must hold of every extraction."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from quarkcrawl.corpus import extractions
from quarkcrawl.store import Corpus, CorpusWriter
from tests.store.samples import make_item

HOSTS = ("www.example.cn", "news.example.cn", "bbs.pku.edu.cn")


def add_pages(root: Path, numbers, *, keep_open: bool = False, **changes) -> CorpusWriter:
    """Store pages, the hosts in turn; ``keep_open`` leaves their rows in the journal."""
    writer = CorpusWriter(root)
    for number in numbers:
        host = HOSTS[number % len(HOSTS)]
        writer.append_page(make_item(number, **{"host": host, **changes}))
    writer.sync().acknowledged()
    if not keep_open:
        writer.close()
    return writer


def rows_of(root: Path, method: str = "quark", **where) -> dict[str, dict]:
    """The rows of an extraction by URL; no URL may have two."""
    rows = extractions(root, method, **where).to_table().to_pylist()
    assert not [url for url, n in Counter(row["url"] for row in rows).items() if n > 1]
    return {row["url"]: row for row in rows}


def assert_complete(root: Path, method: str = "quark") -> None:
    """One row a page, at its place, in its bucket."""
    rows = rows_of(root, method)
    pages = {row.url: row for row in Corpus.open(root).pages()}
    assert rows.keys() == pages.keys()
    for url, page in pages.items():
        row = rows[url]
        assert (row["host"], row["offset"], row["bucket"]) == (page.host, page.offset, page.bucket)


def parts_of(root: Path, method: str = "quark") -> dict[str, int]:
    """Files of an extraction, and how many rows each has."""
    folder = root / "analysis" / "extractions" / method
    paths = sorted(folder.glob("bucket=*/part-*.parquet"))
    return {str(p.relative_to(folder)): pq.read_metadata(p).num_rows for p in paths}
