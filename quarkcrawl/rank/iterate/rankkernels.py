"""The inner loops of the iteration, compiled.

``pull`` is where the time goes: one gather a link. Links carry no weight, so that 4 bytes are read
for each where a compressed sparse row product reads 12. Indices are unsigned: numba asks of signed
ones, each time, whether they count from the end, which doubles the time of this loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@compiled
def send(
    page: NDArray[np.uint32], coefficient: NDArray[Any], ranks: NDArray[Any], values: NDArray[Any]
) -> None:
    """What each link of each sender carries."""
    for s in range(len(page)):
        values[s] = coefficient[s] * ranks[page[s]]


@compiled
def pull(
    in_ptr: NDArray[np.uint64],
    incoming: NDArray[np.uint32],
    values: NDArray[Any],
    received: NDArray[Any],
    damping: float,
) -> float:
    """What arrives at each node, times the damping; returns the sum of it."""
    total = 0.0
    for t in range(len(received)):
        got = 0.0
        for k in range(in_ptr[t], in_ptr[t + 1]):
            got += values[incoming[k]]
        got *= damping
        received[t] = got
        total += got
    return total


@compiled
def settle(
    received: NDArray[Any], ranks: NDArray[Any], jump: NDArray[Any], missing: float
) -> float:
    """Add the teleport and take over the new ranks; returns the L1 difference.

    Args:
        received: what came in by links.
        ranks: ranks of the round before; overwritten.
        jump: teleport distribution, or one number for a uniform one.
        missing: what of the sum of 1 the links did not carry.
    """
    difference = 0.0
    uniform = len(jump) == 1
    everywhere = missing * jump[0]
    for t in range(len(received)):
        new = received[t] + (everywhere if uniform else missing * jump[t])
        difference += abs(new - ranks[t])
        ranks[t] = new
    return difference
