"""Reading pictures: addresses and sizes as attributes give them, lazy loading included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.page import PageTree


_NUMBER: Final = re.compile(r"\s*\+?([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*(%?)")
_STYLE: Final = re.compile(
    r"(?:^|[;\s])(max-)?(width|height)\s*:\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})px", re.IGNORECASE
)
_WIDTHS: Final = ("width", "data-width", "data-original-width", "data-w", "data-rawwidth")
_HEIGHTS: Final = ("height", "data-height", "data-original-height", "data-h", "data-rawheight")
_LATE_SOURCES: Final = """
    data-src data-original data-lazy-src data-original-src data-actualsrc data-lazy data-lazyload
    data-lazyload-src data-lazy-load-src data-echo data-url data-real-src data-srcurl
    data-delayed-url data-wf-src data-orig-file data-ks-lazyload data-image-src data-img-src
    nitro-lazy-src lazy-src lazyload lazysrc original real_src file zoomfile _src
""".split()  # noqa: SIM905  (a table)
"""Where scripts look for the address that they put into ``src``, most usual first."""

_OTHER_SOURCES: Final = ("data-file", "data-image", "data-large-file", "data-img")
_LATE_SETS: Final = ("data-srcset", "data-lazy-srcset")
_MAX_BESIDE: Final = 50
"""So many elements of a ``picture`` are looked at for each of its pictures."""
_NO_PICTURE: Final = ("data:", "about:", "javascript:", "#")
_PLACEHOLDER: Final = re.compile(
    r"(?:(?<![^/])|[_-])(?:blank|spacer?|placeholder|lazy(?:load(?:ing)?)?|loading|transparent|pixel|grey|"
    r"gray|none|default-?img|1x1|clear|dot)\d*\.(?:gif|png|jpe?g|svg|webp)(?:[?#]|$)",
    re.IGNORECASE,
)
"""Names of files that only keep the place of a picture that comes later."""

_DESCRIPTOR: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)[wx](?:,(.*))?,?")


@dataclass(frozen=True, slots=True)
class PictureSize:
    """Width and height in CSS pixels; None where a page does not say."""

    width_px: float | None
    height_px: float | None


def _pixels(value: str | None) -> float | None:
    """A length as HTML reads it; None for none, for a share of the line, and for nonsense."""
    match = _NUMBER.match(value) if value else None
    return float(match[1]) if match and not match[2] else None


def attribute_size(attrs: dict[str, str]) -> PictureSize:
    """Size by the attributes ``width`` and ``height`` alone.

    Args:
        attrs: attributes of the picture.
    """
    return PictureSize(_pixels(attrs.get("width")), _pixels(attrs.get("height")))


def declared_size(attrs: dict[str, str]) -> PictureSize:
    """Size by style, attributes and ``data-`` attributes, the first that says something.

    Args:
        attrs: attributes of the picture.
    """
    styled = {
        name.lower(): float(value)
        for limit, name, value in _STYLE.findall(attrs.get("style", ""))
        if not limit
    }
    return PictureSize(
        styled["width"] if "width" in styled else _first_length(attrs, _WIDTHS),
        styled["height"] if "height" in styled else _first_length(attrs, _HEIGHTS),
    )


def _first_length(attrs: dict[str, str], names: tuple[str, ...]) -> float | None:
    """The first of some attributes that is a length."""
    for name in names:
        pixels = _pixels(attrs.get(name))
        if pixels is not None:
            return pixels
    return None


def _keeps_place(address: str) -> bool:
    """Whether an address is none, or that of something put in place of the picture."""
    address = address.strip()
    if not address or address[:11].lower().startswith(_NO_PICTURE):
        return True
    return _PLACEHOLDER.search(address, address.rfind("/") + 1) is not None


def best_candidate(source_set: str) -> str | None:
    """The largest picture of a ``srcset``, None if it lists none.

    Args:
        source_set: value of the attribute: addresses, each with a width or a density or neither.
    """
    sizes: dict[str, float] = {}
    url = ""
    for token in source_set.split():
        match = _DESCRIPTOR.fullmatch(token) if url else None
        if match:
            sizes[url] = float(match[1])
        url = (match[2] or "" if match else token).strip(",")
        if not _keeps_place(url):
            sizes.setdefault(url, 1)
    sizes.pop("", None)
    return max(sizes, key=lambda key: sizes[key]) if sizes else None


def _first(attrs: dict[str, str], names: Iterable[str]) -> str | None:
    for name in names:
        value = attrs.get(name)
        if value and not _keeps_place(value):
            return value.strip()
    return None


def _from_sets(attrs: dict[str, str], *names: str) -> str | None:
    sources = (best_candidate(attrs[name]) for name in names if name in attrs)
    return next(filter(None, sources), None)


def picture_source(tree: PageTree, node: int) -> str:
    """Address of the picture that a reader gets to see, as written in the page.

    Scripts fill in pictures late: then ``src`` is missing or a placeholder, and the address
    stands in a ``data-`` attribute, in ``srcset``, or in a ``source`` of the ``picture`` around.

    Args:
        tree: the page.
        node: an ``img`` element.

    Returns:
        The address, "" if there is none.
    """
    attrs = tree.attrs(node)
    source = _first(attrs, _LATE_SOURCES) or _from_sets(attrs, *_LATE_SETS)
    source = source or _first(attrs, ("src",)) or _from_sets(attrs, "srcset")
    return source or _around(tree, node) or _first(attrs, _OTHER_SOURCES) or attrs.get("src", "")


def _around(tree: PageTree, node: int) -> str | None:
    """Address in a ``source`` beside the picture."""
    above = int(tree.parent[node])
    if above < 0 or tree.tags[above] != "picture":
        return None
    for other in range(above + 1, min(int(tree.end[above]), above + 1 + _MAX_BESIDE)):
        if tree.tags[other] == "source":
            source = _from_sets(tree.attrs(other), *_LATE_SETS, "srcset")
            if source:
                return source
    return None
