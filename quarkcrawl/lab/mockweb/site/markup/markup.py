"""From a document to HTML.

Three styles stand for three ages of the Chinese web: tables with font tags, div with CSS
classes, HTML5. Variants of a style differ in class names and in the order of blocks, so that
sites of one family have templates that are alike without being the same.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader

from quarkcrawl.lab.mockweb.site.chrome import script, style
from quarkcrawl.lab.mockweb.site.traditional import TO_TRADITIONAL

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.markup.skin import Skin
    from quarkcrawl.lab.mockweb.site.model import Document


# Attributes and entities are written in the ways of each style, so nothing is escaped unasked.
_STYLES: Final = Environment(loader=PackageLoader(__package__, "pages"), auto_reload=False)  # noqa: S701
_STYLES.filters["e"] = escape


def html_of(document: Document, skin: Skin) -> str:
    """The page as text, by the file of its style in the folder ``pages``."""
    html = _STYLES.get_template(f"{skin.markup}.html").render(
        page=document,
        skin=skin,
        name=skin.name,
        links=skin.links,
        text_of=skin.text_of,
        style=style(skin.markup, skin.variant),
        script=script(skin.markup, skin.variant),
    )
    return html.translate(TO_TRADITIONAL) if skin.is_traditional else html
