"""The main list of a page: cards, rows or items that hold most of its content."""

from quarkcrawl.content.listing.choice import content_items, filled_items
from quarkcrawl.content.listing.find import ListLimits, main_list
from quarkcrawl.content.listing.looks import node_looks

__all__ = ["ListLimits", "content_items", "filled_items", "main_list", "node_looks"]
