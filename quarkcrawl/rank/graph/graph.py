"""The link graph of a corpus: pages, their blocks, and the links in each block.

Two compressed row tables, one below the other, hold everything:

    page  ─ block_ptr ─►  block (content or not, size, distance)  ─ link_ptr ─►  target page

Nodes are numbered from 0: first the stored pages, then the URLs that are known only as targets.
The last block of each page is its rest: the links that stand in no block's text (pictures, frames).
With 4 bytes a link and 13 a block a graph takes 5 to 12 bytes a link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.rank.graph.passes import by_block, merge_repeats

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    FloatArray = NDArray[np.float32]


_MOST_NODES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """What is known of the blocks, page after page, the rest of each page last.

    Args:
        ptr: first block of each page, and the end.
        is_content: whether the block is content.
        size: characters of the block's text, or area of its box; not negative.
        distance: from the center of the block to that of the page, in characters or pixels;
            at least 1.
        importance: learned weight of a link in the block; None if it was not asked for.
    """

    ptr: LongArray
    is_content: NDArray[np.bool_]
    size: FloatArray
    distance: FloatArray
    importance: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.is_content)

    @classmethod
    def one_each(cls, n_pages: int) -> PageBlocks:
        """Pages that were not cut: one block, the rest.

        Args:
            n_pages: how many pages there are.
        """
        ones = np.ones(n_pages, np.float32)
        return cls(np.arange(n_pages + 1), np.zeros(n_pages, bool), ones, ones)

    def pages(self) -> IntArray:
        """Page of each block."""
        sizes = np.diff(self.ptr)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Pages, blocks and links.

    Args:
        n_nodes: stored pages and targets known only by their URL.
        blocks: the blocks of the stored pages.
        link_ptr: first link of each block, and the end.
        targets: node that each link leads to; within a block in ascending order, each once.
        counts: how many links of the block lead there; None: one each.
        urls: URL of each node, where the graph was read from a corpus.
    """

    n_nodes: int
    blocks: PageBlocks
    link_ptr: LongArray
    targets: IntArray
    counts: IntArray | None = None
    urls: pa.LargeStringArray | None = None

    @property
    def n_pages(self) -> int:
        """Stored pages; nodes from here on are known only as targets."""
        return len(self.blocks.ptr) - 1

    @property
    def n_links(self) -> int:
        """Links, repeated ones counted."""
        return len(self.targets) if self.counts is None else int(self.counts.sum())

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, URLs not counted."""
        blocks = self.blocks
        arrays = (blocks.ptr, blocks.is_content, blocks.size, blocks.distance)
        optional = () if self.counts is None else (self.counts,)
        return sum(array.nbytes for array in (*arrays, self.link_ptr, self.targets, *optional))

    @classmethod
    def from_links(
        cls,
        sources: ArrayLike,
        targets: ArrayLike,
        *,
        n_nodes: int | None = None,
        blocks: PageBlocks | None = None,
        repeated: str = "each",
    ) -> LinkGraph:
        """A graph from pairs of numbers.

        Args:
            sources: page of each link, or its block where ``blocks`` are given.
            targets: node it leads to.
            n_nodes: number of nodes; None: up to the highest number.
            blocks: blocks of the pages; None: one block a node.
            repeated: ``"each"``: repeated links of a block count each; ``"block"``: once.

        Raises:
            InputError: a number is out of range.
        """
        source = np.ascontiguousarray(sources, np.int64)
        target = np.asarray(targets, np.int64)
        highest = int(max(source.max(initial=-1), target.max(initial=-1))) + 1
        n_nodes = n_nodes if n_nodes is not None else highest
        blocks = blocks or PageBlocks.one_each(n_nodes)
        _check(source, len(blocks), "source")
        _check(target, min(n_nodes, _MOST_NODES), "target")
        link_ptr, ordered = by_block(source, target.astype(np.int32), len(blocks))
        return cls.from_blocks(blocks, link_ptr, ordered, n_nodes=n_nodes, repeated=repeated)

    @classmethod
    def from_blocks(
        cls,
        blocks: PageBlocks,
        link_ptr: LongArray,
        targets: IntArray,
        *,
        n_nodes: int,
        repeated: str = "each",
        urls: pa.LargeStringArray | None = None,
    ) -> LinkGraph:
        """A graph from links that lie block by block; they are sorted in place.

        Args:
            blocks: blocks of all pages, page after page, the rest of each page last.
            link_ptr: first link of each block, and the end.
            targets: node of each link, in any order, with repetitions.
            n_nodes: number of nodes.
            repeated: see `from_links`.
            urls: URL of each node.
        """
        counted = repeated == "each"
        link_ptr, targets, counts = merge_repeats(link_ptr, targets, counted=counted)
        return cls(n_nodes, blocks, link_ptr, targets, counts, urls)


def _check(numbers: LongArray, end: int, what: str) -> None:
    bad = np.flatnonzero((numbers < 0) | (numbers >= end))
    if len(bad):
        place = int(bad[0])
        message = f"{what} {numbers[place]} is not between 0 and {end - 1}"
        raise InputError(message, where=f"link {place}")
