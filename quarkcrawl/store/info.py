"""What a corpus holds, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from quarkcrawl.store.layout import record_sizes
from quarkcrawl.store.shards import shard_roots
from quarkcrawl.store.tables import iter_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from quarkcrawl.store.tables import RowKind


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """Counts and sizes of a corpus.

    Args:
        hosts: hosts with at least one stored page.
        pages: stored pages.
        body_bytes: their bodies as a reader sees them.
        stored_bytes: their page.dat files, compressed.
        by_status, by_mime, by_charset, by_level, by_mark: pages by these.
        duplicates, redirects: rows of these kinds.
        drops: URLs that ended without being stored, by reason.
    """

    hosts: int
    pages: int
    body_bytes: int
    stored_bytes: int
    by_status: dict[int, int]
    by_mime: dict[str, int]
    by_charset: dict[str, int]
    by_level: dict[int, int]
    by_mark: dict[str, int]
    duplicates: int
    redirects: int
    drops: dict[str, int]


def collect_info(root: Path) -> CorpusInfo:
    """Count; a batch of rows at a time is in memory. Shards of workers count together.

    Args:
        root: a corpus, or a folder of shards.

    Raises:
        StoreError: the folder is neither a corpus nor holds shards.
    """
    shards = shard_roots(root)
    counted = _count(root, "page", ("host", "status", "mime", "charset", "level", "marks"))
    body_bytes = sum(
        pc.sum(batch.column(0)).as_py() or 0 for batch in _batches(root, "page", ["body_bytes"])
    )
    return CorpusInfo(
        hosts=len(counted["host"]),
        pages=counted["host"].total(),
        body_bytes=body_bytes,
        stored_bytes=sum(size for shard in shards for _, size in record_sizes(shard)),
        by_status=_sorted(counted["status"]),
        by_mime=_sorted(counted["mime"]),
        by_charset=_sorted(counted["charset"]),
        by_level=dict(sorted(counted["level"].items())),
        by_mark=_sorted(counted["marks"]),
        duplicates=_rows(root, "duplicate"),
        redirects=_rows(root, "redirect"),
        drops=_sorted(_count(root, "drop", ("reason",))["reason"]),
    )


def _count(root: Path, kind: RowKind, columns: Sequence[str]) -> dict[str, Counter[Any]]:
    """Value counts of some columns; of lists, their elements."""
    counts: dict[str, Counter[Any]] = {name: Counter() for name in columns}
    for batch in _batches(root, kind, columns):
        for name, counter in counts.items():
            values = batch.column(name)
            if name == "marks":
                values = pc.list_flatten(values)
            for pair in pc.value_counts(values):
                counter[pair["values"].as_py()] += pair["counts"].as_py()
    return counts


def _rows(root: Path, kind: RowKind) -> int:
    return sum(batch.num_rows for batch in _batches(root, kind, ["url"]))


def _batches(root: Path, kind: RowKind, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for shard in shard_roots(root):
        yield from iter_batches(shard, kind, columns)


def _sorted(counter: Counter[Any]) -> dict[Any, int]:
    """Most frequent first; equal counts by value."""
    return dict(sorted(counter.items(), key=lambda pair: (-pair[1], str(pair[0]))))
