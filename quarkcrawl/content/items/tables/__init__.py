"""Tables as people read them: cells with the headers that hold for them."""

from quarkcrawl.content.items.tables.definitions import definition_lists, entries, read_definitions
from quarkcrawl.content.items.tables.index import TableIndex, not_inside_another
from quarkcrawl.content.items.tables.read import read_table
from quarkcrawl.content.items.tables.typing import data_tables, outermost

__all__ = [
    "TableIndex",
    "data_tables",
    "definition_lists",
    "entries",
    "not_inside_another",
    "outermost",
    "read_definitions",
    "read_table",
]
