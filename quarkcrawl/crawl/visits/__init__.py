"""Returning visits: stored pages are asked for again, each when a change may be expected."""

from quarkcrawl.crawl.visits.book import KnownPage
from quarkcrawl.crawl.visits.returning import Returning

__all__ = ["KnownPage", "Returning"]
