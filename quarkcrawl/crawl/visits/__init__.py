"""Returning visits: stored pages are asked for again, each when a change may be expected."""

from quarkcrawl.crawl.visits.book import BOOK, KnownList, KnownPage, VisitBook
from quarkcrawl.crawl.visits.returning import Returning
from quarkcrawl.crawl.visits.schedule import History, VisitSchedule

__all__ = ["BOOK", "History", "KnownList", "KnownPage", "Returning", "VisitBook", "VisitSchedule"]
