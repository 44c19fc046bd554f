"""Words of two elements that source text writes as one, and readers see as two.

Scripts and templates write boxes one after the other without white space, and leave it to a style
to set them apart: ``<span class="brand">Petzl</span><span class="name">Tikkina</span>``. Within a
word elements end and start, too (``H<sub>2</sub>O``, ``<b>L</b>ondon``, code in colors). So two are
taken for separate where one ends in a small letter or a digit and the next starts with a capital
letter, and links, buttons and pieces of code beside one another wherever words would meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.page.tree.nodearrays import covered
from quarkcrawl.page.tree.tags import BLOCK_LEVEL_TAGS, CELLS, TAG_IDS, VOID_TAGS, tag_flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page.tree.parse import Attributes

    IntArray = NDArray[np.int32]


_FORMATTING: Final = "b i u s em strong small big tt font strike mark ins del q abbr acronym dfn"
_PARTS_OF_WORDS: Final = "sub sup ruby rb rt rp rtc bdo wbr nobr text tspan"
_FLAGS: Final = tag_flags(BLOCK_LEVEL_TAGS | VOID_TAGS | {*CELLS, *_PARTS_OF_WORDS.split()})
_IS_INLINE: Final = _FLAGS == 0
_IS_FORMATTING: Final = tag_flags(_FORMATTING.split()).astype(np.bool_)
_CLOSING: Final = frozenset(")]!?%”")
_LINK, _BUTTON, _CODE = (TAG_IDS[name] for name in ("a", "button", "code"))
_AS_WRITTEN: Final = tag_flags(
    ["pre", "listing", "xmp", "code", "kbd", "samp", "textarea", "svg", "math"]
)


class RunPlaces(NamedTuple):
    """What of a page tells where its words end, see `quarkcrawl.page.PageTree`."""

    tag: NDArray[np.int16]
    parent: IntArray
    end: IntArray
    run_start: IntArray
    run_end: IntArray
    run_raw: NDArray[np.bool_]
    runs: list[str]
    attrs: list[Attributes]


def runs_apart(tree: RunPlaces) -> list[int]:
    """Numbers of the runs that are a word apart from the next one, though nothing says so.

    Args:
        tree: the page.
    """
    pairs = list(_pairs(tree))
    if not pairs:
        return []
    written = _AS_WRITTEN[tree.tag].nonzero()[0]
    is_within = covered(written + 1, tree.end[written], len(tree.tag))
    return [run for run, node in pairs if not is_within[node]]


def _pairs(tree: RunPlaces) -> Iterator[tuple[int, int]]:
    """The same with the element behind, what is set as it is written included."""
    is_inline, runs = _IS_INLINE[tree.tag], tree.runs
    before = is_inline.nonzero()[0]
    before = before[tree.end[before] < len(tree.tag)]
    behind = tree.end[before]
    fits = (
        is_inline[behind]
        & (tree.parent[behind] == tree.parent[before])
        & (tree.run_end[before] == tree.run_start[behind])
        & (tree.run_end[behind] > tree.run_start[behind])
        & (tree.run_start[behind] > 0)
        & ~(_IS_FORMATTING[tree.tag[before]] & _IS_FORMATTING[tree.tag[behind]])
    )
    for first, second in zip(before[fits].tolist(), behind[fits].tolist(), strict=True):
        run = int(tree.run_start[second])
        if tree.run_raw[run - 1] or tree.run_raw[run]:
            continue
        left, right = runs[run - 1][-1:], runs[run][:1]
        if not right.isalnum() or not (left.isalnum() or left in _CLOSING):
            continue
        is_new_word = right.isupper() and not left.isupper()
        if is_new_word or _are_separate(tree, first, second):
            yield run - 1, second


def _are_separate(tree: RunPlaces, first: int, second: int) -> bool:
    """Whether two elements side by side are buttons, pieces of code or links of a class."""
    tag = int(tree.tag[first])
    if tag != tree.tag[second] or tag not in (_LINK, _BUTTON, _CODE):
        return False
    return tag != _LINK or any(name == "class" and value for name, value in tree.attrs[second])
