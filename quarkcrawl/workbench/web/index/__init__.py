"""The tables and texts of a corpus, ready to be asked."""

from quarkcrawl.workbench.web.index import queries
from quarkcrawl.workbench.web.index.facets import (
    FACETS,
    PAGE_FILTERS,
    SEPARATOR,
    Facet,
    chosen_values,
)
from quarkcrawl.workbench.web.index.index import CorpusIndex
from quarkcrawl.workbench.web.index.links import links_of
from quarkcrawl.workbench.web.index.queries import PAGE_ROWS, HostSort, Rows
from quarkcrawl.workbench.web.index.results import EXPORTED, PageQuery, PageResult, SearchSort
from quarkcrawl.workbench.web.index.search import hit_spans, words_of

__all__ = [
    "EXPORTED",
    "FACETS",
    "PAGE_FILTERS",
    "PAGE_ROWS",
    "SEPARATOR",
    "CorpusIndex",
    "Facet",
    "HostSort",
    "PageQuery",
    "PageResult",
    "Rows",
    "SearchSort",
    "chosen_values",
    "hit_spans",
    "links_of",
    "queries",
    "words_of",
]
