"""Headline, date, source and author of a page."""

from quarkcrawl.content.metadata.api import Metadata, metadata

__all__ = [
    "Metadata",
    "metadata",
]
