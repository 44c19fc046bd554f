"""Sitemaps and feeds as sources of URLs: which are asked, and what is taken of them."""

from quarkcrawl.crawl.lists.marks import ListMark, with_mark
from quarkcrawl.crawl.lists.sources import ListSources, Taken

__all__ = ["ListMark", "ListSources", "Taken", "with_mark"]
