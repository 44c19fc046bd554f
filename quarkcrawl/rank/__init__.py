"""Link analysis on pages and on their blocks."""

from quarkcrawl.rank.blpr import block_matrices, block_ranks_flow, blpr_flow, importance
from quarkcrawl.rank.build import CorpusGraph, GraphReport, corpus_graph
from quarkcrawl.rank.conventions import Conventions
from quarkcrawl.rank.flow import Flow, QuarkWeights, pagerank_flow, quarkrank_flow
from quarkcrawl.rank.graph import Blocks, LinkGraph
from quarkcrawl.rank.iteration import IterationOptions, Ranks, iterate

__all__ = [
    "Blocks",
    "Conventions",
    "CorpusGraph",
    "Flow",
    "GraphReport",
    "IterationOptions",
    "LinkGraph",
    "QuarkWeights",
    "Ranks",
    "block_matrices",
    "block_ranks_flow",
    "blpr_flow",
    "corpus_graph",
    "importance",
    "iterate",
    "pagerank_flow",
    "quarkrank_flow",
]
