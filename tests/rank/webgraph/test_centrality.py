"""Harmonic centrality beside igraph and networkx, and its estimate beside itself."""

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from quarkcrawl.errors import ConfigError
from quarkcrawl.rank.webgraph import harmonic_centrality
from tests.profiles import examples

from .test_stored import graphs, stored


@given(graphs())
@settings(max_examples=examples(60))
def test_small_graphs_are_exact(tmp_path_factory, graph):
    n, pairs = graph
    links = stored(pairs, n, tmp_path_factory.mktemp("links"))
    known = nx.DiGraph((source, target) for source, target in pairs if source != target)
    known.add_nodes_from(range(n))
    expected = nx.harmonic_centrality(known)
    assert harmonic_centrality(links) == pytest.approx([expected[node] for node in range(n)])


def random_links(tmp_path, n, n_links):
    rng = np.random.default_rng(7)
    targets = (n * rng.random(n_links) ** 2).astype(np.int64)
    pairs = np.stack([rng.integers(0, n, n_links), targets], axis=1)
    return pairs, stored(pairs, n, tmp_path)


def test_more_nodes_than_walks_at_once_and_several_threads(tmp_path):
    pairs, links = random_links(tmp_path, 500, 2000)
    known = igraph.Graph(500, pairs.tolist(), directed=True).simplify()
    expected = np.array(known.harmonic_centrality(mode="in")) * 499
    assert harmonic_centrality(links, threads=3) == pytest.approx(expected)


def test_the_estimate_errs_by_what_its_registers_say(tmp_path):
    _, links = random_links(tmp_path, 3000, 12000)
    exact = harmonic_centrality(links)
    some = exact > 50
    errors = []
    for log2_registers in (6, 10):
        estimates = harmonic_centrality(links, log2_registers=log2_registers, threads=2)
        error = (estimates[some] - exact[some]) / exact[some]
        errors.append(np.sqrt(np.mean(error**2)))
        assert errors[-1] < 1.04 / np.sqrt(2.0**log2_registers)
        assert (estimates[exact == 0] == 0).all()
    assert errors[1] < errors[0]


def test_the_estimate_is_the_same_with_any_number_of_threads(tmp_path):
    _, links = random_links(tmp_path, 1000, 3000)
    one, three = (harmonic_centrality(links, log2_registers=6, threads=t) for t in (1, 3))
    assert (one == three).all()


def test_registers_that_cannot_be(tmp_path):
    with pytest.raises(ConfigError, match="17 is not 0 or 4 to 16"):
        harmonic_centrality(stored([], 1, tmp_path), log2_registers=17)
