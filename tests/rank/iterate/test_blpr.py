"""BLPR against a dense computation straight from the definitions of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from quarkcrawl.rank import (
    IterationOptions,
    LinkGraph,
    PageBlocks,
    block_matrices,
    block_ranks_flow,
    blpr_flow,
    importance,
    iterate,
)
from quarkcrawl.rank.graph.geometry import box_geometry, text_geometry
from quarkcrawl.rank.graph.rawtables import Boxes
from tests.rank.worlds import random_graph, stationary

EXACT = IterationOptions(tolerance=1e-15)


def dense_matrices(graph: LinkGraph) -> tuple[np.ndarray, np.ndarray]:
    """X and Z entry by entry."""
    blocks = graph.blocks
    x = np.zeros((graph.n_pages, len(blocks)))
    z = np.zeros((len(blocks), graph.n_nodes))
    for page in range(graph.n_pages):
        mine = range(blocks.ptr[page], blocks.ptr[page + 1])
        values = [float(blocks.size[b]) / float(blocks.distance[b]) for b in mine]
        beta = 1 / sum(values) if sum(values) else None
        for b, value in zip(mine, values, strict=True):
            x[page, b] = value * beta if beta else 1 / len(values)
    for b in range(len(blocks)):
        linked = set(graph.targets[graph.link_ptr[b] : graph.link_ptr[b + 1]].tolist())
        for target in linked:
            z[b, target] = 1 / len(linked)
    return x, z


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("repeated", ["each", "block"])
def test_matrices_and_ranks_equal_the_dense_computation(seed, repeated):
    graph = random_graph(seed, repeated=repeated)
    x, z = dense_matrices(graph)
    found = block_matrices(graph)
    n = graph.n_pages
    for ours, dense in (
        (found.x, x), (found.z, z), (found.pages, x @ z), (found.blocks, z[:, :n] @ x),
    ):  # fmt: skip
        assert ours.toarray() == pytest.approx(dense, abs=1e-14)
    w_p = np.zeros((graph.n_nodes, graph.n_nodes))
    w_p[:n] = x @ z
    assert iterate(blpr_flow(graph), EXACT).values == pytest.approx(stationary(w_p), abs=1e-12)
    w_b = z[:, :n] @ x
    ranks = iterate(block_ranks_flow(graph), EXACT).values
    assert ranks == pytest.approx(stationary(w_b), abs=1e-12)


def test_importance_sums_to_one_over_each_page():
    blocks = random_graph(9).blocks
    f = importance(blocks)
    assert np.bincount(blocks.pages(), f) == pytest.approx(np.ones(40))


def test_a_page_whose_blocks_have_no_size_is_looked_at_evenly():
    zeros = np.zeros(4, np.float32)
    blocks = PageBlocks(np.array([0, 3, 4]), np.zeros(4, bool), zeros, zeros + 1)
    assert importance(blocks).tolist() == [1 / 3, 1 / 3, 1 / 3, 1]


def test_larger_and_more_central_blocks_pull_more():
    blocks = PageBlocks(
        np.array([0, 3, 4, 5, 6]), np.zeros(6, bool),
        np.array([300, 100, 100, 1, 1, 1], np.float32), np.array([100, 100, 50, 1, 1, 1], np.float32),
    )  # fmt: skip
    assert importance(blocks)[:3] == pytest.approx([3 / 6, 1 / 6, 2 / 6])
    graph = LinkGraph.from_links([0, 1, 2], [1, 2, 3], n_nodes=4, blocks=blocks)
    ranks = iterate(blpr_flow(graph), EXACT).values
    assert ranks[1] > ranks[3] > ranks[2]


def test_block_ranks_sum_to_one_each_round():
    sums = []
    iterate(block_ranks_flow(random_graph(6)), on_round=lambda _, __, x: sums.append(x.sum()))
    assert sums == pytest.approx([1.0] * len(sums), abs=1e-14)


def test_text_geometry_by_hand():
    """Blocks of 10, 30 and 20 characters: middles 5, 25, 50, the page's 30. Then an empty page."""
    starts, n_chars = np.array([0, 3, 3, 4]), np.array([10, 30, 20, 8], np.int32)
    size, away = text_geometry(starts, n_chars, np.array([0, -1, 2]), np.array([0, 4, 5, 7]))
    assert away.tolist() == [25, 5, 20, 30, 0, 0, 4]
    assert size.tolist() == [10, 30, 20, 0, 0, 8, 0]


def test_box_geometry_by_hand():
    """A page of 100 × 80: a head 100 × 20, and below it two columns of 50 × 60."""
    boxes = Boxes(
        *(np.array(side, float) for side in ([0, 0, 50], [0, 20, 20], [100, 50, 50], [20, 60, 60]))
    )
    away, half = box_geometry(np.array([0, 3]), boxes)
    assert away == pytest.approx([30, np.hypot(25, 10), np.hypot(25, 10)])
    assert half == pytest.approx([np.hypot(100, 80) / 2])
