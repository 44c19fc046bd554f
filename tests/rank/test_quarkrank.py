"""QuarkRank: the thesis' formula, equal weights, weights of zero."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.errors import ConfigError
from quarkcrawl.rank import (
    IterationOptions,
    LinkGraph,
    PageBlocks,
    QuarkWeights,
    iterate,
    pagerank_flow,
    quarkrank_flow,
)

from .worlds import dense_weights, random_graph, stationary

EXACT = IterationOptions(tolerance=1e-15)


def two_blocks() -> LinkGraph:
    """Page 0: content links to 1, navigation to 2 and 3. The others link back to 0."""
    ones = np.ones(5, np.float32)
    blocks = PageBlocks(
        np.array([0, 2, 3, 4, 5]), np.array([True, False, False, False, False]), ones, ones
    )
    return LinkGraph.from_links([0, 1, 1, 2, 3, 4], [1, 2, 3, 0, 0, 0], n_nodes=4, blocks=blocks)


def test_by_hand():
    """w = 1.5 and .5: 1 gets 1.5/2.5 = 3/5 of page 0, 2 and 3 get 1/5 each.

    With damping 1/2: r1 = 1/8 + 3 r0/10, r2 = r3 = 1/8 + r0/10, r0 = 1/8 + (1 − r0)/2 = 5/12.
    """
    found = iterate(quarkrank_flow(two_blocks()), IterationOptions(0.5, 1e-16)).values
    assert found == pytest.approx([5 / 12, 1 / 4, 1 / 6, 1 / 6], abs=1e-15)


def test_links_in_content_gain_and_links_in_navigation_lose():
    graph = two_blocks()
    quark, plain = (
        iterate(flow, EXACT).values for flow in (quarkrank_flow(graph), pagerank_flow(graph))
    )
    assert quark[1] > plain[1]
    assert quark[2] < plain[2]
    assert quarkrank_flow(graph).content_share(np.array([1.0, 0, 0, 0])) == pytest.approx(0.6)
    even = quarkrank_flow(graph, QuarkWeights(1, 1))
    assert even.content_share(np.array([1.0, 0, 0, 0])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", [(1.5, 0.5), (3.0, 0.25), (1.0, 0.0), (0.0, 2.0)])
def test_against_the_formula(seed, weights):
    graph = random_graph(seed)
    content = graph.blocks.is_content
    dense = dense_weights(graph, lambda b: weights[0] if content[b] else weights[1])
    found = iterate(quarkrank_flow(graph, QuarkWeights(*weights)), EXACT).values
    assert found == pytest.approx(stationary(dense), abs=1e-12)


@pytest.mark.parametrize("weight", [1.0, 0.3, 7.5])
def test_equal_weights_are_pagerank_over_link_multiplicities(weight):
    graph = random_graph(11)
    assert graph.counts is not None
    dense = dense_weights(graph, lambda _: 1)
    found = iterate(quarkrank_flow(graph, QuarkWeights(weight, weight)), EXACT).values
    assert found == pytest.approx(stationary(dense), abs=1e-12)
    plain = iterate(pagerank_flow(graph, once=False), EXACT).values
    assert np.abs(found - plain).max() < 1e-15


def test_a_page_without_links_that_weigh_is_dangling():
    """Page 0 has links in navigation only, which weigh nothing: it jumps."""
    graph = LinkGraph.from_links([0], [1], n_nodes=3)
    found = iterate(quarkrank_flow(graph, QuarkWeights(1, 0)), EXACT).values
    assert found.tolist() == pytest.approx([1 / 3] * 3)


def test_all_weights_zero_leave_the_teleport():
    flow = quarkrank_flow(random_graph(1), QuarkWeights(0, 0))
    assert flow.n_links_in == 0
    ranks = iterate(flow)
    assert ranks.values == pytest.approx(np.full(60, 1 / 60))
    assert flow.content_share(ranks.values) == 0.0


@pytest.mark.parametrize("bad", [-0.1, float("nan"), float("inf")])
def test_weights_that_are_none(bad):
    for how in ({"content": bad}, {"other": bad}):
        with pytest.raises(ConfigError, match=next(iter(how))):
            QuarkWeights(**how)
