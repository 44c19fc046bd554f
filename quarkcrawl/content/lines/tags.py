"""Element names as the default extractor sees them: a category each, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CATEGORIES: Final = (
    "div",
    "p",
    "td th",
    "li dd dt",
    "h1",
    "h2",
    "h3 h4 h5 h6",
    "span font b strong em i u a small",
    "section article main",
    "pre code blockquote",
    "form label button select option textarea",
    "nav header footer aside",
    "figcaption figure caption",
    "body html center",
)
_MEANINGS: Final = (
    *("nav", "header", "footer", "aside", "article", "main", "form", "table", "ul ol dl", "li"),
    *("figure", "pre code", "blockquote", "p", "h1", "h2 h3 h4 h5 h6", "a", "b strong em"),
    *("section", "noscript", "select option button textarea", "label", "marquee"),
    "details dialog",
)

MEANINGS: Final = tuple(names.split()[0] for names in _MEANINGS)
"""First element name of each meaning, by bit."""

H1_BIT: Final = MEANINGS.index("h1")
"""Bit of `MEANING` for ``h1``."""


def _category() -> NDArray[np.int8]:
    table = np.zeros(MAX_TAG_ID + 1, np.int8)
    for number, names in enumerate(_CATEGORIES, 1):
        table[[TAG_IDS[name] for name in names.split()]] = number
    return table


def _meaning() -> NDArray[np.int64]:
    table = np.zeros(MAX_TAG_ID + 1, np.int64)
    for bit, names in enumerate(_MEANINGS):
        table[[TAG_IDS[name] for name in names.split()]] |= 1 << bit
    return table


CATEGORY: Final = _category()
"""Kind of element for each tag id, 0 for all others."""

MEANING: Final = _meaning()
"""Bits of `MEANINGS` for each tag id."""
