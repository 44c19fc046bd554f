"""Link analysis on pages and on their blocks: PageRank, QuarkRank, block-level PageRank.

`rank_corpus` does it all for a corpus (``job``): `corpus_graph` reads links, block tables,
duplicates and redirects, decides which links count and for whom, and makes a `LinkGraph`
(``graph``). A flow says who sends how much of a page's rank along which links: `pagerank_flow`,
`quarkrank_flow` (thesis, 5.1), `importance_flow` (learned weights of blocks), `blpr_flow` (Cai et
al., 2004). `iterate` walks until the ranks rest (``iterate``). Ranks
become tables (``ranktable``), of hosts too (``hosts``), and `compare_ranks` tells how two differ.
For graphs beyond the memory of one machine ``iterate`` has the same iteration as joins and sums;
``webgraph`` ranks such that lie in Common Crawl's files of vertices and edges, by blocks on disk.
"""

from quarkcrawl.rank.compare import Mover, RankingComparison, compare_ranks
from quarkcrawl.rank.graph import (
    Conventions,
    CorpusGraph,
    GraphReport,
    LinkGraph,
    PageBlocks,
    corpus_graph,
)
from quarkcrawl.rank.hosts import host_graph, host_ranks
from quarkcrawl.rank.iterate import (
    BlockMatrices,
    Flow,
    IterationOptions,
    QuarkWeights,
    Ranks,
    block_matrices,
    block_ranks_flow,
    blpr_flow,
    importance,
    importance_flow,
    iterate,
    pagerank_flow,
    quarkrank_flow,
)
from quarkcrawl.rank.job import METHODS, RankJob, RankReport, rank_corpus
from quarkcrawl.rank.ranktable import rank_names, ranks_folder, read_ranks
from quarkcrawl.rank.toplist import shared_ranks, top_hosts, top_pages

__all__ = [
    "METHODS",
    "BlockMatrices",
    "Conventions",
    "CorpusGraph",
    "Flow",
    "GraphReport",
    "IterationOptions",
    "LinkGraph",
    "Mover",
    "PageBlocks",
    "QuarkWeights",
    "RankJob",
    "RankReport",
    "RankingComparison",
    "Ranks",
    "block_matrices",
    "block_ranks_flow",
    "blpr_flow",
    "compare_ranks",
    "corpus_graph",
    "host_graph",
    "host_ranks",
    "importance",
    "importance_flow",
    "iterate",
    "pagerank_flow",
    "quarkrank_flow",
    "rank_corpus",
    "rank_names",
    "ranks_folder",
    "read_ranks",
    "shared_ranks",
    "top_hosts",
    "top_pages",
]
