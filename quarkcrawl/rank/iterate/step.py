"""One round of the iteration over arrays that are made once, in threads where that pays."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from quarkcrawl.rank.graph import link_cuts
from quarkcrawl.rank.loops import pull, send, settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.rank.iterate.flow import Flow

    FloatArray = NDArray[Any]


_LINKS_PER_THREAD: Final = 500_000


class IterationStep:
    """A flow made ready for iterating.

    Args:
        flow: who sends to whom.
        damping: probability of following a link.
        dtype: precision of the ranks.
        threads: how many run the inner loop; 0 for one a core where there are enough links.
    """

    def __init__(self, flow: Flow, damping: float, dtype: np.dtype[Any], threads: int = 0) -> None:
        self._flow = flow
        self._damping = damping
        self._coefficient = flow.coefficient.astype(dtype, copy=False)
        self._values = np.empty(len(flow.coefficient), dtype)
        self._received = np.empty(len(flow.in_ptr) - 1, dtype)
        most = max(flow.n_links_in // _LINKS_PER_THREAD, 1)
        n_threads = threads or min(len(os.sched_getaffinity(0)), most)
        self._cuts = link_cuts(flow.in_ptr, n_threads)
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def step(self, ranks: FloatArray, jump: FloatArray) -> float:
        """One round; ranks are overwritten.

        Args:
            ranks: ranks of the round before.
            jump: teleport distribution, or one number for a uniform one.

        Returns:
            The L1 difference that the round made.
        """
        send(self._flow.page, self._coefficient, ranks, self._values)
        missing = 1 - self._pull()
        spread = self._flow.spread
        received = self._received
        if spread is not None:
            received = received[spread.page] * spread.part
        return settle(received, ranks, jump, missing)

    def _pull(self) -> float:
        if self._pool is None:
            return self._pull_part(0, len(self._received))
        return sum(self._pool.map(self._pull_part, self._cuts[:-1], self._cuts[1:]))

    def _pull_part(self, first: int, last: int) -> float:
        part = self._flow.in_ptr[first : last + 1]
        received = self._received[first:last]
        return pull(part, self._flow.incoming, self._values, received, self._damping)
