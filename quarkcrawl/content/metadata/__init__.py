"""Headline, date, source and author of a page."""

from quarkcrawl.content.metadata.api import Metadata, metadata
from quarkcrawl.content.metadata.dates import first_date

__all__ = [
    "Metadata",
    "first_date",
    "metadata",
]
