"""Content as Markdown."""

from quarkcrawl.content.markdown.escape import (
    escaped_heading,
    escaped_line,
    escaped_text,
    link_target,
)
from quarkcrawl.content.markdown.render import markdown_of, structure_of
from quarkcrawl.content.markdown.tables import data_tables

__all__ = [
    "data_tables",
    "escaped_heading",
    "escaped_line",
    "escaped_text",
    "link_target",
    "markdown_of",
    "structure_of",
]
