"""How much an element counts, by its depth (thesis, section 4.2.4, which names no function).

Weights are integers, so that sums do not depend on the order of summation: similarity is exactly
symmetric and bounds are exactly bounds.
"""

from __future__ import annotations

import difflib
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.page.tree import MAX_DEPTH
from quarkcrawl.template.structure.skeleton import CODE_BITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]


_UNIT: Final = 4096

WEIGHTS: Final[dict[str, Callable[[int], float]]] = {
    "inverse": lambda depth: 1 / (1 + depth),
    "geometric": lambda depth: 0.9**depth,
    "constant": lambda _: 1.0,
}
"""Weight functions of the depth by name; ``constant`` gives the plain common subsequence."""


@cache
def depth_weights(name: str = "inverse") -> LongArray:
    """Weight of an element at each depth.

    Args:
        name: one of `WEIGHTS`.

    Raises:
        ConfigError: there is no such function.
    """
    if name not in WEIGHTS:
        near = difflib.get_close_matches(name, WEIGHTS, 1) or list(WEIGHTS)
        raise ConfigError(f"no weight function {name!r}; there is {', '.join(near)}")
    weigh = WEIGHTS[name]
    weights = [max(1, round(_UNIT * weigh(depth))) for depth in range(MAX_DEPTH + 1)]
    table = np.array(weights, np.int64)
    table.setflags(write=False)
    return table


def token_weights(tokens: IntArray, name: str = "inverse") -> LongArray:
    """Weight of each token.

    Args:
        tokens: see `quarkcrawl.template.TagSequence`.
        name: one of `WEIGHTS`.
    """
    weights: LongArray = depth_weights(name)[tokens >> CODE_BITS]
    return weights
