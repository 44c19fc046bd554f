"""Decisions of the Quark method over all blocks of a page in compiled loops.

A score of array operations would do, whose cost on the fifty blocks of a page is that of calling
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.quark import priors
from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]
    Counts = NDArray[np.int64]
    Places = NDArray[np.intp]


_CUSTOM, _, _DENSE, _MARKS, _LONG, _LINKED, _ANCHOR = (
    1 << number for number in range(len(priors.FEATURES))
)
_PUNCTUATION_PER_10_CHARS: Final = priors.PUNCTUATION_PER_10_CHARS
_PUNCTUATION: Final = priors.PUNCTUATION
_LONG_TEXT_CHARS: Final = priors.LONG_TEXT_CHARS
_LINKS: Final = priors.LINKS
_ANCHOR_RATIO: Final = priors.ANCHOR_RATIO


@compiled
def feature_codes(
    chars: Counts,
    anchor: Counts,
    marks: Counts,
    custom: BoolArray,
    links: Places,
    node_block: NDArray[np.int32],
) -> NDArray[np.uint8]:
    """Features of each block, one bit each, but for noise words (thesis, section 3.2).

    Args:
        chars: visible characters of each block.
        anchor: those of them in links.
        marks: punctuation marks of each block.
        custom: whether each block holds a customised element.
        links: nodes that count as links.
        node_block: block of each node, -1 for none.
    """
    n_links = np.zeros(len(chars) + 1, np.int64)
    for node in links:
        n_links[node_block[node]] += 1  # -1 is the entry that nobody reads
    codes = np.zeros(len(chars), np.uint8)
    for block in range(len(chars)):
        plain = chars[block] - anchor[block]
        code = _CUSTOM if custom[block] else 0
        if 10 * marks[block] > _PUNCTUATION_PER_10_CHARS * chars[block]:
            code |= _DENSE
        if marks[block] > _PUNCTUATION:
            code |= _MARKS
        if plain > _LONG_TEXT_CHARS:
            code |= _LONG
        if anchor[block] > _ANCHOR_RATIO * plain:
            code |= _ANCHOR
        if n_links[block] > _LINKS:
            code |= _LINKED
        codes[block] = code
    return codes


@compiled
def judge(
    codes: NDArray[np.uint8], short: BoolArray, decisions: BoolArray
) -> tuple[BoolArray, BoolArray, bool]:
    """Which blocks are content, noise words apart (thesis, section 3.2).

    Args:
        codes: what `feature_codes` gives.
        short: blocks in which noise words are looked for.
        decisions: whether each combination of features, one bit each, is content: as it is, and
            with a noise word.

    Returns:
        The decision without a noise word, whether one would change it, and whether fewer links
        would change anything.
    """
    likely, matters = np.zeros(len(codes), np.bool_), np.zeros(len(codes), np.bool_)
    links_matter = False
    for block in range(len(codes)):
        code = codes[block]
        for row in range(2):
            links_matter |= decisions[row, code] != decisions[row, code & ~_LINKED]
        likely[block] = decisions[0, code]
        matters[block] = short[block] and decisions[0, code] != decisions[1, code]
    return likely, matters, links_matter
