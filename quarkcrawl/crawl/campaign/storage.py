"""Where a crawl keeps what it got and what it has yet to get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.frontier import BatchedFrontier, Frontier
    from quarkcrawl.store import CorpusWriter


@dataclass(frozen=True, slots=True)
class CrawlStorage:
    """Corpus and frontier of one crawl.

    Args:
        writer: the corpus.
        frontier: the URLs.
        shared: the same frontier if it is on a server.
    """

    writer: CorpusWriter
    frontier: Frontier
    shared: BatchedFrontier | None
