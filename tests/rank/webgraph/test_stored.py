"""Links on disk: the same graph however they are dealt, and the same ranks as in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.rank import LinkGraph, iterate, pagerank_flow
from quarkcrawl.rank.webgraph import store_links
from tests.profiles import examples


def stored(pairs, n_nodes, folder, **how):
    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    names = ("first.txt", "second.txt")
    halves = zip(np.array_split(sources, 2), np.array_split(targets, 2), names, strict=True)
    return store_links(halves, n_nodes, folder, **how)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 40))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=120))


@given(graphs(), st.sampled_from([1, 24 * 7, 1 << 20]))
@settings(max_examples=examples(60))
def test_links_lie_by_target_each_once(tmp_path_factory, graph, memory_bytes):
    n, pairs = graph
    links = stored(pairs, n, tmp_path_factory.mktemp("links"), memory_bytes=memory_bytes)
    expected = sorted({(target, source) for source, target in pairs if source != target})
    sizes = np.diff(links.in_ptr)
    rows = zip(np.repeat(np.arange(n), sizes).tolist(), links.incoming.tolist(), strict=True)
    assert list(rows) == expected
    assert links.n_out.tolist() == np.bincount([s for _, s in expected], minlength=n).tolist()
    assert links.n_self_links == sum(source == target for source, target in pairs)
    assert links.n_links + links.n_repeated + links.n_self_links == len(pairs)


@pytest.mark.full
def test_many_files_and_a_node_with_most_links(tmp_path):
    """More nodes than stretches, so that a stretch has several; ranks as those in memory."""
    rng = np.random.default_rng(3)
    n = 200_000
    targets = (n * rng.random(300_000) ** 8).astype(np.int64)
    pairs = np.stack([rng.integers(0, n, len(targets)), targets], axis=1)
    links = stored(pairs, n, tmp_path, memory_bytes=24 * 20_000)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    assert links.n_links == len(np.unique(pairs, axis=0))
    in_memory = pagerank_flow(LinkGraph.from_links(*pairs.T, n_nodes=n))
    assert np.abs(iterate(in_memory).values - iterate(links.pagerank_flow()).values).max() < 1e-15
    assert sorted(path.name for path in tmp_path.iterdir()) == ["incoming"]


@pytest.mark.parametrize("pair", [(0, 3), (3, 0), (-1, 0), (0, -1)])
def test_a_number_that_is_no_node_is_named(tmp_path, pair):
    with pytest.raises(
        InputError, match=r"^second\.txt: (source|target) (3|-1) is not between 0 and 2"
    ):
        stored([(0, 1), pair], 3, tmp_path)
