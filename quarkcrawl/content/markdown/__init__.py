"""Content as Markdown."""

from quarkcrawl.content.markdown.escape import (
    escaped_heading,
    escaped_line,
    escaped_text,
    link_target,
)
from quarkcrawl.content.markdown.render import markdown_of, structure_of

__all__ = [
    "escaped_heading",
    "escaped_line",
    "escaped_text",
    "link_target",
    "markdown_of",
    "structure_of",
]
