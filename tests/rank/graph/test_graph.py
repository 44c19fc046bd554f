"""The compiled passes over links against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.rank import LinkGraph, pagerank_flow, quarkrank_flow
from tests.profiles import examples
from tests.rank.worlds import random_graph

links = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 9)), max_size=80)


@settings(max_examples=examples(60))
@given(links)
def test_links_are_sorted_by_block_and_repetitions_counted(pairs):
    each = LinkGraph.from_links([a for a, _ in pairs], [b for _, b in pairs], n_nodes=10)
    expected = sorted(Counter(pairs).items())
    source = np.repeat(np.arange(10), np.diff(each.link_ptr)).tolist()
    counts = [1] * len(each.targets) if each.counts is None else each.counts.tolist()
    assert (
        list(zip(zip(source, each.targets.tolist(), strict=True), counts, strict=True)) == expected
    )
    assert each.n_links == len(pairs)
    once = LinkGraph.from_links(
        [a for a, _ in pairs], [b for _, b in pairs], n_nodes=10, repeated="block"
    )
    assert once.counts is None
    assert once.targets.tolist() == each.targets.tolist()


@settings(max_examples=examples(40))
@given(st.integers(0, 10_000), st.booleans())
def test_the_turned_graph_has_each_link_once_at_its_target(seed, once):
    graph = random_graph(seed, n_pages=8, n_nodes=12, n_links=40)
    flow = pagerank_flow(graph) if once else quarkrank_flow(graph)
    pages = graph.blocks.pages()
    expected = Counter(
        (int(pages[b]), int(graph.targets[k]))
        for b in range(len(graph.blocks))
        for k in range(graph.link_ptr[b], graph.link_ptr[b + 1])
        for _ in range(1 if graph.counts is None else graph.counts[k])
    )
    target = np.repeat(np.arange(graph.n_nodes), np.diff(flow.in_ptr)).tolist()
    source = flow.page[flow.incoming].tolist()
    found = Counter(zip(source, target, strict=True))
    assert found == (Counter(set(expected)) if once else expected)
    # What the links of a page carry sums to 1, or to 0 if it has none.
    sent = np.bincount(flow.page, flow.coefficient * flow.n_links, graph.n_pages)
    has_links = np.isin(np.arange(graph.n_pages), source)
    assert np.allclose(sent, has_links, atol=1e-12)


def test_nbytes_counts_the_arrays():
    graph = LinkGraph.from_links([0, 0, 1], [1, 1, 0])
    assert graph.nbytes == 8 * 3 + 2 + 4 * 2 + 4 * 2 + 8 * 3 + 4 * 2 + 4 * 2
