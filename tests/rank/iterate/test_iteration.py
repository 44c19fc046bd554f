"""PageRank against networkx, igraph, a linear solver and a calculation by hand."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.rank import IterationOptions, LinkGraph, iterate, pagerank_flow
from quarkcrawl.rank.iterate.step import IterationStep
from tests.profiles import examples
from tests.rank.worlds import dense_weights, random_graph, stationary

EXACT = IterationOptions(tolerance=1e-15)


def rank(links, n=None, options=EXACT, **how) -> np.ndarray:
    graph = LinkGraph.from_links([a for a, _ in links], [b for _, b in links], n_nodes=n)
    return iterate(pagerank_flow(graph), options, **how).values


def test_three_pages_by_hand():
    """0 → 1, 0 → 2, 1 → 2, 2 → 0 with damping 1/2.

    r0 = 1/6 + r2/2, r1 = 1/6 + r0/4, r2 = 1/6 + r0/4 + r1/2; put r1 in:
    r2 = 1/4 + 3 r0/8, so r0 = 1/6 + 1/8 + 3 r0/16, r0 = 14/39, r1 = 10/39, r2 = 15/39.
    """
    found = rank([(0, 1), (0, 2), (1, 2), (2, 0)], options=IterationOptions(0.5, 1e-16))
    assert found == pytest.approx([14 / 39, 10 / 39, 15 / 39], abs=1e-15)


def test_a_dangling_page_by_hand():
    """0 → 1 and 1 has no links, damping 1/2: r1's half goes to both alike.

    r0 = 1/4 + r1/4, r1 = 1/4 + r0/2 + r1/4 with r0 + r1 = 1: r0 = 2/5.
    """
    found = rank([(0, 1)], options=IterationOptions(0.5, 1e-16))
    assert found == pytest.approx([2 / 5, 3 / 5], abs=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_against_networkx_and_igraph_with_dangling_nodes(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 300))
    m = int(rng.integers(1, 5 * n))
    links = list(
        zip(
            rng.integers(0, max(1, n // 2), m).tolist(), rng.integers(0, n, m).tolist(), strict=True
        )
    )
    theirs = nx.DiGraph(links)
    theirs.add_nodes_from(range(n))
    assert any(degree == 0 for _, degree in theirs.out_degree())
    ours = rank(links, n)
    expected = nx.pagerank(theirs, tol=1e-16, max_iter=2000)
    assert np.abs(ours - [expected[k] for k in range(n)]).max() <= 1e-10
    once = igraph.Graph(n, sorted(set(links)), directed=True)
    assert np.abs(ours - once.pagerank()).max() <= 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_every_link_counts_where_that_is_asked(seed):
    graph = random_graph(seed, n_pages=60)
    assert graph.counts is not None
    pages = graph.blocks.pages()
    links = [
        (int(pages[b]), int(graph.targets[k]))
        for b in range(len(graph.blocks))
        for k in range(graph.link_ptr[b], graph.link_ptr[b + 1])
        for _ in range(graph.counts[k])
    ]
    assert len(links) == graph.n_links
    theirs = igraph.Graph(graph.n_nodes, links, directed=True).pagerank()
    ours = iterate(pagerank_flow(graph, once=False), EXACT).values
    assert np.abs(ours - theirs).max() <= 1e-10
    once = iterate(pagerank_flow(graph), EXACT).values
    simple = igraph.Graph(graph.n_nodes, sorted(set(links)), directed=True).pagerank()
    assert np.abs(once - simple).max() <= 1e-10


def test_personalised_against_networkx():
    rng = np.random.default_rng(7)
    links = list(
        zip(rng.integers(0, 30, 100).tolist(), rng.integers(0, 50, 100).tolist(), strict=True)
    )
    weights = rng.random(50) * (rng.random(50) < 0.3)
    theirs = nx.DiGraph(links)
    theirs.add_nodes_from(range(50))
    expected = nx.pagerank(
        theirs, personalization=dict(enumerate(weights)), tol=1e-16, max_iter=2000
    )
    ours = rank(links, 50, teleport=weights)
    assert np.abs(ours - [expected[k] for k in range(50)]).max() <= 1e-10


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=60), st.floats(0, 0.95))
def test_against_a_linear_solver(links, damping):
    graph = LinkGraph.from_links([a for a, _ in links], [b for _, b in links], n_nodes=12)
    weights = np.minimum(dense_weights(graph, lambda _: 1), 1)
    found = iterate(pagerank_flow(graph), IterationOptions(damping, 1e-15)).values
    assert found == pytest.approx(stationary(weights, damping), abs=1e-12)


@pytest.mark.parametrize(("dtype", "error"), [("float64", 1e-14), ("float32", 2e-6)])
@pytest.mark.parametrize("personal", [False, True])
def test_the_sum_is_one_after_every_round(dtype, error, personal):
    graph = random_graph(3, n_pages=400, n_nodes=700, n_links=4000)
    sums = []
    teleport = np.arange(graph.n_nodes) if personal else None
    ranks = iterate(
        pagerank_flow(graph), IterationOptions(dtype=dtype), teleport=teleport,
        on_round=lambda k, _, values: sums.append((k, values.sum(dtype=float))),
    )  # fmt: skip
    assert [k for k, _ in sums] == list(range(1, ranks.rounds + 1))
    assert ranks.rounds > 10
    assert max(abs(total - 1) for _, total in sums) <= error


def test_float32_agrees_and_takes_half_the_memory():
    graph = random_graph(5, n_pages=500, n_nodes=800, n_links=6000)
    flow = pagerank_flow(graph)
    wide, narrow = (iterate(flow, IterationOptions(dtype=d)) for d in ("float64", "float32"))
    assert narrow.converged
    assert narrow.values.nbytes * 2 == wide.values.nbytes
    assert np.abs(narrow.values - wide.values).sum() < 1e-5


def test_residuals_shrink_by_the_damping_at_least():
    ranks = iterate(pagerank_flow(random_graph(1)), IterationOptions(0.7, 1e-12))
    assert ranks.converged
    assert ranks.residuals[-1] < 1e-12 <= ranks.residuals[-2]
    pairs = zip(ranks.residuals, ranks.residuals[1:], strict=False)
    assert all(later <= 0.7 * before + 1e-15 for before, later in pairs)


def test_it_stops_when_told_and_says_so():
    ranks = iterate(pagerank_flow(random_graph(1)), IterationOptions(max_rounds=3))
    assert (ranks.rounds, ranks.converged) == (3, False)


def test_a_warm_start_leads_to_the_same_ranks_in_fewer_rounds():
    flow = pagerank_flow(random_graph(2))
    cold = iterate(flow)
    warm = iterate(flow, start=cold.values * 5)  # any scale
    near = iterate(flow, start=cold.values + 1e-6)
    assert warm.rounds == 1
    assert 1 < near.rounds < cold.rounds
    assert near.values == pytest.approx(cold.values, abs=1e-9)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing_but_rounding(threads):
    flow = pagerank_flow(random_graph(4, n_pages=300, n_nodes=500, n_links=5000))
    one = iterate(flow, IterationOptions(threads=1))
    many = iterate(flow, IterationOptions(threads=threads))
    assert many.rounds == one.rounds
    assert np.abs(many.values - one.values).max() < 1e-16


def test_more_threads_than_nodes():
    graph = LinkGraph.from_links([0, 0], [1, 1])
    with IterationStep(pagerank_flow(graph), 0.85, np.dtype("f8"), threads=9) as walk:
        assert walk.step(np.array([0.5, 0.5]), np.array([0.5])) > 0


def test_no_nodes_and_one_node():
    empty = iterate(pagerank_flow(LinkGraph.from_links([], [], n_nodes=0)))
    assert (len(empty.values), empty.rounds, empty.converged) == (0, 0, True)
    for links in ([], [(0, 0)]):
        assert rank(links, 1).tolist() == [1.0]


def test_without_damping_everything_is_teleport():
    assert rank([(0, 1)], 4, IterationOptions(0.0)).tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"damping": 1.0}, "damping"), ({"damping": -0.1}, "damping"),
        ({"damping": float("nan")}, "damping"), ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"), ({"max_rounds": 0}, "max_rounds"),
        ({"dtype": "float16"}, "float64 or float32"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(how, words):
    with pytest.raises(ConfigError, match=words):
        IterationOptions(**how)


@pytest.mark.parametrize(
    "weights", [[0, 0, 0], [1, -1, 1], [1, float("nan"), 1], [1, float("inf"), 0], [1, 1], []]
)
def test_what_is_no_distribution_is_refused(weights):
    flow = pagerank_flow(LinkGraph.from_links([0], [2]))
    for how in ({"start": weights}, {"teleport": weights}):
        with pytest.raises(ConfigError, match=next(iter(how))):
            iterate(flow, **how)


@pytest.mark.parametrize(("links", "words"), [(([0], [5]), "target 5"), (([-1], [0]), "source -1")])
def test_numbers_out_of_range(links, words):
    with pytest.raises(InputError, match=words):
        LinkGraph.from_links(*links, n_nodes=3)
