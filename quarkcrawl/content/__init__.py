"""Find the content of a page among its blocks."""

from quarkcrawl.content.extract import METHODS, extract
from quarkcrawl.content.items import topic_items
from quarkcrawl.content.items_model import Cell, Item, Paragraph, Picture, Table
from quarkcrawl.content.result import Content, Metadata

__all__ = [
    "METHODS",
    "Cell",
    "Content",
    "Item",
    "Metadata",
    "Paragraph",
    "Picture",
    "Table",
    "extract",
    "topic_items",
]
