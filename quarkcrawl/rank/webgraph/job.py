"""Web graph files made of a corpus, and ranks made of web graph files."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.rank.hosts import host_graph, node_hosts
from quarkcrawl.rank.iterate import IterationOptions, iterate
from quarkcrawl.rank.webgraph.centrality import harmonic_centrality
from quarkcrawl.rank.webgraph.files import (
    VertexNames,
    edge_batches,
    files_of,
    gzip_lines,
    reversed_host,
    write_ranks,
)
from quarkcrawl.rank.webgraph.stored import store_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress
    from quarkcrawl.rank.graph import LinkGraph


LEVELS: Final = ("hosts", "pages")
_BATCH_ROWS: Final = 100_000


@dataclass(frozen=True, slots=True)
class WebGraphReport:
    """What was written.

    Args:
        vertices: nodes of the graph.
        edges: links, each once.
        out: folder or file with the result.
        rounds: how often PageRank went round; 0 where nothing was ranked.
        elapsed_s: length of the run.
    """

    vertices: int
    edges: int
    out: str
    rounds: int = 0
    elapsed_s: float = 0.0


def write_webgraph(
    graph: LinkGraph,
    out: Path,
    level: Literal["hosts", "pages"] = "hosts",
    *,
    on_progress: Progress = no_progress,
) -> WebGraphReport:
    """Write ``vertices.txt.gz`` and ``edges.txt.gz`` as Common Crawl does.

    Args:
        graph: the graph of a corpus, with URLs.
        out: folder of the files.
        level: ``"hosts"``, by reversed name, links between different ones; ``"pages"``, by URL.
        on_progress: is told of the vertices and of each batch of edges.

    Raises:
        InputError: the graph has no URLs.
        ConfigError: no such level.
        StoreError: the files cannot be written.
    """
    started = time.monotonic()
    if level not in LEVELS:
        raise ConfigError(f"no level {level!r}; there are {', '.join(LEVELS)}", where="--level")
    on_progress("vertices", 0, None)
    hosts, host = node_hosts(graph)
    names = [reversed_host(name) for name in hosts.to_pylist()]
    if level == "hosts":
        graph = host_graph(graph, host, len(names))
    else:
        names = graph.urls.to_pylist() if graph.urls is not None else []
    order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    number = np.empty(len(names), np.int64)
    number[order] = np.arange(len(names))
    with gzip_lines(out / "vertices.txt.gz") as file:
        for place, node in enumerate(order.tolist()):
            file.write(f"{place}\t{names[node]}\n".encode())
    on_progress("sorting edges", 0, None)
    edges = _edges(graph, number)
    with gzip_lines(out / "edges.txt.gz") as file:
        starts = range(0, len(edges), _BATCH_ROWS)
        for start in reported(starts, "batches of edges", on_progress, total=len(starts)):
            rows = edges[start : start + _BATCH_ROWS].tolist()
            file.write("".join(f"{source}\t{target}\n" for source, target in rows).encode())
    elapsed_s = round(time.monotonic() - started, 3)
    return WebGraphReport(len(names), len(edges), str(out), elapsed_s=elapsed_s)


def _edges(graph: LinkGraph, number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Links by their new numbers, sorted, each once, none to where it stands."""
    source = number[np.repeat(graph.blocks.pages(), np.diff(graph.link_ptr))]
    pairs = np.stack([source, number[graph.targets]], axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def rank_webgraph(  # noqa: PLR0913 - options of a command
    vertices: Path,
    edges: Path,
    out: Path,
    *,
    base: Path | None = None,
    scratch: Path | None = None,
    memory_bytes: int = 1 << 30,
    log2_registers: int | None = None,
    options: IterationOptions | None = None,
    on_progress: Progress = no_progress,
) -> WebGraphReport:
    """Rank a graph of files: harmonic centrality and PageRank, in Common Crawl's file of ranks.

    Links lie on disk, sorted by target; 53 bytes a node are in memory, for estimates of centrality
    twice the registers and 16 bytes more.

    Args:
        vertices: file, folder or list of files, see `quarkcrawl.rank.webgraph.files`.
        edges: the same of the links.
        out: file of the ranks (``.txt.gz``).
        base: what paths of lists are relative to.
        scratch: folder for files of 8 bytes a link, twice, and the names; None: beside ``out``.
        memory_bytes: bound on what sorting takes.
        log2_registers: see `harmonic_centrality`.
        options: damping, tolerance and precision of PageRank.
        on_progress: is told of bytes that are read, rounds, walks and batches of ranks.

    Raises:
        InputError: the files cannot be read, or do not fit together.
        ConfigError: impossible options.
        StoreError: no room, or something cannot be written.
    """
    started = time.monotonic()
    paths = files_of(vertices, "vertices", base)
    edge_paths = files_of(edges, "edges", base)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".webgraph-", dir=scratch or out.parent) as name:
        folder = Path(name)
        names = VertexNames(paths, folder, on_progress)
        edge_rows = edge_batches(edge_paths, on_progress)
        links = store_links(
            edge_rows, len(names), folder, memory_bytes=memory_bytes, on_progress=on_progress
        )
        on_progress("rounds", 0, None)
        ranks = iterate(
            links.pagerank_flow(),
            options,
            on_round=lambda number, *_: on_progress("rounds", number, None),
        )
        centrality = harmonic_centrality(
            links, log2_registers=log2_registers, on_progress=on_progress
        )
        pagerank = np.asarray(ranks.values, np.float64)
        write_ranks(out, names, centrality, pagerank, on_progress)
        return WebGraphReport(
            links.n_nodes,
            links.n_links,
            str(out),
            ranks.rounds,
            round(time.monotonic() - started, 3),
        )
