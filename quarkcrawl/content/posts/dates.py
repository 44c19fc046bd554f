"""Which text runs of a page show a date; found in one pass over its characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.loops import mark_dates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree


_MAX_CHARS: Final = 80
_JOINS: Final = np.array([ord(char) for char in "-./:年月"], np.uint16)
_UNITS: Final = np.array([ord(char) for char in "之分周天小年日时時月秒週鐘钟"], np.uint16)
_NAMES: Final = """
    jan feb mar apr may jun jul aug sep oct nov dec mär mai okt dez fév avr jui aoû déc ene abr ago
    dic sun mon tue wed thu fri sat
"""


def _packed(name: str) -> int:
    """Three letters in a number, as the loop packs them."""
    first, second, third = ((ord(letter) | 32) & 511 for letter in name)
    return first << 18 | second << 9 | third


_MONTHS: Final = np.array([*map(_packed, _NAMES.split())], np.int32)


def dated_runs(tree: PageTree) -> tuple[NDArray[np.bool_], int]:
    """Which short runs show a date, a time of day or how long ago something was; how many do.

    Args:
        tree: the page.
    """
    chars = tree.run_class
    dated = np.zeros(len(tree.runs), np.bool_)
    n_dates = mark_dates(chars.codes, chars.starts, _MAX_CHARS, _JOINS, _UNITS, _MONTHS, dated)
    return dated, n_dates
