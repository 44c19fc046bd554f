"""The tables and texts of a corpus, ready to be asked."""

from quarkcrawl.workbench.web.index import queries
from quarkcrawl.workbench.web.index.index import CorpusIndex
from quarkcrawl.workbench.web.index.queries import PAGE_ROWS, HostSort, PageSort, Rows

__all__ = [
    "PAGE_ROWS",
    "CorpusIndex",
    "HostSort",
    "PageSort",
    "Rows",
    "queries",
]
