"""Which elements of a page its copy keeps, and under which name.

What is not known to be harmless is not kept: it becomes an element of our own, whose name starts
with ``qk-``; browsers treat such elements as plain inline boxes and style sheets of the page do not
know them.
"""

from __future__ import annotations

import re
from typing import Final

from quarkcrawl.page.tree import HIDDEN_TAGS, TAG_NAMES

BOXES: Final = frozenset(("iframe", "video", "audio", "canvas", "embed"))
"""Embedded things, shown as empty boxes of their size."""

LEFT_OUT: Final = (
    HIDDEN_TAGS | BOXES | frozenset(("frame", "bgsound", "basefont", "keygen", "source"))
)
"""Elements of which nothing is visible text."""

FOREIGN: Final = frozenset(("svg", "math"))
"""Roots of foreign content."""

UNWRAPPED: Final = frozenset(("select", "option", "optgroup", "textarea"))
"""Elements in which text cannot be wrapped in another element."""

NEWLINE_EATERS: Final = frozenset(("pre", "textarea"))
"""Elements whose first newline parsers drop."""

_DRAWN: Final = """
    svg g path circle rect line polyline polygon ellipse defs symbol use stop linearGradient
    radialGradient clipPath
"""
DRAWN: Final = frozenset(_DRAWN.split())
"""Elements of vector graphics that only draw."""

PARTS: Final = frozenset(name.lower() for name in DRAWN)
"""The same in small letters."""

_AS_PRE: Final = frozenset(("xmp", "plaintext", "listing"))
_NOT_KEPT: Final = """
    html head body frameset noscript object applet marquee blink isindex image menuitem dialog slot
    multicol spacer math text tspan desc
"""
KEPT: Final = frozenset(TAG_NAMES) - {*_NOT_KEPT.split()} - PARTS - LEFT_OUT - _AS_PRE
"""Elements of HTML that keep their names."""

_CUSTOM: Final = re.compile(r"(?!qk-)[a-z][a-z0-9]*-[a-z0-9-]*")


def copy_name(tag: str, *, is_plain: bool = False) -> str:
    """Name of an element in the copy.

    Args:
        tag: its name in the page.
        is_plain: give every element a name of our own, so that no rule of the HTML parser about
            which element may stand where can move any text.
    """
    name = "pre" if tag in _AS_PRE else tag
    if name in KEPT:
        return f"qk-{name}" if is_plain else name
    return name if _CUSTOM.fullmatch(name) and not is_plain else "qk-other"


_BLOCK: Final = """
    address article aside blockquote center dd details dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend main menu nav ol optgroup
    option p pre search section summary ul
"""
_TABLE: Final = {
    "table": "table",
    "caption": "table-caption",
    "thead": "table-header-group",
    "tbody": "table-row-group",
    "tfoot": "table-footer-group",
    "tr": "table-row",
    "td": "table-cell",
    "th": "table-cell",
    "li": "list-item",
}


def _fallback_sheet() -> str:
    blocks = ",".join(f"qk-{tag}" for tag in _BLOCK.split())
    tables = "".join(f"qk-{tag}{{display:{display}}}" for tag, display in _TABLE.items())
    return (
        f"{blocks}{{display:block;margin:.5em 0}}{tables}qk-pre,qk-textarea{{white-space:pre-wrap}}"
        "qk-a{text-decoration:underline}qk-td,qk-th{padding:2px 6px}"
        "qk-b,qk-strong,qk-th,qk-h1,qk-h2,qk-h3,qk-h4{font-weight:bold}"
        "qk-ul,qk-ol{padding-left:2em}"
    )


FALLBACK_SHEET: Final = _fallback_sheet()
"""What elements of our own names look like when all names are ours."""
