"""Many spellings of one URL: what authors write, and a crawler must see through."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.dice import Dice
    from quarkcrawl.lab.mockweb.site.model import Anchor


_PORTS = {"http": "80", "https": "443"}


def _split(url: str) -> tuple[str, str, str]:
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    return scheme, host, "/" + path


_HOSTLESS = ("{path}#comments", "/./old/..{path}", "\n  {path} ", "{encoded}")
_ALL = (
    *_HOSTLESS,
    "{scheme}://{host}{path}",
    "{SCHEME}://{HOST}:{port}{path}",
    "{scheme}://{host}.{path}",
    "//{host}{path}",
)


def _parts(url: str) -> dict[str, str]:
    scheme, host, path = _split(url)
    # The first letter of the path as a needless percent escape.
    encoded = f"/%{ord(path[1]):02X}{path[2:]}" if path[1:2].isalpha() else path
    loud = {"SCHEME": scheme.upper(), "HOST": host.upper(), "port": _PORTS[scheme]}
    return {"scheme": scheme, "host": host, "path": path, "encoded": encoded, **loud}


def _relative(url: str, page: str) -> str:
    """Relative to the page's folder, with .. where needed."""
    _, _, path = _split(url)
    _, _, here = _split(page)
    path, mark, query = path.partition("?")
    folder = posixpath.dirname(here.partition("?")[0])
    written = posixpath.relpath(path, folder or "/")
    if path.endswith("/"):
        written += "/"
    return f"{written}{mark}{query}"


def misspell(anchor: Anchor, page: str, dice: Dice, *, with_host: bool) -> Anchor:
    """Write one link in eight in another way.

    Args:
        anchor: a link within the site.
        page: URL of the page that it stands on.
        dice: the page's dice.
        with_host: spellings that name the host are allowed (not where a host has two names).
    """
    if not dice.chance(0.125):
        return anchor
    if dice.chance(0.2):
        return replace(anchor, href=_relative(anchor.url, page))
    way = dice.pick(_ALL if with_host else _HOSTLESS)
    return replace(anchor, href=way.format_map(_parts(anchor.url)))
