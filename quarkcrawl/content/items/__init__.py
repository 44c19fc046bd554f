"""Topic items: the paragraphs, tables and pictures of the content, in order."""

from quarkcrawl.content.items.api import (
    RegionExtraction,
    region_extraction,
    topic_items,
    topic_region,
)
from quarkcrawl.content.items.build import items_of
from quarkcrawl.content.items.from_runs import region_of_runs
from quarkcrawl.content.items.ibdom import IbDomOptions
from quarkcrawl.content.items.model import Cell, Item, Paragraph, Picture, Table
from quarkcrawl.content.items.options import ItemOptions
from quarkcrawl.content.items.region import BlockRule, PictureRule, TopicRegion
from quarkcrawl.content.items.serialize import (
    item_columns,
    item_fields,
    items_as_html,
    items_as_json,
    items_as_markdown,
    table_as_csv,
)

__all__ = [
    "BlockRule",
    "Cell",
    "IbDomOptions",
    "Item",
    "ItemOptions",
    "Paragraph",
    "Picture",
    "PictureRule",
    "RegionExtraction",
    "Table",
    "TopicRegion",
    "item_columns",
    "item_fields",
    "items_as_html",
    "items_as_json",
    "items_as_markdown",
    "items_of",
    "region_extraction",
    "region_of_runs",
    "table_as_csv",
    "topic_items",
    "topic_region",
]
