"""Find the content of a page among its blocks."""

from quarkcrawl.content.extract import METHODS, extract
from quarkcrawl.content.result import Content, Item, Metadata, Span

__all__ = ["METHODS", "Content", "Item", "Metadata", "Span", "extract"]
