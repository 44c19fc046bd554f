"""What a copy keeps of a page's markup: lists for nh3, which cleans it, and style sheets.

nh3 parses markup as browsers do and writes only what the lists name. It does not read CSS, so the
addresses in style sheets and ``style`` attributes are replaced here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import nh3

from quarkcrawl.page.text import without_surrogates
from quarkcrawl.workbench.report.pagecopy.elements import DRAWN, KEPT

if TYPE_CHECKING:
    from collections.abc import Callable


_LOOKS: Final = """
    abbr align alink alt axis bgcolor border bordercolor cellpadding cellspacing char charoff
    checked class clear color cols colspan compact datetime dir disabled face for frame headers
    height high hspace id label lang leftmargin link loading low marginheight marginwidth max
    maxlength media min multiple noshade nowrap optimum open placeholder readonly reversed rows
    rowspan rules scope selected shape size span start style summary tabindex text title topmargin
    type valign value vlink vspace width wrap background
    clip-path clip-rule cx cy d fill fill-opacity fill-rule fx fy gradientTransform gradientUnits
    offset opacity points preserveAspectRatio r rx ry stop-color stop-opacity stroke
    stroke-dasharray stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width
    transform viewBox x x1 x2 y y1 y2
"""
_ATTRIBUTES: Final = {
    "*": set(_LOOKS.split()), "a": {"href", "target"}, "use": {"href"}, "img": {"src"},
}  # fmt: skip
_LINK: Final = re.compile(r"https?:|#", re.IGNORECASE)
_PICTURE_DATA: Final = re.compile(
    r"data:image/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]", re.IGNORECASE
)
_PAINT: Final = frozenset(("clip-path", "fill", "stroke"))

NOTHING: Final = "data:,"
"""URL of no bytes, in place of one that may not be loaded."""

# Possessive throughout: a page must not make a search take the square of its length.
_COMMENT: Final = re.compile(r"/\*[\s\S]*?(?:\*/|\Z)")
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_FIXED: Final = re.compile(r"(position\s*+:\s*+)(?:fixed|sticky|-webkit-sticky)", re.IGNORECASE)
_IMPORT: Final = re.compile(r"@import\s*+(?:\"([^\"]*+)\"|'([^']*+)'|(?!url\())", re.IGNORECASE)
_IMAGES: Final = re.compile(r"(?:image-set|\bimage|\bsrc)\(", re.IGNORECASE)
_URL: Final = re.compile(
    r"""url\(\s*+(?:(?:"([^"]*+)"|'([^']*+)'|([^"'()]*+))\s*+\))?""", re.IGNORECASE
)
_IMPORTANT: Final = re.compile(r"!\s*+important", re.IGNORECASE)
_LAYOUT: Final = re.compile(
    r"(?:^|(?<=;))\s*+(?:position|top|right|bottom|left|inset|float|z-index|transform|translate|line-height"
    r"|text-indent|overflow|clip|margin|(?:min-|max-)?(?:width|height))(?:-[a-z-]++)?\s*+:[^;]*+;?",
    re.IGNORECASE,
)
_DATA: Final = re.compile(r"\s*data:(?:image|font|application/(?:x-)?font)", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[\s\"'()\\<>]")


def clean(
    markup: str,
    own_tags: frozenset[str],
    source: Callable[[str], str | None],
    *,
    lays_out: bool = True,
) -> str:
    """Markup without anything that could act or load.

    Args:
        markup: any markup.
        own_tags: elements that are kept besides those of HTML that are harmless.
        source: gives the absolute form of an address, None if it may not be loaded.
        lays_out: keep what ``style`` attributes say of places and sizes.
    """

    def attribute(tag: str, name: str, value: str) -> str | None:
        if name == "style":
            style = clean_declarations(value, source)
            return (style if lays_out else _LAYOUT.sub("", style)).strip() or None
        if name == "href":
            return value if _LINK.match(value) and (tag == "a" or value[0] == "#") else None
        if name in {"src", "background"}:
            return value if _PICTURE_DATA.match(value) else source(value)
        if name in _PAINT and ("\\" in value or "url" in value.lower()):
            return None
        return "button" if name == "type" and value.strip().lower() == "image" else value

    cleaned = nh3.clean(
        without_surrogates(markup),
        tags=KEPT | DRAWN | own_tags,
        attributes=_ATTRIBUTES,
        attribute_filter=attribute,
        generic_attribute_prefixes={"data-"},
        url_schemes={"http", "https", "data"},
    )
    return cleaned.replace("\r", "&#13;")  # parsers would make a newline of it


def clean_sheet(css: str, source: Callable[[str], str | None]) -> str:
    """A style sheet that can stand in a ``style`` element of the copy.

    What stays in place while the page scrolls would cover the rest, so it is put back into the
    flow. Addresses become absolute, or are taken out, also those that are cut off or written with
    escapes.

    Args:
        css: text of a ``style`` element.
        source: gives the absolute form of an address, None if it may not be loaded.
    """

    def letter(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else ord(match[2])
        return chr(code) if code < 128 and chr(code).isalpha() else match[0]

    def address(match: re.Match[str]) -> str:
        written = next(filter(None, match.groups()), "").strip()
        url = written if _DATA.match(written) else source(written) or NOTHING
        return f'url("{_UNSAFE.sub(lambda char: f"%{ord(char[0]):02X}", url)}")'

    def imported(match: re.Match[str]) -> str:
        is_text = match[1] is not None or match[2] is not None
        return f"@import {address(match)}" if is_text else "@none "  # an end is missing

    css = _ESCAPE.sub(letter, _COMMENT.sub("", css))
    css = _IMAGES.sub("none(", _FIXED.sub(r"\1static", css))
    css = _URL.sub(address, css)
    css = _IMPORT.sub(imported, css)
    return css.replace("</", "<\\/").replace("\0", "\ufffd")


def clean_declarations(css: str, source: Callable[[str], str | None]) -> str:
    """The declarations of a ``style`` attribute; none of them stays important.

    Args:
        css: value of the attribute.
        source: as for `clean_sheet`.
    """
    return _IMPORTANT.sub("", clean_sheet(css, source))
