"""Which attributes an element keeps in the copy of its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.page import base_url
from quarkcrawl.page.urls import LinkResolver
from quarkcrawl.segment import escape
from quarkcrawl.workbench.report.pagecopy.stylesheets import clean_declarations

if TYPE_CHECKING:
    from quarkcrawl.page import Page


_LOOKS: Final = """
    abbr align alink alt axis bgcolor border bordercolor cellpadding cellspacing char charoff
    checked class clear color cols colspan compact datetime dir disabled face for frame headers
    height high hspace label lang leftmargin link low marginheight marginwidth max maxlength media
    min multiple noshade nowrap optimum open placeholder readonly reversed rows rowspan rules scope
    selected shape size span start style summary text topmargin type valign value vlink vspace
    width wrap
"""
_KEPT: Final = frozenset(_LOOKS.split())
_DRAWN: Final = """
    clip-path clip-rule class cx cy d fill fill-opacity fill-rule fx fy gradienttransform
    gradientunits height id offset opacity points preserveaspectratio r rx ry stop-color
    stop-opacity stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width transform viewbox width x x1 x2 y y1 y2
"""
_DRAWING: Final = frozenset(_DRAWN.split())
_DATA: Final = re.compile(r"data-(?!qk)[a-z0-9_-]+")
_OWN_ID: Final = re.compile(r"\s*qk-", re.IGNORECASE)
_PICTURE_DATA: Final = re.compile(
    r"data:image/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]", re.IGNORECASE
)
_SIZE: Final = re.compile(r"\s*(\d{1,4})(?:px)?\s*")
_LAZY: Final = ("src", "data-src", "data-original", "data-lazy-src")
_NOWHERE: Final = "#"
_CONTROLS: Final = frozenset(("button", "input", "select", "textarea"))


class Attributes:
    """Writes the attributes of elements of one page anew.

    Handlers, targets of forms and whatever is not known to be mere looks are left out.

    Args:
        page: the page; relative addresses are resolved against it.
        offline: give no address from which something would be loaded.
    """

    def __init__(self, page: Page, *, offline: bool) -> None:
        base = base_url(page.tree, page.url)
        self._tree = page.tree
        self._offline = offline
        self._resolve = LinkResolver(base, encoding=page.encoding).resolve

    def source(self, address: str) -> str | None:
        """Absolute address of something to load; None if it may not be loaded."""
        return None if self._offline else self._resolve(address)

    def of(self, node: int) -> str:
        """Attributes of an HTML element, each with a space in front."""
        attrs = self._tree.attrs(node)
        kept = {name: self._kept(name, value) for name, value in attrs.items()}
        return _written(kept | self._special(self._tree.tags[node], attrs))

    def drawing(self, node: int) -> str:
        """Attributes of an element that is part of a vector graphic."""
        attrs = self._tree.attrs(node)
        kept = {name: value for name, value in attrs.items() if name.lower() in _DRAWING}
        kept = {name: value for name, value in kept.items() if "url" not in value.lower()}
        target = attrs.get("href", attrs.get("xlink:href", ""))
        if self._tree.tags[node] == "use" and target.startswith("#"):
            kept["href"] = target
        if style := self._kept("style", attrs.get("style", "")):
            kept["style"] = style
        return _written({name: None if name == "id" and _OWN_ID.match(value) else value
                         for name, value in kept.items()})  # fmt: skip

    def box(self, node: int) -> str:
        """Attributes of the empty box in place of an embedded thing."""
        attrs = self._tree.attrs(node)
        sizes = ((name, _SIZE.fullmatch(attrs.get(name, ""))) for name in ("width", "height"))
        style = "".join(f"{name}:{match[1]}px;" for name, match in sizes if match)
        return _written({"class": attrs.get("class"), "style": style or None})

    def sheet(self, node: int) -> str | None:
        """Address of the style sheet of a ``link`` element, None if there is none to load."""
        attrs = self._tree.attrs(node)
        relations = attrs.get("rel", "").lower().split()
        if "stylesheet" not in relations or "alternate" in relations:
            return None
        return self.source(attrs.get("href", ""))

    def media(self, node: int) -> str:
        """The ``media`` attribute of a style sheet."""
        return _written({"media": self._tree.attr(node, "media") or None})

    def _kept(self, name: str, value: str) -> str | None:
        """Value of an attribute in the copy, None if it is left out."""
        if name == "style":
            return clean_declarations(value, self.source) or None
        if name == "id":
            return None if _OWN_ID.match(value) else value
        return value if name in _KEPT or _DATA.fullmatch(name) else None

    def _special(self, tag: str, attrs: dict[str, str]) -> dict[str, str | None]:
        """Attributes that mean something else, or more, on this element."""
        special: dict[str, str | None] = {}
        if tag == "a":
            special = self._link(attrs)
        elif tag == "img":
            special = {"src": self._picture(attrs), "loading": "lazy"}
        elif tag in _CONTROLS:
            special = {"tabindex": "-1"}
            if tag == "button" or attrs.get("type", "").strip().lower() == "image":
                special["type"] = "button"
        elif tag == "details":
            special = {"open": ""}
        elif "background" in attrs:
            special = {"background": self.source(attrs["background"])}
        return special

    def _link(self, attrs: dict[str, str]) -> dict[str, str | None]:
        target = attrs.get("href")
        if target is None:
            return {}
        where = self._resolve(target) or _NOWHERE
        opens = {"target": "_blank", "rel": "noopener noreferrer"} if where != _NOWHERE else {}
        return {"href": where, **opens}

    def _picture(self, attrs: dict[str, str]) -> str | None:
        """Address of a picture; of one that a script would load, where it says so."""
        for name in _LAZY:
            value = attrs.get(name, "").strip()
            if value.startswith("data:"):
                if _PICTURE_DATA.match(value) and (name != "src" or not _is_lazy(attrs)):
                    return value
            elif value and (address := self.source(value)):
                return address
        return None


def _is_lazy(attrs: dict[str, str]) -> bool:
    return any(name in attrs for name in _LAZY[1:])


def _written(attrs: dict[str, str | None]) -> str:
    return "".join(
        f' {name}="{escape(value)}"' for name, value in attrs.items() if value is not None
    )
