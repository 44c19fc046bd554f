"""The compiled loop over the attributes of a page.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import Attributes


def naming_values(
    all_attrs: list[Attributes], is_read: NDArray[np.bool_]
) -> tuple[set[str], set[str]]:
    """Values of the attributes that name elements, and of those that declare what they are."""
    names: set[str] = set()
    types: set[str] = set()
    for node in range(len(all_attrs)):
        if not is_read[node]:
            continue
        attrs = all_attrs[node]
        for attr in attrs:
            key = attr[0]
            value = attr[1]
            if not value:
                continue
            if key == "class" or key == "id" or key == "itemprop" or key == "role":  # noqa: PLR1714
                names.add(value)
            elif key == "itemtype" or key == "property" or key == "typeof":  # noqa: PLR1714
                types.add(value)
    return names, types
