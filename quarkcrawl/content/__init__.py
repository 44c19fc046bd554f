"""Find the content of a page among its blocks."""

from quarkcrawl.content.extract import METHODS, extract
from quarkcrawl.content.items import topic_items
from quarkcrawl.content.result import Content, Item, Metadata

__all__ = ["METHODS", "Content", "Item", "Metadata", "extract", "topic_items"]
