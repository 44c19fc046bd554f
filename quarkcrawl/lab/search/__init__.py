"""Known-item search: does a rank, or the choice of content blocks, help to find a certain page?

Queries are made of a corpus (``items``): a page's own headline, or what other pages call it in
their links; the page is the one right answer. BM25 over whole pages and over their content, with
and without ranks, is measured by the place of that page (``ranking``). The collection goes out in
TREC's form (``trec``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.search.items import (
    TEXTS,
    KnownItem,
    SearchPage,
    known_items,
    search_pages,
)
from quarkcrawl.lab.search.trec import write_trec

if TYPE_CHECKING:
    from quarkcrawl.lab.search.ranking import SearchResult, SearchScores, score_search

__all__ = [
    "TEXTS",
    "KnownItem",
    "SearchPage",
    "SearchResult",
    "SearchScores",
    "known_items",
    "score_search",
    "search_pages",
    "write_trec",
]

_LAZY = {"SearchResult", "SearchScores", "score_search"}
"""Names whose module needs bm25s, the extra ``search``."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.ranking"), name)
    except ImportError as error:
        raise ConfigError("search needs bm25s: pip install 'quarkcrawl[search]'") from error
