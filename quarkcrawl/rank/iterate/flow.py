"""How rank flows: who sends how much of a page's rank to whom.

All rankings are the same walk with other senders. In PageRank the page sends, a share of its rank
to each link. In QuarkRank each page has two senders, its content and the rest of it; with learned
weights, and in BLPR, each block is one. So a link needs no weight of its own, 4 bytes each instead
of 12, and one iteration serves all:

    value[s] = coefficient[s] · rank[page[s]]        for each sender
    rank'[t] = d · Σ value[s] over links (s → t) + what is missing to 1, by teleport
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.rank.graph import by_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.rank.graph import LinkGraph

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    DoubleArray = NDArray[np.float64]


_NO_COUNTS = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Spread:
    """What arrives at a page handed on to its blocks.

    Args:
        page: page of each block.
        part: part of what the page gets that the block gets.
    """

    page: IntArray
    part: DoubleArray


@dataclass(frozen=True, slots=True)
class Flow:
    """A stochastic matrix, stored by the receivers' side.

    Args:
        in_ptr: first incoming link of each node, and the end.
        incoming: sender of each incoming link.
        page: page of each sender.
        coefficient: part of its page's rank that each link of the sender gets; the parts of a
            page sum to 1 over its links.
        is_content: whether the sender is content.
        n_links: links of each sender.
        spread: for a walk on blocks: how pages hand on to their blocks, which are then the
            nodes; ``page`` and the ranks mean blocks.
    """

    in_ptr: LongArray
    incoming: IntArray
    page: IntArray
    coefficient: DoubleArray
    is_content: NDArray[np.bool_]
    n_links: LongArray
    spread: Spread | None = None

    @property
    def n_nodes(self) -> int:
        """Number of nodes that are ranked."""
        return len(self.in_ptr) - 1 if self.spread is None else len(self.spread.page)

    @property
    def n_links_in(self) -> int:
        """Links that rank flows through, repeated ones counted."""
        return len(self.incoming)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        arrays = (self.in_ptr, self.incoming, self.page, self.coefficient, self.n_links)
        return sum(array.nbytes for array in arrays) + self.is_content.nbytes

    def content_share(self, ranks: NDArray[np.floating]) -> float:
        """Part of the rank that flows through links which flows through those in content, 0–1.

        Args:
            ranks: rank of each page.
        """
        sent = self.coefficient * self.n_links * ranks[self.page]
        total = float(sent.sum())
        return float(sent[self.is_content].sum()) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class QuarkWeights:
    """Weights of blocks (thesis, 5.1): a link in content weighs 1.5, any other .5.

    Args:
        content: weight of a link in a content block.
        other: weight of any other link.

    Raises:
        ConfigError: a weight is negative or no number.
    """

    content: float = 1.5
    other: float = 0.5

    def __post_init__(self) -> None:
        for name in ("content", "other"):
            weight = getattr(self, name)
            if not math.isfinite(weight) or weight < 0:
                message = f"the weight of {name} must be a number from 0, not {weight}"
                raise ConfigError(message, where="QuarkWeights")


def pagerank_flow(graph: LinkGraph, *, once: bool = True) -> Flow:
    """PageRank: the links of a page share its rank equally (Page et al., 1998).

    Args:
        graph: links between pages; which blocks are content does not matter.
        once: a page that links to another several times does so once.
    """
    if not once:
        return quarkrank_flow(graph, QuarkWeights(1, 1))
    page = np.arange(graph.n_pages, dtype=np.int32)
    content = np.zeros(graph.n_pages, bool)
    weight = np.ones(graph.n_pages)
    return make_flow(graph, graph.blocks.pages(), page, weight, content, once=True)


def quarkrank_flow(graph: LinkGraph, weights: QuarkWeights | None = None) -> Flow:
    """QuarkRank: a link in block i gets rank · w_i / Σ_j (n_j · w_j) (thesis, 5.1).

    Args:
        graph: links between pages, and which blocks are content.
        weights: weights of the blocks. Links that weigh nothing are none; a page without
            others is dangling.
    """
    weights = weights or QuarkWeights()
    is_content = graph.blocks.is_content
    # Senders of a page are neighbours: its rest at 2 · page, its content after it.
    key = graph.blocks.pages().astype(np.int64) * 2 + is_content
    has_links = np.diff(graph.link_ptr) > 0
    used = np.unique(key[has_links])
    sender = np.where(has_links, np.searchsorted(used, key), -1).astype(np.int32)
    content = (used & 1).astype(bool)
    weight = np.where(content, weights.content, weights.other)
    return make_flow(graph, sender, (used >> 1).astype(np.int32), weight, content)


def importance_flow(graph: LinkGraph) -> Flow:
    """QuarkRank with a learned weight for each block instead of 1.5 and .5.

    Each block with links is a sender of its own.

    Args:
        graph: the graph, built with the importance of its blocks.

    Raises:
        ConfigError: it was built without.
    """
    weight = graph.blocks.importance
    if weight is None:
        raise ConfigError("the graph was built without the importance of blocks", where="rank")
    used, sender = block_senders(graph)
    page, content = graph.blocks.pages()[used], graph.blocks.is_content[used]
    return make_flow(graph, sender, page, weight[used].astype(np.float64), content)


def block_senders(graph: LinkGraph) -> tuple[LongArray, IntArray]:
    """Blocks with links, and the place of each block among them; -1: it has none."""
    used = np.flatnonzero(np.diff(graph.link_ptr))
    sender = np.full(len(graph.blocks), -1, np.int32)
    sender[used] = np.arange(len(used), dtype=np.int32)
    return used, sender


def make_flow(
    graph: LinkGraph,
    sender: IntArray,
    page: IntArray,
    weight: DoubleArray,
    is_content: NDArray[np.bool_],
    *,
    once: bool = False,
    n_pages: int | None = None,
) -> Flow:
    """Turn a graph round.

    ``sender`` has the sender of each block, -1 for blocks without links; the arrays after it have
    an entry a sender. ``weight`` is that of one link, in relation to others of the page. With
    ``once`` a target counts once per sender. ``n_pages`` is the number of what ``page`` numbers, if
    that is not the pages of the graph.
    """
    weight, page, is_content, sender = _without_zeros(weight, page, is_content, sender)
    counts = _NO_COUNTS if graph.counts is None else graph.counts
    links = (graph.link_ptr, graph.targets, counts, sender)
    last = np.empty(graph.n_nodes if once else 0, np.int32)
    n_links, in_ptr, incoming = by_target(*links, len(page), graph.n_nodes, last)
    n_pages = graph.n_pages if n_pages is None else n_pages
    per_page = np.bincount(page, weight * n_links, n_pages)[page]
    coefficient = np.divide(weight, per_page, out=np.zeros(len(page)), where=per_page > 0)
    return Flow(in_ptr, incoming, page, coefficient, is_content, n_links)


def _without_zeros(
    weight: DoubleArray, page: IntArray, is_content: NDArray[np.bool_], sender: IntArray
) -> tuple[DoubleArray, IntArray, NDArray[np.bool_], IntArray]:
    is_positive = weight > 0
    if is_positive.all():
        return weight, page, is_content, sender
    renumbered = np.where(is_positive, np.cumsum(is_positive) - 1, -1).astype(np.int32)
    padded = np.append(renumbered, np.int32(-1))  # sender -1 finds the last place
    return weight[is_positive], page[is_positive], is_content[is_positive], padded[sender]
