"""Compiled loops over the attributes of a page and over text.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import Attributes

    IntArray = NDArray[np.int32]


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


def bucket_of(code: int, behind: int, mask: int) -> int:
    """Bucket of pieces that begin with two characters, or are one alone: then ``behind`` is -1."""
    if behind < 0:
        return mask + 1 + (code & mask)
    return (code * 33 ^ behind) & mask


def count_pieces(
    text: str,
    codes: IntArray,
    starts: IntArray,
    first: IntArray,
    following: IntArray,
    mask: int,
    ends: IntArray,
    counts: IntArray,
) -> None:
    """Count pieces in a text as `str.count` does: those of one kind do not overlap.

    Args:
        text: what they are counted in.
        codes: characters of the pieces.
        starts: where each piece starts in them, and the end.
        first: first piece of each bucket, -1 for none.
        following: next piece of the same bucket.
        mask: one less than the number of buckets of either kind, see `bucket_of`.
        ends: where each piece was found last, behind it; 0 at first.
        counts: how often each piece was found; 0 at first.
    """
    n = len(text)
    for place in range(n):
        code = ord(text[place])
        behind = ord(text[place + 1]) if place + 1 < n else -1
        for n_first_codes in range(1, 3):
            if n_first_codes == 2 and behind < 0:
                break
            piece = first[bucket_of(code, behind if n_first_codes == 2 else -1, mask)]
            while piece >= 0:
                start = starts[piece]
                n_codes = starts[piece + 1] - start
                if place >= ends[piece] and place + n_codes <= n:
                    n_same = 0
                    while n_same < n_codes and ord(text[place + n_same]) == codes[start + n_same]:
                        n_same += 1
                    if n_same == n_codes:
                        counts[piece] += 1
                        ends[piece] = place + n_codes
                piece = following[piece]
