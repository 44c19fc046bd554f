"""Pruned clustering against the full matrix, and its invariants."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from quarkcrawl.errors import ConfigError
from quarkcrawl.template.clustering.cluster import (
    ClusterOptions,
    Measure,
    cluster,
    floor_of,
    smallest_connected,
)
from quarkcrawl.template.clustering.lcs import ONE, similarity
from quarkcrawl.template.clustering.pairs import similar_pairs
from quarkcrawl.template.clustering.scores import adjusted_rand_index, purity
from quarkcrawl.template.structure.sequenceset import flatten
from tests.profiles import examples
from tests.template.samples import letters, relaxed, sequence, sequences


def full_matrix(pages, floor, weight="inverse"):
    """Algorithm 3 with all similarities and nothing clever; a set of sets of digests."""
    count, by_digest = {}, {}
    for page in pages:
        count[page.digest] = count.get(page.digest, 0) + 1
        by_digest[page.digest] = page
    names = sorted(by_digest)
    near = {
        (a, b): round(similarity(by_digest[a], by_digest[b], weight) * ONE)
        for a in names for b in names
    }  # fmt: skip
    clusters = [([name], name) for name in names]
    while True:
        pairs = [
            (-near[x, y], min(x, y), max(x, y))
            for _, x in clusters for _, y in clusters
            if x != y and near[x, y] >= floor
        ]  # fmt: skip
        if not pairs:
            return {frozenset(members) for members, _ in clusters}, {c for _, c in clusters}
        _, a, b = min(pairs)
        members = [m for group, center in clusters if center in (a, b) for m in group]
        clusters = [entry for entry in clusters if entry[1] not in (a, b)]
        spread = {m: sum(count[o] * (ONE - near[m, o]) for o in members) for m in members}
        clusters.append((members, min(members, key=lambda m: (spread[m], m))))


def as_sets(pages, found):
    digests = [page.digest for page in pages]
    sets = {frozenset(digests[p] for p in found.members(k)) for k in range(len(found))}
    return sets, {digests[page] for page in found.centers.tolist()}


@settings(max_examples=examples(100))
@given(st.integers(1, 30), st.data())
def test_what_is_connected_is_that_of_scipy(n, data):
    nodes = st.integers(0, n - 1)
    pairs = data.draw(st.lists(st.tuples(nodes, nodes), max_size=40))
    a, b = np.array(pairs, np.int32).reshape(-1, 2).T
    _, expected = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)))
    found = smallest_connected(n, a, b)
    assert np.unique(found, return_inverse=True)[1].tolist() == expected.tolist()
    assert all(found[node] == np.flatnonzero(expected == expected[node])[0] for node in range(n))


similarities = st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.9, 1.0])
weights = st.sampled_from(["inverse", "constant", "geometric"])


@settings(max_examples=examples(300))
@given(st.lists(sequences, max_size=12), similarities, weights)
def test_pruned_components_equal_the_full_matrix(pages, least, weight):
    found = cluster(pages, ClusterOptions(min_similarity=least, weight=weight, workers=1))
    assert as_sets(pages, found) == full_matrix(pages, floor_of(least), weight)


def noisy(dice, n):
    """Pages of a few templates with random changes: components that are not trivial."""
    kinds = [[(dice.randrange(6), dice.randrange(4)) for _ in range(15)] for _ in range(3)]
    made = []
    for _ in range(n):
        tokens = list(dice.choice(kinds))
        for _ in range(dice.randrange(4)):
            tokens.insert(dice.randrange(len(tokens)), (dice.randrange(6), dice.randrange(4)))
        made.append(sequence([code for code, _ in tokens], [depth for _, depth in tokens]))
    return made


@pytest.mark.full
@pytest.mark.parametrize("seed", range(200))
def test_pruned_components_equal_the_full_matrix_on_noisy_templates(seed):
    dice = random.Random(seed)
    pages = noisy(dice, 25)
    least = dice.choice([0.5, 0.7, 0.8, 0.9])
    found = cluster(pages, ClusterOptions(min_similarity=least))
    assert as_sets(pages, found) == full_matrix(pages, floor_of(least))


@settings(max_examples=examples(60))
@given(st.lists(sequences, max_size=20), similarities, st.integers(1, 3))
def test_all_similar_pairs_are_found(pages, least, workers):
    items = flatten(pages)
    found = similar_pairs(items, floor_of(least), workers)
    pairs = {
        (min(a, b), max(a, b)) for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True)
    }
    assert len(pairs) == len(found.a)
    truth = {
        (a, b)
        for b in range(len(pages)) for a in range(b)
        if similarity(pages[a], pages[b]) >= least and len(pages[a]) and len(pages[b])
    }  # fmt: skip
    assert pairs == truth
    for a, b, value in zip(found.a, found.b, found.similarity, strict=True):
        assert value == round(similarity(pages[a], pages[b]) * ONE)


@settings(max_examples=examples(60))
@given(st.lists(sequences, min_size=1, max_size=12), st.randoms(), similarities)
def test_neither_order_nor_workers_matter(pages, dice, least):
    one = cluster(pages, ClusterOptions(min_similarity=least, workers=1))
    order = list(range(len(pages)))
    dice.shuffle(order)
    shuffled = [pages[k] for k in order]
    other = cluster(shuffled, ClusterOptions(min_similarity=least, workers=3))
    assert as_sets(pages, one) == as_sets(shuffled, other)


def test_hosts_are_kept_apart():
    pages = [letters("abc")] * 4
    found = cluster(pages, groups=["x", "y", "x", "y"])
    assert found.labels.tolist() == [0, 1, 0, 1]
    assert cluster(pages).labels.tolist() == [0, 0, 0, 0]


def test_nothing_one_page_and_clusters_of_one():
    assert len(cluster([])) == 0
    assert cluster([letters("a")]).labels.tolist() == [0]
    apart = cluster([letters(text) for text in ("aaaa", "bbbb", "cccc")])
    assert sorted(apart.labels.tolist()) == [0, 1, 2]
    assert cluster([sequence([]), sequence([])]).labels.tolist() == [0, 0]


def test_larger_clusters_come_first():
    pages = [letters("a"), letters("b"), letters("b")]
    found = cluster(pages)
    assert found.labels.tolist() == [1, 0, 0]
    assert found.centers.tolist() == [1, 0]


def test_the_leader_keeps_near_pages_together_and_far_ones_apart():
    pages = noisy(random.Random(5), 60)
    found = cluster(pages, ClusterOptions(min_similarity=0.8, method="leader"))
    for page, label in enumerate(found.labels.tolist()):
        center = int(found.centers[label])
        assert similarity(pages[page], pages[center]) >= 0.8
    small = ClusterOptions(min_similarity=0.8, max_component=3)
    assert cluster(pages, small).n_approximate > 0
    assert cluster(pages).n_approximate == 0


@pytest.mark.parametrize("wrong", [{"min_similarity": 0}, {"min_similarity": 1.1},
                                   {"method": "kmeans"}, {"weight": "none"}, {"workers": 0}])  # fmt: skip
def test_wrong_options_are_errors(wrong):
    with pytest.raises(ConfigError):
        ClusterOptions(**wrong)


def test_scores_known_by_hand():
    assert adjusted_rand_index("aabb", "xxyy") == purity("aabb", "xxyy") == 1
    assert adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(-0.5)
    assert adjusted_rand_index([0, 0, 1, 2], [0, 0, 1, 1]) == pytest.approx(0.5714, abs=1e-4)
    assert purity([0, 0, 0, 1], "xxyy") == 0.75
    assert adjusted_rand_index([], []) == purity([], []) == 1


@relaxed
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_scores_equal_counting_pairs(pairs):
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    n = len(pairs)
    every = [(i, j) for j in range(n) for i in range(j)]
    same_a = np.array([a[i] == a[j] for i, j in every])
    same_b = np.array([b[i] == b[j] for i, j in every])
    expected = same_a.sum() * same_b.sum() / len(every)
    most = (same_a.sum() + same_b.sum()) / 2
    truth = 1.0 if most == expected else ((same_a & same_b).sum() - expected) / (most - expected)
    assert adjusted_rand_index(a, b) == pytest.approx(truth)


@settings(max_examples=examples(60))
@given(st.lists(sequences, max_size=12), st.sampled_from([0.3, 0.6, 0.9, 1.0]))
def test_a_measure_that_is_given_clusters_as_the_same_one_built_in(pages, least):
    own = Measure("own", lambda page: page, similarity)
    found = cluster(pages, ClusterOptions(least, measure="own"), measure=own)
    usual = cluster(pages, ClusterOptions(least))
    assert as_sets(pages, found) == as_sets(pages, usual)
    assert found.labels.tolist() == usual.labels.tolist()


def test_the_measure_is_the_one_that_the_options_name_and_has_a_bound():
    alike = Measure("alike", lambda _: None, lambda _a, _b: 1.0)
    pages = [letters("ab"), letters("xyz"), letters("q")]
    assert len(cluster(pages)) == 3
    assert len(cluster(pages, ClusterOptions(measure="alike"), measure=alike)) == 1
    for options, given_measure in (("alike", None), ("", alike), ("other", alike)):
        with pytest.raises(ConfigError, match="another one is given"):
            cluster(pages, ClusterOptions(measure=options), measure=given_measure)
    few = ClusterOptions(measure="alike", max_component=2)
    with pytest.raises(ConfigError, match="3 distinct pages of one group are too many"):
        cluster(pages, few, measure=alike)
