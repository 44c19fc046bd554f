"""When a page was published: spellings of dates, where they stand, which one wins."""

from quarkcrawl.content.metadata.dates.forms import first_date
from quarkcrawl.content.metadata.dates.sources import Dated, DateSeeker

__all__ = ["DateSeeker", "Dated", "first_date"]
