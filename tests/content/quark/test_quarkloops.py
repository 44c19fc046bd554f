"""Decisions over blocks in compiled loops are those of array operations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarkcrawl.content import related
from quarkcrawl.content.quark import bayes
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
from quarkcrawl.content.words import noise_words
from quarkcrawl.page.tree.tags import TAG_IDS
from quarkcrawl.segment import QuarkRecognizer, Segmentation, SegmentOptions, as_page
from tests.segment.samples import pages

SHARES = st.floats(0.01, 0.99)
PRIORS = st.builds(Priors, SHARES, st.tuples(*[SHARES] * 7), st.tuples(*[SHARES] * 7))
LINKS_OF_PAGE = "<a>甲</a>" * 25
LONG = f"<div>{'天网搜集网页，' * 40}</div>"


def cut(html: str) -> Segmentation:
    return QuarkRecognizer(SegmentOptions(ripe_chars=5)).recognize(as_page(html))


def codes_by_arrays(found: Segmentation, links: np.ndarray) -> np.ndarray:
    """Features of each block without noise words, one bit each."""
    chars, linked, marks = found.n_chars, found.n_anchor_chars, found.n_punctuation
    plain = chars - linked
    columns = (
        *(found.has_custom, 0 * chars, 10 * marks > PUNCTUATION_PER_10_CHARS * chars),
        *(marks > PUNCTUATION, plain > LONG_TEXT_CHARS, found.over_nodes(links) > LINKS),
        linked > ANCHOR_RATIO * plain,
    )
    return sum(column.astype(int) << bit for bit, column in enumerate(columns))


@example(f"<div>{LINKS_OF_PAGE}</div>", PUBLISHED_PRIORS)
@example(f"<div>{LINKS_OF_PAGE.replace('<a', '<a href=/')}</div>{LONG}", PUBLISHED_PRIORS)
@example(f"{LONG}<p>首页，推荐。<title>甲乙丙丁戊</title><h1>甲乙丙丁戊</h1>", PUBLISHED_PRIORS)
@given(pages, PRIORS)
def test_blocks_are_judged_as_by_arrays(html: str, priors: Priors) -> None:
    found, decisions = cut(html), bayes._decisions(priors)
    short = found.n_chars < NOISE_BLOCK_CHARS
    for links in (found.tree.places("a"), found.tree.link_nodes):
        codes = codes_by_arrays(found, links)
        likely, matters, links_matter = bayes._judge(found, links, decisions)
        np.testing.assert_array_equal(bayes._codes(found, links), codes)
        np.testing.assert_array_equal(likely, decisions[0, codes])
        differs = decisions[0, codes] != decisions[1, codes]
        np.testing.assert_array_equal(matters, short & differs)
        unlinked = codes & ~(1 << FEATURES.index("many_links"))
        assert links_matter == (decisions[:, codes] != decisions[:, unlinked]).any()
    by_features = bayes.log_odds(bayes.features(found, noise_words()), priors) > 0
    np.testing.assert_array_equal(bayes.accepted(found, noise_words(), priors), by_features)


@given(st.lists(st.booleans(), max_size=12).map(lambda kinds: np.array(kinds, np.bool_)))
def test_distances_as_by_arrays(content: np.ndarray) -> None:
    chosen, numbers = content.nonzero()[0], np.arange(len(content))
    expected = np.abs(numbers[:, None] - chosen).min(axis=1, initial=len(content) + 1)
    np.testing.assert_array_equal(related._distance(content), expected)


@pytest.mark.parametrize("name", ["a", "h1"])
def test_places_that_a_tree_keeps_cannot_be_written_to(name: str) -> None:
    tree = cut(f"<{name} href=/>甲</{name}>").tree
    assert TAG_IDS[name] >= 0
    assert not tree.places(name).flags.writeable
    assert not tree.link_nodes.flags.writeable
