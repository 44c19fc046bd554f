"""Items of a page's main list as users see them: title, teaser, link, price, date."""

from quarkcrawl.content.list_items.prices import price_in
from quarkcrawl.content.list_items.read import ListItem, list_item_fields, list_items_of

__all__ = ["ListItem", "list_item_fields", "list_items_of", "price_in"]
