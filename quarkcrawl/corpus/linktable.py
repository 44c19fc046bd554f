"""The links of a corpus as one table: source, target, anchor text."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.corpus.merge import Shards
from quarkcrawl.progress import no_progress
from quarkcrawl.store.tables import LINKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables import RowKind


_KINDS: Final[tuple[RowKind, ...]] = ("page", "duplicate")

LINK_TABLE: Final = pa.schema(
    [
        ("source", pa.string()),
        ("target", pa.string()),
        *((field.name, field.type) for field in LINKS.value_type if field.name != "url"),
    ]
)
"""Columns: URL of the page, URL of the link, and what is stored of it."""


def link_batches(
    root: Path | str, *, duplicates: bool = False, on_progress: Progress = no_progress
) -> Iterator[pa.RecordBatch]:
    """All links, page by page; a batch of pages is in memory.

    Args:
        root: the corpus, or shards of a shared crawl that are not merged.
        duplicates: also the links of pages that the crawl dropped as duplicates.
        on_progress: is told of each bucket of pages.

    Raises:
        StoreError: the corpus cannot be read.
    """
    with (
        tempfile.TemporaryDirectory(prefix="quarkcrawl-") as work,
        Shards(root, Path(work) / "merge") as shards,
    ):
        for kind in _KINDS if duplicates else _KINDS[:1]:
            for rows in shards.rows(kind, ["url", "links"], on_progress):
                yield from map(_flat, rows.to_batches())


def _flat(batch: pa.RecordBatch) -> pa.RecordBatch:
    links = batch.column("links")
    counts = pc.fill_null(pc.list_value_length(links), 0).to_numpy(zero_copy_only=False)
    pages = pa.array(np.repeat(np.arange(batch.num_rows), counts))
    fields = pc.list_flatten(links)
    columns = [batch.column("url").take(pages), pc.struct_field(fields, "url")]
    columns += [pc.struct_field(fields, name) for name in LINK_TABLE.names[2:]]
    return pa.RecordBatch.from_arrays(columns, schema=LINK_TABLE)
