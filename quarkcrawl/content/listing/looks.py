"""Numbers that are equal for nodes of the same look, from names alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.posts import names_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree


def node_looks(tree: PageTree) -> NDArray[np.int64]:
    """A number for each node, equal where it and its parent have the same tag and class.

    Numbers in class names, and all of them but the first, make no difference.

    Args:
        tree: the page.
    """
    keys: dict[str, int] = {"": 0}
    own = np.array(
        [keys.setdefault(names_of(attrs).key, len(keys)) for attrs in tree.all_attrs], np.int64
    )
    own += tree.tag.astype(np.int64) << 24
    looks: NDArray[np.int64] = own * 0x1000193 + own[np.maximum(tree.parent, 0)]
    return looks
