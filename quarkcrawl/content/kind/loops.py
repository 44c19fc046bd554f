"""Compiled loops over the attributes of a page and over text.

Types of arguments and the compiled file come from ``loops.pxd``; see docs/contributing.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from quarkcrawl.content.loops import name_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree import Attributes

    IntArray = NDArray[np.int32]
    UIntArray = NDArray[np.uint32]


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


def word_codes(words: list[str], mask: int) -> set[int]:
    """CRC-32 of each word in UTF-8, cut to the bits of a mask."""
    codes: set[int] = set()
    for word in words:
        code: int = crc32(word.encode("utf-8", "surrogatepass"))
        codes.add(code & mask)
    return codes


def name_codes(names: list[str], table: UIntArray, mask: int) -> set[int]:
    """CRC-32 of the words of names such as ``navItem``, and of each two that follow one another.

    Words are those of `quarkcrawl.content.loops.name_words` that have two letters at least.

    Args:
        names: class names and ids.
        table: what each byte does to a CRC-32.
        mask: bits of the codes.
    """
    codes: set[int] = set()
    for name in names:
        has_before, before = False, 0
        for letters in name_words(name):
            n = len(letters)
            if n < 2:
                continue
            word, both = 0xFFFFFFFF, before
            both = table[(both ^ 32) & 255] ^ (both >> 8)
            for place in range(n):
                code = ord(letters[place])
                word = table[(word ^ code) & 255] ^ (word >> 8)
                both = table[(both ^ code) & 255] ^ (both >> 8)
            codes.add((word ^ 0xFFFFFFFF) & mask)
            if has_before:
                codes.add((both ^ 0xFFFFFFFF) & mask)
            has_before, before = True, word
    return codes


def label_codes(labels: list[str], table: UIntArray, whole: int, part: int, mask: int) -> set[int]:
    """CRC-32 of short texts, and of each word of those in ASCII.

    Args:
        labels: the texts, with single spaces between their words.
        table: what each byte does to a CRC-32.
        whole: state of the CRC-32 behind what stands before a whole text.
        part: that behind what stands before a word.
        mask: bits of the codes.
    """
    codes: set[int] = set()
    for label in labels:
        data: bytes = label.encode("utf-8", "surrogatepass")
        n = len(data)
        is_ascii = n == len(label)
        text, word, n_letters = whole, part, 0
        for place in range(n):
            byte = data[place]
            text = table[(text ^ byte) & 255] ^ (text >> 8)
            if byte != 32:
                word = table[(word ^ byte) & 255] ^ (word >> 8)
                n_letters += 1
            if is_ascii and n_letters and (byte == 32 or place + 1 == n):
                codes.add((word ^ 0xFFFFFFFF) & mask)
                word, n_letters = part, 0
        codes.add((text ^ 0xFFFFFFFF) & mask)
    return codes


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
