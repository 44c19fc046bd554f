"""Lists of URLs that sites publish: sitemaps and feeds, from bytes to entries.

`parse_list` reads sitemap indexes, sitemaps (with news and languages), text sitemaps, RSS 0.9x, 1.0
and 2.0, Atom and JSON Feed, as far as they can be read, within bounds. Nothing is fetched, no
entity is expanded, nothing is raised, whatever the input.
"""

from quarkcrawl.page.lists.model import ListBounds, ListedUrl, ListKind, PublishedList
from quarkcrawl.page.lists.read import parse_list

__all__ = ["ListBounds", "ListKind", "ListedUrl", "PublishedList", "parse_list"]
