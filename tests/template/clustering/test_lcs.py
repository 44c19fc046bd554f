"""Similarity and its bounds."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError
from quarkcrawl.template.clustering.lcs import align, common_weight, similarity, similarity_bound
from quarkcrawl.template.structure.weights import WEIGHTS, depth_weights, token_weights
from tests.template.samples import letters, relaxed, sequence, sequences

names = st.sampled_from(sorted(WEIGHTS))


def naive(a, b, weights):
    """Weight of the heaviest common subsequence, by trying."""
    x, y = a.tokens.tolist(), b.tokens.tolist()

    @cache
    def best(i, j):
        if i == len(x) or j == len(y):
            return 0
        found = max(best(i + 1, j), best(i, j + 1))
        return max(found, best(i + 1, j + 1) + int(weights[i])) if x[i] == y[j] else found

    return best(0, 0)


@relaxed
@given(sequences, sequences, names)
def test_weight_equals_the_naive_one_with_and_without_a_least(a, b, name):
    weights = token_weights(a.tokens, name)
    expected = naive(a, b, weights)
    assert common_weight(a.tokens, b.tokens, weights, 0) == expected
    assert common_weight(a.tokens, b.tokens, weights, expected) == expected
    assert common_weight(a.tokens, b.tokens, weights, expected + 1) == -1


@relaxed
@given(sequences, sequences, names)
def test_similarity_is_symmetric_and_one_for_equals_only(a, b, name):
    value = similarity(a, b, name)
    assert value == similarity(b, a, name)
    assert 0 <= value <= 1
    assert (value == 1) == (a.tokens.tolist() == b.tokens.tolist())
    assert similarity(a, a, name) == 1


@relaxed
@given(sequences, sequences, names)
def test_the_bound_is_one(a, b, name):
    assert similarity_bound(a, b, name) >= similarity(a, b, name)
    assert similarity_bound(a, b, name) == similarity_bound(b, a, name)


@relaxed
@given(sequences, sequences, names)
def test_an_alignment_is_common_and_as_heavy_as_can_be(a, b, name):
    weights = token_weights(a.tokens, name)
    places_a, places_b = align(a.tokens, b.tokens, weights)
    assert a.tokens[places_a].tolist() == b.tokens[places_b].tolist()
    assert (np.diff(places_a) > 0).all()
    assert (np.diff(places_b) > 0).all()
    assert weights[places_a].sum() == common_weight(a.tokens, b.tokens, weights, 0)


def walked(a, b, weights):
    """The walk through the whole table of weights."""
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            best = max(table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = table[i, j] + weights[i] if x == y else best
    i, j, found = len(a), len(b), []
    while i and j:
        if a[i - 1] == b[j - 1]:
            i, j = i - 1, j - 1
            found.insert(0, (i, j))
        elif table[i - 1, j] >= table[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return found


@relaxed
@given(sequences, sequences, sequences, names)
def test_of_several_alignments_it_is_the_one_of_the_walk(a, b, end, name):
    one, other = (np.concatenate([part.tokens, end.tokens]) for part in (a, b))
    weights = token_weights(one, name)
    places = [found.tolist() for found in align(one, other, weights)]
    assert list(zip(*places, strict=True)) == walked(one, other, weights)


def test_plain_similarity_is_length_over_the_longer():
    assert similarity(letters("abcbdab"), letters("bdcaba"), "constant") == pytest.approx(4 / 7)


def test_deep_elements_count_less():
    base = sequence([1, 2, 3, 4], [0, 1, 2, 3])
    without_deep, without_top = sequence([1, 2, 3], [0, 1, 2]), sequence([2, 3, 4], [1, 2, 3])
    assert similarity(base, without_deep) > similarity(base, without_top)
    total = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert similarity(base, without_deep) == pytest.approx(1 - 1 / 4 / total, abs=1e-3)


def test_empty_sequences():
    empty = sequence([])
    assert similarity(empty, empty) == similarity_bound(empty, empty) == 1
    assert similarity(empty, letters("a")) == 0


def test_weight_functions_decrease_and_unknown_ones_are_named():
    for name in WEIGHTS:
        assert (np.diff(depth_weights(name)) <= 0).all()
        assert (depth_weights(name) > 0).all()
    with pytest.raises(ConfigError, match="there is inverse"):
        depth_weights("invers")


@relaxed
@given(
    st.lists(st.integers(0, 3), min_size=20, max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 3), st.booleans()), max_size=12),
    names,
)
def test_long_and_nearly_equal_sequences_take_the_band_and_give_the_same(codes, edits, name):
    other = list(codes)
    for wanted, code, is_new in edits:
        place = min(wanted, len(other) - 1)
        other[place : place + (0 if is_new else 1)] = [code]
    a = sequence(codes, [code % 3 for code in codes])
    b = sequence(other, [code % 3 for code in other])
    for one, two in ((a, b), (b, a)):
        weights = token_weights(one.tokens, name)
        expected = naive(one, two, weights)
        for least in (0, expected, expected + 1):
            found = common_weight(one.tokens, two.tokens, weights, least)
            assert found == (expected if least <= expected else -1)
