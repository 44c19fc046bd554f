"""The table of pages of a corpus, bucket by bucket, while a crawl may be adding others."""

from __future__ import annotations

import hashlib
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import StoreError
from quarkcrawl.store import MARKER, N_BUCKETS
from quarkcrawl.store.tables import snapshot
from quarkcrawl.template import PagePlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow.dataset as ds

    from quarkcrawl.store import Corpus


_TRIES: Final = 100
_BATCH_ROWS: Final = 4096
_T = TypeVar("_T")


def corpus_identity(root: Path) -> str:
    """What tells this corpus from another whose results might go to the same folder."""
    return (root / MARKER).read_text(encoding="utf-8").strip()


class PageRows:
    """Rows of the table of pages; the columns of a bucket are in memory at once.

    Args:
        corpus: may be written to meanwhile.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._pages = corpus.table("page")

    def read(self, read: Callable[[ds.Dataset], _T]) -> _T:
        """Read the table; it is opened anew when a crawl has merged parts meanwhile.

        Args:
            read: what is done with the table; it may be called again.

        Raises:
            StoreError: it changes faster than it can be read.
        """
        for _ in range(_TRIES):
            try:
                return read(self._pages)
            except FileNotFoundError:
                self._pages = self._corpus.table("page")
        raise StoreError("the table changes faster than it can be read", where=self._corpus.root)

    def of_bucket(self, number: int, columns: Sequence[str]) -> pa.Table:
        """Pages of a bucket by host and offset; of several records of a URL the last.

        Args:
            number: which bucket.
            columns: ``url``, ``host``, ``offset``, and what else is wanted.
        """
        how = {"columns": list(columns), "filter": pc.field("bucket") == number}
        # Metadata of all files would stay in memory, .2 MiB each.
        table = self.read(lambda pages: pages.to_table(**how, cache_metadata=False))
        table = table.sort_by([("host", "ascending"), ("offset", "ascending")])
        index = pa.array(np.arange(table.num_rows))
        # Arrow's threads would let go of memory of Python, maybe at its end (see `open_part`).
        by_url = pa.table({"url": table["url"], "index": index}).group_by("url", use_threads=False)
        last = by_url.aggregate([("index", "max")])["index_max"]
        return table if len(last) == table.num_rows else table.take(last.sort())

    def places(self) -> Iterator[PagePlace]:
        """Where all pages are, as they lie in the files of records."""
        for number in range(N_BUCKETS):
            yield from starmap(PagePlace, rows_of(self.of_bucket(number, PagePlace._fields)))

    def state(self) -> str:
        """What tells the table from what it will be when pages are added."""
        root = self._corpus.root
        return state_of_files(page_files(root), root)


def rows_of(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a table as tuples; some thousands are in memory as Python objects."""
    for batch in table.to_batches(_BATCH_ROWS):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def page_files(root: Path) -> list[Path]:
    """The files of the table of pages as it is now."""
    seen = snapshot(root, "page")
    return [part.path for part in seen.parts] + [path for _, path in seen.journals]


def state_of_files(paths: Iterable[Path], root: Path | None = None) -> str:
    """Names, seen from ``root`` on, and sizes of files in a word."""
    names = ((path if root is None else path.relative_to(root), path) for path in paths)
    sizes = "\n".join(f"{name} {path.stat().st_size}" for name, path in names)
    return hashlib.blake2b(sizes.encode(), digest_size=16).hexdigest()
