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

from quarkcrawl.kernels import compiled

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


@compiled
def _is_han(unit: int) -> bool:
    if unit < 0x3400:
        return False
    if unit < 0xA000:
        return unit >= 0x4E00 or unit < 0x4DC0
    if unit < 0x20000:
        return 0xF900 <= unit <= 0xFAFF
    return unit <= 0x3134F


@compiled
def _scan(
    units: NDArray[np.uint32], han: NDArray[np.uint32], stops: NDArray[np.int64]
) -> tuple[int, int]:
    """Copy the Han characters; note how many stand before each full stop."""
    n_han = 0
    n_stops = 0
    for unit in units:
        if _is_han(unit):
            han[n_han] = unit
            n_han += 1
        elif (
            (unit == 0x3002 or unit == 0xFF0E or unit == 0xFF61)  # noqa: PLR1714 - for numba
            and n_han >= 5
            and (n_stops == 0 or stops[n_stops - 1] != n_han)
        ):
            stops[n_stops] = n_han
            n_stops += 1
    return n_han, n_stops


@compiled
def _take(
    han: NDArray[np.uint32],
    n_han: int,
    stops: NDArray[np.int64],
    n_stops: int,
    codes: NDArray[np.uint32],
    step: int,
) -> int:
    """Codes of the first stops, or with step -1 of the last ones, without repetition."""
    found = 0
    at = 0 if step > 0 else n_stops - 1
    while 0 <= at < n_stops and found < len(codes):
        stop = stops[at]
        at += step
        if stop + 5 > n_han:
            continue
        fresh = True
        for row in range(found):
            same = True
            for n in range(10):
                if codes[row, n] != han[stop - 5 + n]:
                    same = False
                    break
            if same:
                fresh = False
                break
        if fresh:
            codes[found] = han[stop - 5 : stop + 5]
            found += 1
    return found


@compiled
def _code(
    units: NDArray[np.uint32], head: NDArray[np.uint32], tail: NDArray[np.uint32]
) -> tuple[int, int, int]:
    han = np.empty(len(units), np.uint32)
    stops = np.empty(len(units), np.int64)
    n_han, n_stops = _scan(units, han, stops)
    n_head = _take(han, n_han, stops, n_stops, head, 1)
    n_tail = _take(han, n_han, stops, n_stops, tail, -1)
    return n_han, n_head, n_tail


def code_text(text: str, *, n_head: int = 1, n_tail: int = 0) -> CodedText:
    """Find the feature codes of a text in one pass.

    Args:
        text: the content of a page, without its title.
        n_head: how many codes from the beginning; codes that repeat are taken once.
        n_tail: how many from the end.

    Returns:
        The codes that there are, and the length in Han characters.
    """
    head = np.empty((n_head, CODE_CHARS), np.uint32)
    tail = np.empty((n_tail, CODE_CHARS), np.uint32)
    n_chars, has_head, has_tail = _code(text_units(text), head, tail)
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
