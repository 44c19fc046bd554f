"""Which elements count for the structure of a page (thesis, section 2.2.2 and table 6.4).

The printed patterns have no word boundary (``b`` would also remove ``body``); here names are
compared as a whole, after parsing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.tree import TAG_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray


KEEP: Final = 0
UNWRAP: Final = 1
DROP: Final = 2


@dataclass(frozen=True, slots=True)
class TagPolicy:
    """What happens to an element when a page is simplified; all others are kept.

    Args:
        dropped: names removed with their content.
        unwrapped: names of which only the content stays (void elements have none).
    """

    dropped: frozenset[str]
    unwrapped: frozenset[str]

    def actions(self) -> NDArray[np.int8]:
        """Action of each tag id of `quarkcrawl.page.tree.TAG_NAMES`; other ids are kept."""
        return _actions(self)


@cache
def _actions(policy: TagPolicy) -> NDArray[np.int8]:
    actions = [
        DROP if name in policy.dropped else UNWRAP if name in policy.unwrapped else KEEP
        for name in TAG_NAMES
    ]
    return np.array(actions, np.int8)


def _policy(dropped: str, unwrapped: str) -> TagPolicy:
    return TagPolicy(frozenset(dropped.split()), frozenset(unwrapped.split()))


_VOID: Final = "link input br img meta wbr audio"
_WRAPPERS: Final = "strong em font b p li ul ol td tr th tbody table"

THESIS_POLICY: Final = _policy("style script", f"{_VOID} {_WRAPPERS}")
"""Table 6.4 and the ``audio`` that the text names."""

DEFAULT_POLICY: Final = _policy(
    "style script noscript template svg iframe", f"{_VOID} {_WRAPPERS} thead tfoot"
)
"""The thesis' table and its evident neighbors."""
