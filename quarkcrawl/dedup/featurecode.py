"""Feature codes: ten Han characters around a full stop.

Zhang et al. (2002) and Peng et al. (HIT, 2004) take the five characters on either side of the first
full stop of an article as its code: navigation has no full stops, so the code comes from what
somebody wrote. Only Han characters count, everything between them is passed over; a full stop
without five on both sides is passed over, too. Two codes match when their longest common
subsequence has at least ``10 - slack`` characters (spec featurecode.md, "What L is").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from quarkcrawl.dedup.loops import find_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray


CODE_CHARS: Final = 10
"""Length L of a code: five characters before the full stop and five after it."""

_NO_LETTERS: Final = re.compile(r"[\W_]+")


class CodedText(NamedTuple):
    """What feature code rules know about a text.

    Args:
        head: codes of the first full stops, one a row, as code points.
        tail: codes of the last full stops, the last one first.
        n_chars: number of Han characters.
    """

    head: NDArray[np.uint32]
    tail: NDArray[np.uint32]
    n_chars: int


def text_units(text: str) -> NDArray[np.uint32]:
    """Code points of a text; lone surrogates stay what they are."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def letters_of(text: str) -> str:
    """The letters and digits of a text, as ``str.isalnum`` knows them."""
    return _NO_LETTERS.sub("", text)


def code_text(text: str, *, n_head: int = 1, n_tail: int = 0) -> CodedText:
    """Find the feature codes of a text in one pass.

    Args:
        text: the content of a page, without its title.
        n_head: how many codes from the beginning; codes that repeat are taken once.
        n_tail: how many from the end.

    Returns:
        The codes that there are, and the length in Han characters.
    """
    units = text_units(text)
    room = np.empty((2, len(units)), np.uint32)
    head = np.empty((n_head, CODE_CHARS), np.uint32)
    tail = np.empty((n_tail, CODE_CHARS), np.uint32)
    has_head, has_tail, n_chars = find_codes(units, room, head, tail)
    return CodedText(head[:has_head], tail[:has_tail], n_chars)


def code_strings(codes: NDArray[np.uint32]) -> tuple[str, ...]:
    """Codes as strings of ten characters.

    Args:
        codes: characters as numbers, ten to a code.

    >>> code_strings(code_text("北京大学天网实验室。它收集中文网页！").head)
    ('天网实验室它收集中文',)
    """
    joined = codes.tobytes().decode("utf-32-le")
    return tuple(joined[at : at + CODE_CHARS] for at in range(0, len(joined), CODE_CHARS))
