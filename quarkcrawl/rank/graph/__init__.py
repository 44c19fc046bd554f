"""The link graph: URLs as numbers, blocks, edges in memory-mapped arrays."""

from quarkcrawl.rank.graph.blocktable import block_table
from quarkcrawl.rank.graph.build import CorpusGraph, GraphReport, corpus_graph
from quarkcrawl.rank.graph.conventions import Conventions
from quarkcrawl.rank.graph.graph import LinkGraph, PageBlocks
from quarkcrawl.rank.graph.passes import by_target, link_cuts
from quarkcrawl.rank.graph.rawtables import Labels, RowSource, labels_of
from quarkcrawl.rank.graph.urlnumbers import hosts_of

__all__ = [
    "Conventions",
    "CorpusGraph",
    "GraphReport",
    "Labels",
    "LinkGraph",
    "PageBlocks",
    "RowSource",
    "block_table",
    "by_target",
    "corpus_graph",
    "hosts_of",
    "labels_of",
    "link_cuts",
]
