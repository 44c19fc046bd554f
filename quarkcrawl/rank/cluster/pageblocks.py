"""The links of pages with what their blocks make of them, by the workers' Python.

Blocks are judged by what judges them in memory (`quarkcrawl.rank.graph.block_table`), some
thousand pages at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.rank.graph import block_table, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from quarkcrawl.rank.graph import Labels, PageBlocks
    from quarkcrawl.rank.iterate import QuarkWeights


REST: Final = -1
"""Number of what is in no block."""

UNSIZED: Final = -1.0
"""Pull of a block on a page whose blocks all have no size."""

_LINK: Final = pa.struct(
    [
        ("url", pa.string()),
        ("nofollow", pa.bool_()),
        ("block", pa.int32()),
        ("content", pa.bool_()),
        ("weight", pa.float64()),
    ]
)
_SCHEMA: Final = pa.schema(
    [
        ("id", pa.int64()),
        ("url", pa.string()),
        ("n_blocks", pa.int32()),
        ("rest_weight", pa.float64()),
        ("links", pa.list_(_LINK)),
    ]
)

PAGE_COLUMNS: Final = (
    "id BIGINT, url STRING, n_blocks INT, rest_weight DOUBLE, links ARRAY<STRUCT<url: STRING, "
    "nofollow: BOOLEAN, block: INT, content: BOOLEAN, weight: DOUBLE>>"
)
"""What `PageLinks` yields, in Spark's notation."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Gives each link of a page its block and the weight that the block has by a method.

    Args:
        method: as in `quarkcrawl.rank.RankJob`.
        weights: how QuarkRank weighs content and the rest; None: by a model, block by block.
    """

    method: str
    weights: QuarkWeights | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pages with ``id``, ``url``, ``links`` and their block tables."""
        for batch in batches:
            if batch.num_rows:
                yield self._of_pages(batch)

    def _of_pages(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        table = pa.Table.from_batches([batch])
        labels = labels_of(table, importance=self.method == "quarkrank" and self.weights is None)
        n = batch.num_rows
        n_all = int(labels.ptr[-1]) + n
        blocks = block_table(labels, np.arange(n), np.zeros(n_all, np.int64))
        weight, rest = self._weights(blocks), blocks.ptr[1:] - 1
        lists = batch.column("links")
        items = lists.flatten()
        ptr = _ends(lists)
        places = _places(labels, ptr, blocks)
        block = (places - np.repeat(blocks.ptr[:-1], np.diff(ptr))).astype(np.int32)
        block[places == np.repeat(rest, np.diff(ptr))] = REST
        links = [
            items.field("url").cast(pa.string()),
            pc.fill_null(items.field("nofollow"), False),
            pa.array(block),
            pa.array(blocks.is_content[places]),
            pa.array(weight[places]),
        ]
        structs = pa.StructArray.from_arrays(links, fields=list(_LINK))
        columns = [
            batch.column("id"),
            batch.column("url").cast(pa.string()),
            pa.array((np.diff(blocks.ptr) - 1).astype(np.int32)),
            pa.array(weight[rest]),
            pa.ListArray.from_arrays(pa.array(ptr.astype(np.int32)), structs),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)

    def _weights(self, blocks: PageBlocks) -> NDArray[np.float64]:
        """Of each block; BLPR's rest has that of one link, since its size is how many it has."""
        if self.method == "pagerank":
            return np.ones(len(blocks))
        if self.method == "quarkrank":
            if self.weights is not None:
                return np.where(blocks.is_content, self.weights.content, self.weights.other)
            assert blocks.importance is not None
            return blocks.importance.astype(np.float64)
        page, rest = blocks.pages(), blocks.ptr[1:] - 1
        pull = blocks.size.astype(np.float64) / blocks.distance
        unsized = np.bincount(page, pull, len(rest)) == 0
        pull[unsized[page]] = UNSIZED
        pull[rest] = 1 / blocks.distance[rest].astype(np.float64)
        return pull


def _ends(lists: pa.ListArray) -> NDArray[np.int64]:
    """First item of each list, and the end."""
    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _places(labels: Labels, ptr: NDArray[np.int64], blocks: PageBlocks) -> NDArray[np.int64]:
    """The block of each link among those of all pages; the rest where nothing is known of it."""
    n_links = np.diff(ptr)
    first, last = np.repeat(blocks.ptr[:-1], n_links), np.repeat(blocks.ptr[1:] - 1, n_links)
    fits = np.diff(labels.link_ptr) == n_links
    inner = np.full(len(first), REST, np.int64)
    inner[np.repeat(fits, n_links)] = labels.link_block[np.repeat(fits, np.diff(labels.link_ptr))]
    is_stored = (inner >= 0) & (inner < last - first)
    return np.where(is_stored, first + inner, last)
