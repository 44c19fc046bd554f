"""Block-level PageRank (Cai, He, Wen and Ma, "Block-level link analysis", SIGIR 2004; thesis 2.3).

A surfer looks at block b of page p with probability X[p, b] = f_p(b), which grows with the size of
the block and falls with its distance from the center of the page, and follows its links alike:
Z[b, q] = 1 / s_b for each of the s_b pages that it links to. Hence two graphs, W_P = X·Z of pages
and W_B = Z·X of blocks, whose rows are normalized before the walk.

Links are told apart by target only, so a repeated link of a block counts once here.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.rank.graph import LinkGraph
from quarkcrawl.rank.iterate.flow import Spread, block_senders, make_flow

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from quarkcrawl.rank.graph import PageBlocks
    from quarkcrawl.rank.iterate.flow import Flow

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
    DoubleArray = NDArray[np.float64]


def importance(blocks: PageBlocks) -> DoubleArray:
    """f_p(b) = β · size(b) / distance(b), with β such that the blocks of a page sum to 1.

    A page whose blocks all have size 0 is looked at evenly.

    Args:
        blocks: size and distance of each block.
    """
    page = blocks.pages()
    n_pages = len(blocks.ptr) - 1
    weight = blocks.size.astype(np.float64) / blocks.distance
    total = np.bincount(page, weight, n_pages)[page]
    even = 1 / np.diff(blocks.ptr)[page]
    return np.divide(weight, total, out=even, where=total > 0)


def blpr_flow(graph: LinkGraph) -> Flow:
    """The walk on the page graph: M is W_P = X·Z with rows normalized.

    Blocks without links take no part in it: normalizing the rows shares what they would get.

    Args:
        graph: pages, links and blocks.
    """
    used, sender = block_senders(graph)
    weight = importance(graph.blocks)[used] / np.diff(graph.link_ptr)[used]
    page, content = graph.blocks.pages()[used], graph.blocks.is_content[used]
    return make_flow(_plain(graph), sender, page, weight, content)


def block_ranks_flow(graph: LinkGraph) -> Flow:
    """The walk on the block graph, W_B = Z·X with rows normalized.

    Its nodes are the blocks of the stored pages. Z·X is dense where pages have many blocks, and is
    never formed: each target page stands between, with the links that come in to it, and hands on
    to its blocks by X. A page known only as a target has no blocks, so that links to it count for
    nothing.

    Args:
        graph: pages, links and blocks.
    """
    stored = _to_stored_pages(_plain(graph))
    used, sender = block_senders(stored)
    content = graph.blocks.is_content[used]
    ones = np.ones(len(used))
    flow = make_flow(
        stored, sender, used.astype(np.int32), ones, content, n_pages=len(graph.blocks)
    )
    spread = Spread(graph.blocks.pages(), importance(graph.blocks))
    return dataclasses.replace(flow, spread=spread)


def _plain(graph: LinkGraph) -> LinkGraph:
    """The graph with each target once a block."""
    return LinkGraph(graph.n_nodes, graph.blocks, graph.link_ptr, graph.targets)


def _to_stored_pages(graph: LinkGraph) -> LinkGraph:
    is_stored = graph.targets < graph.n_pages
    before = np.concatenate([[0], np.cumsum(is_stored)])
    ptr = before[graph.link_ptr]
    return LinkGraph(graph.n_pages, graph.blocks, ptr, graph.targets[is_stored])


@dataclass(frozen=True, slots=True)
class BlockMatrices:
    """The matrices of the paper as sparse arrays, for graphs that they fit.

    Args:
        x: stored page → block.
        z: block → node.
        pages: W_P = X·Z; rows of stored pages, columns of all nodes.
        blocks: W_B = Z·X over the blocks of the stored pages.
    """

    x: csr_array
    z: csr_array
    pages: csr_array
    blocks: csr_array


def block_matrices(graph: LinkGraph) -> BlockMatrices:
    """X, Z, W_P and W_B as they are defined, rows of W not normalized.

    Args:
        graph: pages, links and blocks.

    Raises:
        ConfigError: scipy is not installed.
    """
    try:
        from scipy.sparse import csr_array  # noqa: PLC0415 - an extra, and slow
    except ImportError:
        message = "sparse matrices need scipy: pip install 'quarkcrawl[rank]'"
        raise ConfigError(message) from None
    blocks = graph.blocks
    n_blocks, n_pages = len(blocks), graph.n_pages
    x = csr_array((importance(blocks), np.arange(n_blocks), blocks.ptr), shape=(n_pages, n_blocks))
    n_links = np.diff(graph.link_ptr)
    part = np.repeat(1 / np.maximum(n_links, 1), n_links)
    z = csr_array((part, graph.targets, graph.link_ptr), shape=(n_blocks, graph.n_nodes))
    return BlockMatrices(x, z, x @ z, z[:, :n_pages] @ x)
