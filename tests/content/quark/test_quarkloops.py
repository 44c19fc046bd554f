"""Decisions over blocks in compiled loops are those of array operations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarkcrawl.content import related
from quarkcrawl.content.distances import distances
from quarkcrawl.content.quark import bayes
from quarkcrawl.content.quark.priors import PUBLISHED_PRIORS, Priors
from quarkcrawl.content.words import noise_words
from quarkcrawl.page.tree.tags import TAG_IDS
from quarkcrawl.segment import Segmentation, SegmentOptions, as_page
from quarkcrawl.segment.quark.custom import custom_nodes
from quarkcrawl.segment.quark.kernels import recognize
from tests.segment.samples import pages

SHARES = st.floats(0.01, 0.99)
PRIORS = st.builds(Priors, SHARES, st.tuples(*[SHARES] * 7), st.tuples(*[SHARES] * 7))
LINKS = "<a>甲</a>" * 25
LONG = f"<div>{'天网搜集网页，' * 40}</div>"


def cut(html: str) -> Segmentation:
    page, options = as_page(html), SegmentOptions(ripe_chars=5)
    found = recognize(page, custom_nodes(page.tree, options), options)
    assert found is not None
    return found


@example(f"<div>{LINKS}</div>", PUBLISHED_PRIORS)
@example(f"<div>{LINKS.replace('<a', '<a href=/')}</div>{LONG}", PUBLISHED_PRIORS)
@example(f"{LONG}<p>首页，推荐。<title>甲乙丙丁戊</title><h1>甲乙丙丁戊</h1>", PUBLISHED_PRIORS)
@given(pages, PRIORS)
def test_blocks_are_judged_as_by_arrays(html: str, priors: Priors) -> None:
    found, decisions = cut(html), bayes._decisions(priors)
    for links in (found.tree.places("a"), found.tree.link_nodes):
        expected = bayes._judge(found, links, decisions)
        likely, matters, links_matter = bayes._judge_in_loops(found, links, decisions)
        np.testing.assert_array_equal(likely, expected[0])
        np.testing.assert_array_equal(matters, expected[1])
        assert links_matter == expected[2]
    by_features = bayes.log_odds(bayes.features(found, noise_words()), priors) > 0
    np.testing.assert_array_equal(bayes.accepted(found, noise_words(), priors), by_features)


@given(st.lists(st.booleans(), max_size=12).map(lambda kinds: np.array(kinds, np.bool_)))
def test_distances_as_by_arrays(content: np.ndarray) -> None:
    np.testing.assert_array_equal(distances(content), related._distance(content))


@pytest.mark.parametrize("name", ["a", "h1"])
def test_one_kind_of_array_so_that_loops_are_compiled_once(name: str) -> None:
    tree = cut(f"<{name} href=/>甲</{name}>").tree
    assert TAG_IDS[name] >= 0
    assert not tree.places(name).flags.writeable
    assert not tree.link_nodes.flags.writeable
