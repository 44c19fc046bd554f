"""How far blocks are from the content, in a compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def distances(content: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many blocks each block is away from the nearest content block."""
    n = len(content)
    found = np.full(n, n + 1, np.intp)
    last = -1
    for block in range(n):
        last = block if content[block] else last
        if last >= 0:
            found[block] = block - last
    last = -1
    for block in range(n - 1, -1, -1):
        last = block if content[block] else last
        if last >= 0:
            found[block] = min(found[block], last - block)
    return found
