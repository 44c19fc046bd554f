"""Power iteration: the ranks at which the flow comes to rest.

What the links do not carry, because a page has none or the surfer is bored, is spread by the
teleport distribution. It is worked out as what is missing to 1, so that the sum of ranks is 1 at
each round whatever the rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.rank.iterate.step import IterationStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from quarkcrawl.rank.iterate.flow import Flow

    FloatArray = NDArray[Any]


DAMPING: Final = 0.85
_LEAST_TOLERANCE: Final = {"float64": 1e-16, "float32": 1e-7}


@dataclass(frozen=True, slots=True)
class IterationOptions:
    """How to iterate.

    Args:
        damping: probability of following a link, 1 − ε of the thesis; 0 ≤ damping < 1.
        tolerance: the walk has come to rest when the ranks of two rounds differ by less, as the
            sum of absolute differences. The distance to the true ranks is then at most
            tolerance · damping / (1 − damping).
        max_rounds: stop after so many in any case.
        dtype: ``"float64"`` or ``"float32"``, the precision in which ranks are stored; sums are
            always made in float64.
        threads: how many run the inner loop; 0 for one a core where there are enough links.

    Raises:
        ConfigError: a value makes no sense.
    """

    damping: float = DAMPING
    tolerance: float = 1e-10
    max_rounds: int = 1000
    dtype: str = "float64"
    threads: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.damping < 1:
            raise ConfigError(f"{self.damping} is not from 0 to below 1", where="damping")
        if self.dtype not in _LEAST_TOLERANCE:
            raise ConfigError(f"{self.dtype!r} is not float64 or float32", where="dtype")
        if not self.tolerance >= 0:
            raise ConfigError(f"{self.tolerance} is not from 0", where="tolerance")
        if self.max_rounds < 1:
            raise ConfigError(f"{self.max_rounds} is not from 1", where="max_rounds")


@dataclass(frozen=True, slots=True)
class Ranks:
    """What an iteration came to.

    Args:
        values: rank of each node; they sum to 1.
        residuals: L1 difference made by each round.
        converged: whether the last one was below the tolerance.
        damping: with which damping.
    """

    values: FloatArray
    residuals: tuple[float, ...]
    converged: bool
    damping: float

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.residuals)


def distribution(weights: ArrayLike | None, n: int, what: str) -> NDArray[np.float64]:
    """Weights made to sum to 1; uniform for None.

    Raises:
        ConfigError: not one weight a node, or one is negative or no number, or all are zero.
    """
    if weights is None:
        return np.full(n, 1 / n if n else 0.0)
    given = np.asarray(weights, np.float64)
    if given.shape != (n,):
        raise ConfigError(f"{given.size} weights for {n} nodes", where=what)
    if not np.isfinite(given).all() or (given < 0).any():
        raise ConfigError("weights must be numbers from 0", where=what)
    total = given.sum()
    if n and not total > 0:
        raise ConfigError("all weights are zero", where=what)
    shares: NDArray[np.float64] = given / total
    return shares


def iterate(
    flow: Flow,
    options: IterationOptions | None = None,
    *,
    start: ArrayLike | None = None,
    teleport: ArrayLike | None = None,
    on_round: Callable[[int, float, FloatArray], None] | None = None,
) -> Ranks:
    """Iterate until the ranks rest.

    Args:
        flow: who sends to whom.
        options: damping, tolerance, precision.
        start: ranks to begin with (warm start); None: the teleport distribution.
        teleport: where the bored surfer goes, and the one on a page without links
            (personalisation); None: anywhere alike.
        on_round: called after each round with its number, its L1 difference and the ranks, which
            are valid during the call only.

    Raises:
        ConfigError: start or teleport is no distribution over the nodes.
    """
    options = options or IterationOptions()
    n, dtype = flow.n_nodes, np.dtype(options.dtype)
    jump = distribution(teleport, n, "teleport")
    ranks = (jump if start is None else distribution(start, n, "start")).astype(dtype)
    # A uniform teleport is one number; the kernel then reads no array for it.
    jump = (jump[:1] if teleport is None else jump).astype(dtype)
    if not n:
        return Ranks(ranks, (), converged=True, damping=options.damping)
    return _rounds(flow, options, ranks, jump, on_round)


def _rounds(
    flow: Flow,
    options: IterationOptions,
    ranks: FloatArray,
    jump: FloatArray,
    on_round: Callable[[int, float, FloatArray], None] | None,
) -> Ranks:
    residuals: list[float] = []
    tolerance = max(options.tolerance, _LEAST_TOLERANCE[options.dtype])
    with IterationStep(flow, options.damping, ranks.dtype, options.threads) as walk:
        while len(residuals) < options.max_rounds:
            residuals.append(walk.step(ranks, jump))
            if on_round is not None:
                on_round(len(residuals), residuals[-1], ranks)
            if residuals[-1] < tolerance:
                break
    converged = residuals[-1] < tolerance
    return Ranks(ranks, tuple(residuals), converged, options.damping)
