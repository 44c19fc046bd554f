"""Words that are sought all over a page and mostly stand nowhere."""

from __future__ import annotations


def find_mark(text: str, mark: str, first: int, last: int) -> int:
    """What ``text.find`` gives.

    Some character of a word that stands nowhere mostly stands nowhere, too, which is seen at once;
    for two characters the method needs five times as long as for one.
    """
    for char in mark:
        if text.find(char, first, last) < 0:
            return -1
    return text.find(mark, first, last)
