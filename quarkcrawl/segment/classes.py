"""The tag classes of the thesis (section 3.1), and ours for what HTML5 added.

Where the thesis lists a name twice, the class that its algorithm tests first is kept: ``fieldset``
is S, ``td`` is B. ``LABLE`` in print is ``label``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import MAX_TAG_ID, TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TagClass(StrEnum):
    """What a tag means for the cutting of a page."""

    SUPER = "S"
    """Always the root of a block."""
    BIG = "B"
    """Root of a block once it holds enough."""
    LAYOUT = "L"
    """Makes it likelier that the elements around it are a block."""
    DISPLAY = "D"
    """No influence."""
    AFFILIATED = "A"
    """Part of another element; ignored."""
    CUSTOM = "C"
    """Chosen by the user; always the root of a block."""


_PRINTED: Final = {
    TagClass.SUPER: "head script style object fieldset frameset iframe",
    TagClass.BIG: "div td table form fieldset center noframes noscript pre body html",
    TagClass.LAYOUT: "p ul ol dl dir li dt blockquote address br hr col colgroup img menu select",
    TagClass.DISPLAY: """
        a abbr acronym area b base basefont bdo big button caption cite code dd del dfn em font
        h1 h2 h3 h4 h5 h6 i ins kbd label small strike strong sub sup q s samp span thead tfoot
        textarea u tt var o:smarttagtype
    """,
    TagClass.AFFILIATED: """
        frame input isindex legend link map meta option optgroup param td th tr tbody title
    """,
}
_ADDED: Final = {
    TagClass.SUPER: "svg template video audio canvas",
    TagClass.BIG: """
        section article main aside nav header footer figure details dialog search
    """,
    TagClass.LAYOUT: "figcaption summary",
}

THESIS_TAGS: Final[dict[TagClass, tuple[str, ...]]] = {
    kind: tuple(names.split()) for kind, names in _PRINTED.items()
}
"""Names of each class as the thesis lists them, double entries included."""

HTML5_TAGS: Final[dict[TagClass, tuple[str, ...]]] = {
    kind: tuple(names.split()) for kind, names in _ADDED.items()
}
"""Our extension: elements that did not exist in 2008."""


def _merged() -> dict[str, TagClass]:
    classes: dict[str, TagClass] = {}
    for table in (THESIS_TAGS, HTML5_TAGS):
        for kind, names in table.items():
            for name in names:
                classes.setdefault(name, kind)
    return classes


TAG_CLASSES: Final[dict[str, TagClass]] = _merged()
"""Class of each listed name, in the order in which the algorithm tests: S, B, L, D, A."""


def tag_class(name: str) -> TagClass:
    """Class of an element name; a name that is in no table acts as D.

    Args:
        name: element name, lower case.

    >>> tag_class("td").name, tag_class("b").name
    ('BIG', 'DISPLAY')
    """
    return TAG_CLASSES.get(name, TagClass.DISPLAY)


def _mask(kind: TagClass) -> NDArray[np.bool_]:
    mask = np.zeros(MAX_TAG_ID + 1, np.bool_)
    mask[[TAG_IDS[name] for name, of in TAG_CLASSES.items() if of is kind and name in TAG_IDS]] = 1
    return mask


_MASKS: Final = {kind: _mask(kind) for kind in (TagClass.SUPER, TagClass.BIG, TagClass.LAYOUT)}


def class_masks(tag: NDArray[np.int16]) -> dict[TagClass, NDArray[np.bool_]]:
    """Which nodes are S, B and L.

    Args:
        tag: tag ids of the nodes.
    """
    return {kind: mask[tag] for kind, mask in _MASKS.items()}
