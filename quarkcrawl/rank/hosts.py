"""Ranks of hosts: what their pages have together, and what the hosts have among each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from quarkcrawl.errors import InputError
from quarkcrawl.rank.graph import LinkGraph, hosts_of
from quarkcrawl.rank.iterate import IterationOptions, iterate, pagerank_flow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]


def node_hosts(graph: LinkGraph) -> tuple[pa.Array, IntArray]:
    """The hosts of a graph, and the number of each node's.

    Raises:
        InputError: the graph has no URLs.
    """
    if graph.urls is None:
        raise InputError("the graph has no URLs", where="node_hosts")
    encoded = hosts_of(graph.urls).dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy().astype(np.int32)


def host_graph(graph: LinkGraph, host: IntArray, n_hosts: int) -> LinkGraph:
    """The graph of hosts: one link from a host to another, however many links their pages have.

    Args:
        graph: the graph of pages.
        host: host of each node.
        n_hosts: number of hosts.
    """
    source = np.repeat(host[graph.blocks.pages()], np.diff(graph.link_ptr))
    target = host[graph.targets]
    abroad = source != target
    return LinkGraph.from_links(source[abroad], target[abroad], n_nodes=n_hosts, repeated="block")


def host_ranks(
    graph: LinkGraph, values: NDArray[np.floating], options: IterationOptions | None = None
) -> pa.Table:
    """Hosts, those first whose pages have most rank together.

    Args:
        graph: the graph, with URLs.
        values: rank of each node.
        options: for the iteration on the host graph.

    Returns:
        ``host``, ``pages`` (stored), ``rank`` (sum over its nodes), ``host_rank`` (PageRank of the
        host graph), ``best_url`` (its node with the highest rank).
    """
    names, host = node_hosts(graph)
    n = len(names)
    total = np.bincount(host, values, n)
    pages = np.bincount(host[: graph.n_pages], minlength=n)
    of_graph = iterate(pagerank_flow(host_graph(graph, host, n)), options).values
    best = np.zeros(n, np.int64)
    rising = np.argsort(values, kind="stable")
    best[host[rising]] = rising  # the last, highest one of each host stays
    order = np.argsort(-total, kind="stable")
    table = pa.table(
        {
            "host": names,
            "pages": pa.array(pages),
            "rank": pa.array(total),
            "host_rank": pa.array(of_graph),
            "best_url": graph.urls.take(pa.array(best)) if graph.urls is not None else names,
        }
    )
    return table.take(pa.array(order))
