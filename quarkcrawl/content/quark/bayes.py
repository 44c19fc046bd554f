"""The Bayes side of QuarkAnalyzer: is a block content, judged by its form?

Quark thesis, section 3.2; features and probabilities are in `quarkcrawl.content.quark.priors`.
Blocks are taken to be independent, and so are the features of a block given its kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.loops import fill_features, judge
from quarkcrawl.content.quark.priors import (
    ANCHOR_RATIO,
    FEATURES,
    LINKS,
    LONG_TEXT_CHARS,
    NOISE_BLOCK_CHARS,
    PUBLISHED_PRIORS,
    PUNCTUATION,
    PUNCTUATION_PER_10_CHARS,
    Priors,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.words import WordFinder
    from quarkcrawl.segment import Segmentation

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]
    Places = NDArray[np.intp]


_NOISE_COLUMN: Final = FEATURES.index("noise_word")
_BITS: Final = 1 << np.arange(len(FEATURES))
_LIMITS: Final = (PUNCTUATION_PER_10_CHARS, PUNCTUATION, LONG_TEXT_CHARS, LINKS, ANCHOR_RATIO)
_UNLINKED: Final = sum(1 << bit for bit, name in enumerate(FEATURES) if name != "many_links")


def features(segmentation: Segmentation, noise_words: WordFinder) -> BoolArray:
    """The features of all blocks, one row a block, one column for each of `FEATURES`.

    Lengths count visible characters that are not white space. A block without any text but that
    of its links has an infinite anchor ratio, a block without any text has none.

    Args:
        segmentation: the blocks of a page.
        noise_words: finds the common noise words.
    """
    codes = _codes(segmentation, segmentation.tree.link_nodes)
    present: BoolArray = (codes[:, None] & _BITS) > 0
    short = segmentation.n_chars < NOISE_BLOCK_CHARS
    present[:, _NOISE_COLUMN] = noise_words.blocks(segmentation, short)
    return present


def accepted(segmentation: Segmentation, noise_words: WordFinder, priors: Priors) -> BoolArray:
    """Which blocks are more likely content than noise, given their features.

    The same as asking `log_odds` of all `features`, but looks for noise words, and tells links
    from other anchors, only where they make the difference.

    Args:
        segmentation: the blocks of a page.
        noise_words: finds the common noise words.
        priors: the probabilities.
    """
    decisions = _decisions(priors)
    likely, matters, links_matter = _judge(segmentation, segmentation.tree.places("a"), decisions)
    if links_matter:
        likely, matters, _ = _judge(segmentation, segmentation.tree.link_nodes, decisions)
    if matters.any():
        likely ^= matters & noise_words.blocks(segmentation, matters)
    return likely


def _judge(
    segmentation: Segmentation, links: Places, decisions: BoolArray
) -> tuple[BoolArray, BoolArray, bool]:
    """Which blocks are content, noise words apart (thesis, section 3.2).

    Args:
        segmentation: the blocks of a page.
        links: nodes that count as links.
        decisions: whether each combination of features, one bit each, is content: as it is, and
            with a noise word.

    Returns:
        The decision without a noise word, whether one would change it, and whether fewer links
        would change anything.
    """
    short = segmentation.n_chars < NOISE_BLOCK_CHARS
    likely, matters = np.empty(len(short), np.bool_), np.empty(len(short), np.bool_)
    codes = _codes(segmentation, links)
    links_matter = judge(codes, short, decisions, _UNLINKED, likely, matters)
    return likely, matters, links_matter


@lru_cache(16)
def _decisions(priors: Priors) -> BoolArray:
    """Whether each of the 128 combinations is content: as it is, and with a noise word."""
    present = (np.arange(1 << len(FEATURES))[:, None] & _BITS) > 0
    with_noise_word = present.copy()
    with_noise_word[:, _NOISE_COLUMN] = True
    return np.stack((log_odds(present, priors) > 0, log_odds(with_noise_word, priors) > 0))


def _codes(segmentation: Segmentation, links: Places) -> NDArray[np.uint8]:
    """All features of each block but that of noise words, one bit each.

    Args:
        segmentation: the blocks of a page.
        links: nodes that count as links.
    """
    counts = (segmentation.n_chars, segmentation.n_anchor_chars, segmentation.n_punctuation)
    given = *counts, segmentation.has_custom, links, segmentation.node_block
    n_links, codes = np.zeros(len(segmentation), np.int32), np.empty(len(segmentation), np.uint8)
    fill_features(*given, *_LIMITS, n_links, codes)
    return codes


def log_odds(present: BoolArray, priors: Priors = PUBLISHED_PRIORS) -> FloatArray:
    """Logarithm of P(content) / P(noise) given the features of each block.

    A feature that is absent counts with the complements of its probabilities.

    Args:
        present: features, one row a block.
        priors: the probabilities.
    """
    content, noise = np.array(priors.given_content), np.array(priors.given_noise)
    with_it = np.log(content) - np.log(noise)
    without = np.log1p(-content) - np.log1p(-noise)
    start = np.log(priors.p_content) - np.log1p(-priors.p_content) + without.sum()
    odds: FloatArray = start + present @ (with_it - without)
    return odds


def posterior(present: BoolArray, priors: Priors = PUBLISHED_PRIORS) -> FloatArray:
    """Probability that each block is content, given its features.

    Args:
        present: features, one row a block.
        priors: the probabilities.
    """
    result: FloatArray = 1 / (1 + np.exp(-log_odds(present, priors)))
    return result
