"""The measures that ours is compared with."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.lab.baselines.measures import MEASURES, compare, paths, shingles
from quarkcrawl.lab.baselines.treedistance import tree_distance, tree_of
from tests.template.samples import letters, relaxed, sequence, sequence_of, skeleton, tree

trees = tree.map(lambda made: sequence_of(skeleton(made), "none"))


@pytest.mark.full
@relaxed
@given(trees, trees, st.sampled_from(sorted(MEASURES)))
def test_every_measure_is_symmetric_in_bounds_and_one_for_equals(a, b, name):
    value = compare(name, a, b)
    assert value == pytest.approx(compare(name, b, a))
    assert -1e-9 <= value <= 1 + 1e-9
    assert compare(name, a, a) == pytest.approx(1)


def naive_distance(a, b):
    """Edit distance of two trees by the recursion on forests."""

    @cache
    def size(forest):
        return sum(1 + size(node[1]) for node in forest)

    @cache
    def distance(x, y):
        if not x or not y:
            return size(x) + size(y)
        (code_a, below_a), (code_b, below_b) = x[-1], y[-1]
        return min(
            distance(x[:-1] + below_a, y) + 1,
            distance(x, y[:-1] + below_b) + 1,
            distance(x[:-1], y[:-1]) + distance(below_a, below_b) + (code_a != code_b),
        )

    return distance((a,), (b,))


small = st.recursive(
    st.tuples(st.integers(1, 2), st.just(())),
    lambda inner: st.tuples(st.integers(1, 2), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=5,
)


@relaxed
@given(small, small)
def test_tree_distance_equals_the_recursion(a, b):
    pages = [sequence_of(skeleton(made), "none") for made in (a, b)]
    assert tree_distance(tree_of(pages[0]), tree_of(pages[1])) == naive_distance(a, b)


@relaxed
@given(trees)
def test_paths_are_equal_where_all_ancestors_are(page):
    tags, depths = page.tags, page.depths.tolist()
    spelled, open_tags = [], []
    for tag, depth in zip(tags, depths, strict=True):
        open_tags[depth:] = [tag]
        spelled.append("/".join(open_tags))
    found = paths(page.tokens).tolist()
    pairs = set(zip(spelled, found, strict=True))
    assert len(pairs) == len(set(spelled)) == len(set(found))


def test_shingles():
    found = paths(letters("abcde").tokens)
    assert len(shingles(found, 3)) == 3
    assert len(shingles(found[:2], 3)) == 1
    assert len(shingles(found[:0], 3)) == 0


def test_values_known_by_hand():
    a, b = sequence([1, 2, 2, 3], [0, 1, 1, 1]), sequence([1, 2, 4], [0, 1, 1])
    assert compare("tag-jaccard", a, b) == pytest.approx(2 / 4)
    assert compare("weighted-tags", a, b) == pytest.approx(2 * 2 / 7)
    assert compare("tag-vector", a, b) == pytest.approx(1 - 3**0.5 / (6**0.5 + 3**0.5))
    assert compare("path-set", a, b) == pytest.approx(2 / 4)
    assert compare("path-weighted", a, b) == pytest.approx(2 * (1 + 2) / (7 + 5))
    assert compare("tree-edit", a, b) == pytest.approx(1 - 2 / 4)
    assert compare("lcs", a, b) == pytest.approx(2 / 4)
    assert compare("path-shingles", a, a) == 1


def test_the_signal_of_start_and_end_tags():
    page = sequence([0, 1], [0, 1])  # <a><b></b></a>, numbers 1 and 2
    assert MEASURES["fourier"].features(page).tolist() == [1.0, 2.0, 0.0, -1.0]
    empty = sequence([])
    for name in MEASURES:
        assert compare(name, empty, empty) == 1
        assert 0 <= compare(name, empty, page) < 1
    assert np.isfinite(compare("fourier", page, letters("abcabc")))
