"""From a document to HTML.

Three styles stand for three ages of the Chinese web: tables with font tags, div with CSS
classes, HTML5. Variants of a style differ in class names and in the order of blocks, so that
sites of one family have templates that are alike without being the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.site.markup import div, html5, table
from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.lab.mockweb.site.markup.skin import Skin
    from quarkcrawl.lab.mockweb.site.model import Document


_RENDERERS: Final[dict[str, Callable[[Document, Skin], str]]] = {
    "table": table.render,
    "div": div.render,
    "html5": html5.render,
}


def html_of(document: Document, skin: Skin) -> str:
    """The page as text."""
    html = _RENDERERS[skin.markup](document, skin)
    return html.translate(TO_TRADITIONAL) if skin.is_traditional else html
