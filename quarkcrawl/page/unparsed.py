"""A page that the parser did not survive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.page.page import Page
from quarkcrawl.page.tree import PageTree

if TYPE_CHECKING:
    from quarkcrawl.page.links import Link

__all__ = ["UnparsedPage"]


class UnparsedPage(Page):
    """A page whose document must not be parsed: it has bytes and text, but no tree or links."""

    __slots__ = ()

    @property
    def tree(self) -> PageTree:
        """An empty document."""
        return PageTree.parse("")

    @property
    def links(self) -> tuple[Link, ...]:
        """None."""
        return ()
