"""Headline, date, source and author of a page."""

from quarkcrawl.content.metadata.api import Metadata, metadata
from quarkcrawl.content.metadata.headline import (
    headline,
    squeezed,
    without_headline,
    without_page_headline,
)

__all__ = [
    "Metadata",
    "headline",
    "metadata",
    "squeezed",
    "without_headline",
    "without_page_headline",
]
