"""Plain text has no markup to find the content by: all of it is content.

Blocks are elements of a tree, and their roots are stored as its nodes; a text without tags has
neither, so none are made up. Nor is it called a topic page: the decision was fitted on what markup
says, and logs, licences and lists of words are plain text as well as articles. Who wants such pages
finds them by ``content_method = 'plain'``.
"""

from __future__ import annotations

from quarkcrawl.content.content import Content
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.page import Page


def plain_content(page: Page) -> Content:
    """All of a plain text; no blocks, no headline.

    Args:
        page: a page that was sent as text/plain.
    """
    lines = [line.rstrip() for line in page.html.splitlines()]
    empty = Page.from_html("", page.url)  # what looks like a tag is none
    return Content(Extraction(empty, "plain", text="\n".join(lines).strip("\n")))
