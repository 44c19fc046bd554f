"""Element names as small integers, and what HTML says about them.

Known names have fixed ids, so that tables indexed by id can be built once; other names get ids
from ``len(TAG_NAMES)`` upwards that are valid within one tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


_NAMES: Final = """
    html head body title base link meta style script noscript template
    div p span a b i u s em strong small big tt font center strike nobr mark sub sup br wbr hr
    h1 h2 h3 h4 h5 h6 hgroup pre blockquote address cite code samp kbd var dfn abbr acronym q del
    ins bdi bdo ruby rb rt rp rtc data time
    ul ol li dl dt dd dir menu menuitem
    table caption colgroup col thead tbody tfoot tr td th
    form fieldset legend label input button select optgroup option datalist textarea output
    progress meter keygen isindex
    img picture source map area figure figcaption
    iframe frame frameset noframes embed object param applet noembed
    audio video track canvas svg math
    section article main aside nav header footer details summary dialog search slot
    marquee blink bgsound basefont plaintext xmp listing image spacer multicol
    path g circle rect line polyline polygon ellipse text tspan use defs symbol desc
"""
_HIDDEN: Final = """
    head title script style template noembed noframes iframe datalist rp area base link meta param
    audio video canvas
"""
_VOID: Final = "area base br col embed hr img input link meta param source track wbr"
_RAW_TEXT: Final = "script style iframe noembed noframes xmp plaintext"
_BLOCK_LEVEL: Final = """
    address article aside blockquote body br caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html
    legend li listing main marquee menu nav noframes object ol optgroup option p plaintext pre
    search section summary table tbody textarea tfoot thead tr ul xmp
"""

TAG_NAMES: Final[tuple[str, ...]] = tuple(_NAMES.split())
"""Known element names; the position of a name is its id."""

TAG_IDS: Final[dict[str, int]] = {name: number for number, name in enumerate(TAG_NAMES)}
"""Id of each known element name."""

MAX_TAG_ID: Final = 32_767
"""Ids are 16 bits wide; on a page with more names than that, the surplus shares this id."""

HIDDEN_TAGS: Final = frozenset(_HIDDEN.split())
"""Elements whose text no browser shows (HTML Standard, section Rendering: hidden elements),
with the fall-back content of embedded media. ``noscript`` is not among them: a crawler sees what
a browser without scripting shows."""

VOID_TAGS: Final = frozenset(_VOID.split())
"""Elements that never have content."""

RAW_TEXT_TAGS: Final = frozenset(_RAW_TEXT.split())
"""Elements in which neither tags nor character references are read."""

BLOCK_LEVEL_TAGS: Final = frozenset(_BLOCK_LEVEL.split())
"""Elements that start and end a line (``br`` among them)."""

CELLS: Final = ("td", "th")
"""Elements that start and end a part of a line."""

PREFORMATTED_TAGS: Final = ("pre", "listing", "plaintext", "textarea", "xmp")
"""Elements that keep their white space; each starts and ends a line."""


def tag_flags(names: Iterable[str]) -> NDArray[np.uint8]:
    """For each tag id 1 if it is one of these names, else 0.

    Args:
        names: element names, all of them known.
    """
    flags = np.zeros(MAX_TAG_ID + 1, np.uint8)
    flags[[TAG_IDS[name] for name in names]] = 1
    return flags
