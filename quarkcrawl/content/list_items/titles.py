"""Titles of the items of a list: headings, or the links that tell one item from the others."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.list_items.prices import price_in
from quarkcrawl.content.list_items.text import ItemText, is_mark, n_letters

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MIN_OF_HEADING: Final = 0.5
"""So much of a heading are links if one of them leads where it promises."""

_MAX_SAME: Final = 2
_MAX_SAME_SHARE: Final = 0.25
"""What links of more items say alike, numbers aside, is no title: "Read more", "3 comments"."""

_FIRST: Final = 1.5
"""So much more the first link of an item weighs: what it is comes before who it is from."""

_MAX_BESIDE: Final = 12
"""So many text runs are looked at beside a link in its line."""

_MAX_LABEL_CHARS: Final = 24
"""What stands before a title in its line, in an element of its own, is no longer than that."""

_BRACKETED: Final = re.compile(r"[\[【(（〔〖「][^\]】)）〕〗」]{0,20}[\]】)）〕〗」]")
_COUNT: Final = re.compile(r"^\d[\d,.]*|(?<=[(（:：])\s?\d+")
_SEPARATORS: Final = frozenset("-–—―:：|｜/／(（[【·•~～…»›>")
"""What stands between the title of an item and what is said about it in the same line."""


class ItemTitle(NamedTuple):
    """The title of an item.

    Args:
        text: what it says, on one line.
        start: its first run.
        end: one past its last run.
        link: the link that leads where it promises, -1 for none.
        is_line: whether it is a whole line.
    """

    text: str
    start: int
    end: int
    link: int
    is_line: bool = True


class _Candidates(NamedTuple):
    """What the title of an item is chosen from.

    Args:
        node: the item.
        rows: its runs line by line.
        links: those in it that lead to other pages, in document order.
        named: those that may be a title.
    """

    node: int
    rows: dict[int, list[int]]
    links: list[int]
    named: list[ItemTitle]


def titles_of(text: ItemText, items: list[int], looks: NDArray[np.int64]) -> list[ItemTitle]:
    """The title of each item of a list, its text "" where an item says nothing.

    Args:
        text: text of the page.
        items: the items, in document order.
        looks: equal for nodes that look the same.
    """
    finder = _Finder(text, looks)
    candidates = [finder.item(node) for node in items]
    finder.compare(candidates)
    return [finder.title(item) for item in candidates]


class _Finder:
    """Finds titles of the items of one list."""

    def __init__(self, text: ItemText, looks: NDArray[np.int64]) -> None:
        tree = text.tree
        self._text, self._tree, self._looks = text, tree, looks
        self._is_linked = tree.run_anchor.tolist()
        self._headings = tree.places(*_HEADINGS)
        self._repeated = set[str]()
        self._weights: dict[int, float] = {}

    def item(self, node: int) -> _Candidates:
        """What the title of an item is chosen from."""
        text = self._text
        links = [link for link in text.inside(self._tree.link_nodes, node) if self._leads_on(link)]
        rows = text.rows(*text.runs_of(node))
        named = [title for link in links if (title := self._named(link, rows))]
        return _Candidates(node, rows, links, named)

    def compare(self, items: list[_Candidates]) -> None:
        """Tell links that say the same in many items, and weigh those of one look together."""
        texts = Counter(text for item in items for text in {*map(_key, item.named)})
        most = max(_MAX_SAME, _MAX_SAME_SHARE * len(items))
        self._repeated = {text for text, n_items in texts.items() if n_items > most}
        sums, counts = Counter[int](), Counter[int]()
        for item in items:
            for n, title in enumerate(self._own(item)):
                look = int(self._looks[title.link])
                sums[look] += int(self._n_chars(title) * (1.0 if n else _FIRST))
                counts[look] += 1
        self._weights = {look: total / counts[look] for look, total in sums.items()}

    def title(self, item: _Candidates) -> ItemTitle:
        """The title of an item: its heading, its link that says most, or its first line."""
        if heading := self._heading(item):
            return heading
        if own := self._own(item):
            return max(own, key=self._weight)
        return self._first_line(item.rows.values(), self._any_link(item))

    def _heading(self, item: _Candidates) -> ItemTitle | None:
        """The first heading of the highest level, numbers left out."""
        tags = self._tree.tags
        nodes = self._text.outermost(self._headings, item.node)
        for node in sorted(nodes, key=lambda heading: tags[heading]):
            text = self._text.text(node)
            if not is_mark(text):
                return ItemTitle(text, *self._text.runs_of(node), self._leading(item, node))
        return None

    def _leading(self, item: _Candidates, heading: int) -> int:
        """The link of a heading: in it or around it, of the same words, or any of the item."""
        n_chars, end = self._tree.text_chars, self._tree.end
        inner = [link for link in item.links if heading <= link < end[heading]]
        if n_chars[inner].sum() >= _MIN_OF_HEADING * n_chars[heading]:
            return max(reversed(inner), key=n_chars.__getitem__)
        outer = [link for link in item.links if link <= heading < end[link]]
        words = self._text.text(heading)
        alike = [link for link in item.links if n_chars[link] == n_chars[heading]]
        same = [link for link in alike if self._text.text(link) == words]
        return (outer or same)[0] if outer or same else self._any_link(item, heading)

    def _any_link(self, item: _Candidates, heading: int = -1) -> int:
        """The link around an item, of its picture, or the longest that is a line; -1 for none."""
        n_chars = self._tree.text_chars
        if (around := self._around(item.node)) >= 0:
            return around
        end = heading if heading >= 0 else int(self._tree.end[item.node])
        pictures = (link for link in item.links if link < end and not n_chars[link])
        lines = [title.link for title in item.named if title.is_line]
        return next(pictures, max(lines, key=n_chars.__getitem__, default=-1))

    def _around(self, item: int) -> int:
        """The link that an item is or stands in, -1 for none."""
        nodes = (item, int(self._tree.parent[item]))
        return next((n for n in nodes if self._tree.tags[n] == "a" and self._leads_on(n)), -1)

    def _leads_on(self, link: int) -> bool:
        """Whether a link leads anywhere but to another place of the page."""
        return (self._tree.attr(link, "href") or "#")[0] != "#"

    def _own(self, item: _Candidates) -> list[ItemTitle]:
        """The links of an item that do not say the same as those of many others."""
        return [title for title in item.named if _key(title) not in self._repeated]

    def _n_chars(self, title: ItemTitle) -> int:
        return int(self._tree.text_chars[title.link])

    def _weight(self, title: ItemTitle) -> tuple[float, int]:
        """What speaks for a link being the title of its item."""
        return self._weights[int(self._looks[title.link])], self._n_chars(title)

    def _named(self, link: int, rows: dict[int, list[int]]) -> ItemTitle | None:
        """The title that a link is, None if it is a part of a sentence, or says nothing."""
        text = self._text
        lines = text.rows(*text.runs_of(link))
        if not lines:
            return None
        runs = [run for row in lines.values() for run in row]
        start, end = runs[0], runs[-1] + 1
        first, last = rows[text.piece[start]], rows[text.piece[end - 1]]
        place = bisect_left(first, start)
        if place > _MAX_BESIDE or not self._may_precede(first[:place], link):
            return None
        n_before, place = place, bisect_left(last, end)
        behind = last[place : place + _MAX_BESIDE]
        if first is not last:
            is_title = is_mark(self._unlinked(behind))
            return self._first_line(lines.values(), link) if is_title else None
        is_line = not (n_before or behind)
        title = ItemTitle(text.said(runs), start, end, link, is_line)
        return title if is_line or self._may_follow(behind, link) else None

    def _may_precede(self, runs: list[int], link: int) -> bool:
        """Whether what stands before a link is a date, a number, a sign or a label of its own."""
        text = _BRACKETED.sub("", self._unlinked(runs)).strip()
        if is_mark(text):
            return True
        is_label = len(text) <= _MAX_LABEL_CHARS and text[-1] not in ":："
        return is_label and not any(self._is_beside(run, link) for run in runs)

    def _may_follow(self, runs: list[int], link: int) -> bool:
        """Whether what stands behind a link does not go on with a sentence that it begins."""
        plain = [run for run in runs if not self._is_linked[run]]
        text = self._text.said(plain)
        if is_mark(text) or text[0] in _SEPARATORS or not self._is_beside(plain[0], link):
            return True
        return n_letters(text) <= int(self._tree.text_chars[link])

    def _is_beside(self, run: int, link: int) -> bool:
        """Whether a text run stands in an element that a link stands in, too."""
        node = int(self._tree.run_node[run])
        return node < link < int(self._tree.end[node])

    def _unlinked(self, runs: list[int]) -> str:
        """What some runs say outside of links."""
        return self._text.said(run for run in runs if not self._is_linked[run])

    def _first_line(self, rows: Iterable[list[int]], link: int) -> ItemTitle:
        """The first line that is more than a date, a price or a number, else the first."""
        lines = [(text, row) for row in rows if (text := self._text.said(row))]
        if not lines:
            return ItemTitle("", 0, 0, link)
        names = (line for line in lines if not (is_mark(line[0]) or price_in(line[0])))
        text, row = next(names, lines[0])
        return ItemTitle(text, row[0], row[-1] + 1, link)


def _key(title: ItemTitle) -> str:
    """The words of a title, equal where only counts differ; chapters have numbers of their own."""
    return _COUNT.sub("0", title.text)
