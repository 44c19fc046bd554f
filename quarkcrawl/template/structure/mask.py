"""Where the prose of a page stands, found from its arrays alone.

Clusters are about what a program generated. Inside the element that holds the article an author
decides which elements follow each other, so that long posts of one template look less alike than
short pages of two. This finds that element in one pass; it is no content extraction (see
`quarkcrawl.content`), which would cost as much as everything else here together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


_SHARE: Final = 0.7
_LEAST_CHARS: Final = 300


def prose_nodes(tree: PageTree) -> NDArray[np.bool_]:
    """Mark the innermost element that holds most of the text outside links, if there is one.

    Args:
        tree: the page.
    """
    opaque = np.zeros(len(tree), np.bool_)
    prose = tree.text_chars - tree.anchor_chars
    total = int(prose[0]) if len(tree) else 0
    holders = np.flatnonzero(prose >= max(_SHARE * total, _LEAST_CHARS))
    opaque[holders[-1:]] = True
    return opaque
