"""Web graphs in files: written and read as Common Crawl does, ranked whatever their size."""

from quarkcrawl.rank.webgraph.centrality import harmonic_centrality
from quarkcrawl.rank.webgraph.job import WebGraphReport, rank_webgraph, write_webgraph
from quarkcrawl.rank.webgraph.stored import StoredLinks, store_links

__all__ = [
    "StoredLinks",
    "WebGraphReport",
    "harmonic_centrality",
    "rank_webgraph",
    "store_links",
    "write_webgraph",
]
