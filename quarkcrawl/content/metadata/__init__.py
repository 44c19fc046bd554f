"""Headline, date, source and author of a page."""

from quarkcrawl.content.metadata.api import metadata, metadata_runs
from quarkcrawl.content.metadata.dates import first_date
from quarkcrawl.content.metadata.language import language_of
from quarkcrawl.content.metadata.shown import Metadata

__all__ = [
    "Metadata",
    "first_date",
    "language_of",
    "metadata",
    "metadata_runs",
]
