"""How a site dresses its pages, and the pieces of markup that all styles share."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.lab.mockweb.site.model import Anchor, Item


@dataclass(frozen=True, slots=True)
class Skin:
    """How a site dresses its pages.

    Args:
        markup: table, div or html5.
        variant: 0 to 3.
        origin: scheme and name; links to it are written from the root.
        charset: codec of the bytes.
        meta: charset named in a meta element, "" for none.
        is_traditional: write traditional characters.
    """

    markup: str
    variant: int
    origin: str
    charset: str
    meta: str
    is_traditional: bool

    def name(self, stem: str) -> str:
        """A class or id name of this variant."""
        return (stem, f"{stem}_box", f"m-{stem}", f"c{stem.title()}")[self.variant]

    def link(self, anchor: Anchor, extra: str = "") -> str:
        """An ``a`` element."""
        rel = ' rel="nofollow"' if anchor.nofollow else ""
        href = escape(anchor.written(self.origin))
        return f'<a href="{href}"{rel}{extra}>{escape(anchor.text, quote=False)}</a>'

    def links(self, anchors: Iterable[Anchor], before: str, after: str) -> str:
        """Links, each between two pieces of markup."""
        return "\n".join(f"{before}{self.link(anchor)}{after}" for anchor in anchors)

    def text_of(self, item: Item) -> str:
        """The inside of a paragraph: its text, with its link if it has one."""
        if item.anchor is None:
            return escape(item.text, quote=False)
        before, _, after = item.text.partition(item.anchor.text)
        return escape(before) + self.link(item.anchor) + escape(after)


def body_bytes(html: str, skin: Skin) -> bytes:
    """The page in the site's charset; what that lacks is written as a character reference."""
    return html.encode(skin.charset, "xmlcharrefreplace")
