"""Content as Markdown."""

from quarkcrawl.content.markdown.escape import (
    escaped_heading,
    escaped_line,
    escaped_text,
    link_target,
)
from quarkcrawl.content.markdown.parts import LANGUAGES
from quarkcrawl.content.markdown.render import markdown_of, structure_of
from quarkcrawl.content.markdown.tables import (
    Placed,
    cell_columns,
    cell_spans,
    data_tables,
    place_cells,
)

__all__ = [
    "LANGUAGES",
    "Placed",
    "cell_columns",
    "cell_spans",
    "data_tables",
    "escaped_heading",
    "escaped_line",
    "escaped_text",
    "link_target",
    "markdown_of",
    "place_cells",
    "structure_of",
]
