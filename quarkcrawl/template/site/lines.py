"""The lines of a page's content, each with its place: what pages of one host are compared by."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quarkcrawl.content import Content
    from quarkcrawl.page import PageTree


_LEAST_CHARS: Final = 8
"""Shorter lines (names, "Abstract", a closing bracket) are content as often as not."""

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
"""What is said below them differs, however often the same author calls it the same."""

_LEVELS: Final = 4
_MASK: Final = (1 << 64) - 1
NOWHERE: Final = 0
"""Place of a line that is never taken out."""


@dataclass(frozen=True, slots=True)
class SiteLines:
    """Lines of a page's content as numbers, in order; white space counts for nothing.

    Args:
        texts: hash of what each line says.
        places: hash of the elements that it stands in, `NOWHERE` for one that must stay.
        chars: its visible characters.
    """

    texts: list[int]
    places: list[int]
    chars: list[int]


@dataclass(frozen=True, slots=True)
class TextLines:
    """The same with the lines themselves.

    Args:
        hashed: their numbers.
        texts: the lines of the text.
        runs: the runs of the page that each is made of; none where that is not known.
    """

    hashed: SiteLines
    texts: list[str]
    runs: list[range]


def site_lines(content: Content) -> SiteLines:
    """The lines of a page's content.

    Args:
        content: what a method found on a page.
    """
    return text_lines(content).hashed


def line_key(text: int, place: int) -> int:
    """The number under which a text at a place is known.

    Args:
        text: hash of the text.
        place: hash of the place.
    """
    return (place * 0x9E3779B97F4A7C15 + text) & _MASK


def text_lines(content: Content) -> TextLines:
    """The lines of a content's text: slices of its runs, which differ in white space only.

    Args:
        content: what a method found on a page.
    """
    tree = content.page.tree
    content_runs = (content.runs & ~tree.run_raw).nonzero()[0].tolist()
    squeezed = ["".join(tree.runs[run].split()) for run in content_runs]
    starts = list(accumulate(map(len, squeezed), initial=0))
    inked, preformatted = "".join(squeezed), tree.run_lines.preformatted
    texts = content.text.split("\n")
    reader, at = _PlaceReader(tree), 0
    hashed, places, chars, runs = [], [], [], []
    for line in texts:
        text = "".join(line.split())
        start = inked.find(text, at) if text else -1
        here, place = range(0), NOWHERE
        if start >= 0:
            at = start + len(text)
            here = _whole_runs(starts, start, at)
            first = content_runs[here.start] if here else -1
            if len(text) >= _LEAST_CHARS and here and not preformatted[first]:
                place = reader.place(int(tree.run_node[first]))
        hashed.append(_number(text))
        places.append(place)
        chars.append(len(text))
        runs.append(
            range(content_runs[here.start], content_runs[here.stop - 1] + 1) if here else here
        )
    return TextLines(SiteLines(hashed, places, chars), texts, runs)


def _whole_runs(starts: list[int], start: int, end: int) -> range:
    """Which runs a slice of their text is made of; none if it cuts one."""
    first, last = bisect_left(starts, start), bisect_left(starts, end)
    is_whole = starts[first] == start and starts[last] == end
    return range(first, last) if is_whole else range(0)


class _PlaceReader:
    """Reads where a line stands: the elements up to the nearest one with a class."""

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree
        self._known: dict[int, int] = {}

    def place(self, node: int) -> int:
        """The number of a place; `NOWHERE` for headings."""
        if node not in self._known:
            self._known[node] = self._read(node)
        return self._known[node]

    def _read(self, node: int) -> int:
        words = []
        for _ in range(_LEVELS):
            if node < 0:
                break
            if self._tree.tags[node] in _HEADINGS:
                return NOWHERE
            words.append(self._tree.tags[node])
            name = _first_name(self._tree.attr(node, "class"))
            if name:
                words.append(name)
                break
            node = int(self._tree.parent[node])
        return _number(" ".join(words))


def _first_name(names: str | None) -> str:
    """The first name of a class attribute without numbers: those are of the page."""
    word = next(iter((names or "").split()), "")
    return "".join(char for char in word if not char.isdigit())


def _number(text: str) -> int:
    """64 bits that tell texts apart, never `NOWHERE`."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") or 1
