"""Search keys of feature codes: codes that match share a key, others do not.

Two strings of ten characters have a common subsequence of length k exactly if they share one of
their subsequences of length k, so a fuzzy comparison becomes look-ups: 1 key for equality, 10 for
"L - 1", 45 for "L - 2". A balanced tree, as the paper has it, would only find the matches on the
path of its descent. Keys are 64-bit hashes; nothing is compared again, a false match costs a
collision of 64 bits.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.dedup.featurecode import CODE_CHARS
from quarkcrawl.dedup.loops import hash_picks

if TYPE_CHECKING:
    from numpy.typing import NDArray


MAX_SLACK: Final = 2


def _picks(slack: int) -> NDArray[np.int64]:
    """Positions of all subsequences of a length, one a row."""
    return np.array(list(combinations(range(CODE_CHARS), CODE_CHARS - slack)), np.int64)


_PICKS: Final = tuple(_picks(slack) for slack in range(MAX_SLACK + 1))

KEYS_PER_CODE: Final = tuple(len(picks) for picks in _PICKS)
"""Number of keys of a code by slack."""


def code_keys(codes: NDArray[np.uint32], slack: int = 1) -> NDArray[np.uint64]:
    """Keys of codes.

    Args:
        codes: code points, one code a row.
        slack: 0 for equal codes only, 1 for "L - 1", 2 for "L - 2".

    Returns:
        One row of keys a code.
    """
    keys = np.empty((len(codes), KEYS_PER_CODE[slack]), np.uint64)
    hash_picks(codes, _PICKS[slack], keys)
    return keys
