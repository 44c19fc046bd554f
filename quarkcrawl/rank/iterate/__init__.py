"""The iterations: PageRank, QuarkRank and block-level PageRank."""

from quarkcrawl.rank.iterate.blpr import (
    BlockMatrices,
    block_matrices,
    block_ranks_flow,
    blpr_flow,
    importance,
)
from quarkcrawl.rank.iterate.flow import (
    Flow,
    QuarkWeights,
    importance_flow,
    pagerank_flow,
    quarkrank_flow,
)
from quarkcrawl.rank.iterate.iteration import IterationOptions, Ranks, iterate
from quarkcrawl.rank.iterate.starts import favored, read_favorites, warm_start

__all__ = [
    "BlockMatrices",
    "Flow",
    "IterationOptions",
    "QuarkWeights",
    "Ranks",
    "block_matrices",
    "block_ranks_flow",
    "blpr_flow",
    "favored",
    "importance",
    "importance_flow",
    "iterate",
    "pagerank_flow",
    "quarkrank_flow",
    "read_favorites",
    "warm_start",
]
