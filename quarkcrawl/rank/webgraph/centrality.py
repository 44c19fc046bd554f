"""Harmonic centrality: how near the nodes of a graph are to each other, by the links alone.

A node has the sum of 1 / d over all nodes from which it is reached in d steps (Boldi and Vigna,
Axioms for Centrality, 2014). Small graphs are walked from every node, 64 walks at once as the bits
of a number. In larger ones HyperBall (Boldi and Vigna, 2013) keeps a HyperLogLog counter a node
that estimates how many nodes have reached it so far.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.rank.graph import link_cuts
from quarkcrawl.rank.webgraph.loops import add_sizes, grow, reach

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress
    from quarkcrawl.rank.webgraph.stored import StoredLinks

    DoubleArray = NDArray[np.float64]
    _Step: TypeAlias = Callable[[int, int], object]


_WALKS: Final = 64
_MOST_EXACT: Final = 2_000_000_000
"""Links to look at in one step of all walks, up to which they are walked: half a minute or so."""

_LINKS_PER_THREAD: Final = 200_000
_LOG2_REGISTERS: Final = range(4, 17)
_HASH_BITS: Final = 64
_ALPHA: Final = {4: 0.673, 5: 0.697, 6: 0.709}
"""Corrections of HyperLogLog for few registers (Flajolet et al., 2007)."""


def harmonic_centrality(
    links: StoredLinks,
    *,
    log2_registers: int | None = None,
    threads: int = 0,
    seed: int = 2008,
    on_progress: Progress = no_progress,
) -> DoubleArray:
    """Harmonic centrality of each node.

    Args:
        links: the graph.
        log2_registers: estimate with 2 to this of registers a node, a byte each, twice; one
            estimate errs by 1.04 over the root of their number (8: 6.5 %). None: exactly where
            the graph is small enough for that, else 8. 0: exactly in any case.
        threads: how many look at links at once; 0: one a core where there are enough links.
        seed: draws what the counters know a node by; another one gives another estimate.
        on_progress: is told of each 64 walks, or of each round of estimates.

    Raises:
        ConfigError: there cannot be so many registers.
    """
    n = links.n_nodes
    if log2_registers is None:
        log2_registers = 0 if n * links.n_links // _WALKS <= _MOST_EXACT else 8
    if log2_registers and log2_registers not in _LOG2_REGISTERS:
        low, high = _LOG2_REGISTERS[0], _LOG2_REGISTERS[-1]
        raise ConfigError(f"{log2_registers} is not 0 or {low} to {high}", where="log2_registers")
    most = max(links.n_links // _LINKS_PER_THREAD, 1)
    n_threads = threads or min(len(os.sched_getaffinity(0)), most)
    cuts = link_cuts(links.in_ptr, n_threads)
    with ThreadPoolExecutor(n_threads) as pool:

        def over_parts(step: _Step) -> bool:
            """Do a step for all nodes, each thread for some; whether one of them did something."""
            return any(list(pool.map(step, cuts[:-1], cuts[1:])))

        if log2_registers:
            return _estimated(links, log2_registers, seed, over_parts, on_progress)
        return _walked(links, over_parts, on_progress)


def _walked(
    links: StoredLinks, over_parts: Callable[[_Step], bool], on_progress: Progress
) -> DoubleArray:
    """Walk from all nodes, 64 at a time."""
    n = links.n_nodes
    sums = np.zeros(n)
    starts = range(0, n, _WALKS)
    for start in reported(starts, "walks", on_progress, total=len(starts)):
        frontier, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
        beginners = frontier[start : start + _WALKS]
        beginners[:] = np.uint64(1) << np.arange(len(beginners), dtype=np.uint64)
        seen, n_steps, arrays = frontier.copy(), 1, (links.in_ptr, links.incoming)
        while over_parts(partial(reach, *arrays, frontier, seen, fresh, 1 / n_steps, sums)):
            frontier, fresh = fresh, frontier
            n_steps += 1
    return sums


def _estimated(
    links: StoredLinks,
    log2_registers: int,
    seed: int,
    over_parts: Callable[[_Step], bool],
    on_progress: Progress,
) -> DoubleArray:
    """HyperBall: counters that take in each other."""
    n, n_registers = links.n_nodes, 1 << log2_registers
    old = _first_counters(n, log2_registers, seed)
    new = np.empty_like(old)
    moved, changed = np.ones(n, np.uint8), np.empty(n, np.uint8)
    powers: DoubleArray = 0.5 ** np.arange(_HASH_BITS + 1, dtype=np.float64)
    scale = _ALPHA.get(log2_registers, 0.7213 / (1 + 1.079 / n_registers)) * n_registers**2
    sizes, sums, n_steps = np.zeros(n), np.zeros(n), 1

    def add(counters: NDArray[np.uint8], which: NDArray[np.uint8], share: float) -> None:
        registers = (counters, n_registers, which)
        over_parts(partial(add_sizes, *registers, powers, scale, sizes, share, sums))

    on_progress("rounds of centrality", 0, None)
    add(old, moved, 0.0)  # each has counted itself
    links_in = (links.in_ptr, links.incoming)
    while over_parts(partial(grow, *links_in, old, new, n_registers, moved, changed)):
        add(new, changed, 1 / n_steps)
        old, new, moved, changed = new, old, changed, moved
        on_progress("rounds of centrality", n_steps, None)
        n_steps += 1
    return sums


def _first_counters(n: int, log2_registers: int, seed: int) -> NDArray[np.uint8]:
    """The counter of each node when it has counted itself, one behind the other."""
    bits = np.random.default_rng(seed).integers(0, 1 << _HASH_BITS, n, np.uint64)
    register = (bits >> np.uint64(_HASH_BITS - log2_registers)).astype(np.int64)
    lowest = np.maximum(bits & (~bits + np.uint64(1)), np.uint64(1))
    counters = np.zeros(n << log2_registers, np.uint8)
    counters[(np.arange(n) << log2_registers) + register] = np.log2(lowest) + 1
    return counters
