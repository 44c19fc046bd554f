"""Headline, date, source and author of a page."""

from quarkcrawl.content.metadata.api import Metadata, metadata
from quarkcrawl.content.metadata.dates import first_date
from quarkcrawl.content.metadata.language import language_of

__all__ = [
    "Metadata",
    "first_date",
    "language_of",
    "metadata",
]
