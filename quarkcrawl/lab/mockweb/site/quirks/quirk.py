"""What a hostile habit of a host is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site import text, words
from quarkcrawl.lab.mockweb.site.model import Anchor, Document, Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from quarkcrawl.lab.mockweb.site.site import Site


@dataclass(frozen=True, slots=True)
class Quirk:
    """A hostile habit: pages under a path of their own.

    Args:
        prefix: how its paths begin; "" if it only adds links to pages that exist anyway.
        entries: links to it on the home page.
        look: what a path (with query) under the prefix is; None is a 404.
    """

    prefix: str
    entries: Callable[[Site], Iterable[Anchor]]
    look: Callable[[Site, str], Resource | None]


def anchor(
    site: Site, target: str, label: str, *, href: str = "", nofollow: bool = False
) -> Anchor:
    """A link to a path of the same site."""
    return Anchor(site.origin + target, label, "service", href, nofollow)


def special(site: Site, target: str, title: str, **fields: object) -> Document:
    """A page of a quirk: a title, a paragraph of its own, the site's frame."""
    dice = site.dice("special", target)
    fields = {"notice": text.paragraph(dice, words.NOUNS)} | fields
    return site.page(site.origin + target, "info", title, **fields)


def stored(site: Site, target: str, title: str, **fields: object) -> Resource:
    """A page of a quirk that is to be stored."""
    return Resource(document=special(site, target, title, **fields))
