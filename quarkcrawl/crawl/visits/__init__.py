"""Returning visits: stored pages are asked for again, each when a change may be expected."""

from quarkcrawl.crawl.visits.book import BOOK, KnownPage, VisitBook
from quarkcrawl.crawl.visits.returning import Returning
from quarkcrawl.crawl.visits.schedule import History, VisitSchedule

__all__ = ["BOOK", "History", "KnownPage", "Returning", "VisitBook", "VisitSchedule"]
