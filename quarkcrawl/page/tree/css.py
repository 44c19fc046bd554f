"""Which nodes of a tree a CSS selector finds.

The parser that made the tree has selectors of its own; they need its document, so the page is
parsed a second time. Elements are numbered as in the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turbohtml import Document, Element, parse

from quarkcrawl.errors import InputError
from quarkcrawl.page.tree.parse import with_shadows, without_foreign_templates

if TYPE_CHECKING:
    from quarkcrawl.page.tree.tree import PageTree


class CssFinder:
    """Finds nodes of a page by CSS.

    Args:
        html: the decoded source.
        tree: made of the same source.
    """

    def __init__(self, html: str, tree: PageTree) -> None:
        self._document = parse(without_foreign_templates(with_shadows(html)))
        elements = _selected(self._document, "*")
        # Trees of pages with a million tags, and of those that a parser cannot bear, are cut.
        is_same = [element.tag.lower() for element in elements] == [*map(str.lower, tree.tags)]
        self._number = {item: n for n, item in enumerate(elements)} if is_same else {}

    def select(self, selector: str) -> list[int]:
        """Numbers of the nodes that a selector finds, in document order.

        Args:
            selector: CSS.

        Returns:
            The nodes; none on a page whose tree is not the whole document.

        Raises:
            InputError: it is not a selector.
        """
        items = _selected(self._document, selector)
        return sorted(self._number[item] for item in items if item in self._number)


def check_css(selector: str) -> None:
    """See whether a text is a selector.

    Raises:
        InputError: it is not.
    """
    _selected(parse(""), selector)


def _selected(document: Document, selector: str) -> list[Element]:
    try:
        items = document.select(selector)
    except ValueError as error:
        raise InputError(str(error)) from error
    return [item for item in items if isinstance(item, Element)]
