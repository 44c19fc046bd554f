"""What the elements around a date say of it: that it is a comment's, or that of another page."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.page_lines import MAX_LINES, fold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page.tree import PageTree


_OF_COMMENT: Final = re.compile(
    r"(?:wp-|post-|article-)?(?:comment(?!ar)|repl(?:y|ies)(?![a-z])|respond|disqus|pinglun|huifu|liuyan)"
    r"|(?:[a-z]{1,9}[-_])?reviews?(?![a-z])|testimonials?(?![a-z])"
)
_COMMENT_TYPES: Final = ("/Comment", "/Review")
_COMMENT_PROPS: Final = frozenset(("comment", "review", "reviews"))
_MAX_CLASSES: Final = 8
_MAX_RUNS: Final = 40
_LEAST_TITLE, _LEAST_HAN_TITLE = 24, 16
"""Width of the shortest title of another page; a Chinese character is two wide."""
_MAX_TITLE_CHARS: Final = 200
_LINES_AROUND: Final = 4
_MAX_GAP: Final = 16
_LONG_TEXT: Final = 90
_FEW_CHARS, _MORE_CHARS = 3, 8
_MAX_DATE_CHARS: Final = 60
_IS_DATE: Final = re.compile(r"(?:19|20)\d\d|\d\d?\s?[-/.月]\s?\d\d?|\d\D{1,9}(?:前|ago)|昨天")
_BLANK_SIGNS: Final = " []()（）【】|·•:：,，-–—/.»>"


_MIN_TEASERS: Final = 3
_MAX_TEASER_LEVELS: Final = 8
_MAX_BESIDE: Final = 60
"""So many elements beside a teaser are looked at for others."""

_TEASER_TAGS: Final = frozenset(("article", "div", "li", "section"))


class DatePlaces:
    """Where dates stand on one page.

    Args:
        tree: the page.
        page_lines: its lines.
        place: number of the line of the headline.
    """

    def __init__(self, tree: PageTree, page_lines: PageLines, place: int) -> None:
        self._tree, self._lines, self._place = tree, page_lines, place
        self._is_comment = dict[int, bool]()

    @cached_property
    def text_start(self) -> int:
        """Number of the first line below the headline that reads like a paragraph."""
        below = enumerate(self._lines.lines[self._place + 1 :], self._place + 1)
        return next((number for number, line in below if len(line) > _LONG_TEXT), MAX_LINES)

    @cached_property
    def body_start(self) -> int:
        """The same where Chinese paragraphs may have half as many characters."""
        below = enumerate(self._lines.lines[self._place + 1 :], self._place + 1)
        wide = (
            number
            for number, line in below
            if 2 * len(line) > _LONG_TEXT and _width(line) > _LONG_TEXT
        )
        return next(wide, MAX_LINES)

    def is_of_comment(self, number: int) -> bool:
        """Whether a line stands in an element for comments that the headline is not in."""
        return self._holds_comment(number) and self.is_comment_on_text(number)

    def is_comment_on_text(self, number: int) -> bool:
        """Whether text stands above a line that is not itself a comment, as in some threads."""
        return number > self.body_start and not self._holds_comment(self.body_start)

    def _holds_comment(self, number: int) -> bool:
        if not 0 <= number < len(self._lines):
            return False
        run = self._lines.runs_between(number, number)[0]
        return self.is_in_comment(int(self._tree.run_node[run]))

    def is_in_comment(self, node: int) -> bool:
        """The same for a node."""
        path = list[int]()
        verdict, tree = False, self._tree
        while node > 0 and node not in self._is_comment:
            if tree.run_start[node] <= self._run_of_headline < tree.run_end[node]:
                break
            path.append(node)
            verdict = _is_comment(tree.attrs(node))
            if verdict:
                break
            node = int(tree.parent[node])
        verdict = verdict or self._is_comment.get(node, False)
        self._is_comment.update(dict.fromkeys(path, verdict))
        return verdict

    def is_in_teaser(self, node: int) -> bool:
        """Whether a node is in one of several elements each headed by a link to another page.

        Args:
            node: the element that shows a date.
        """
        tree = self._tree
        for _ in range(_MAX_TEASER_LEVELS):
            if node <= 0 or tree.run_start[node] <= self._run_of_headline < tree.run_end[node]:
                break
            parent = int(tree.parent[node])
            if self._is_teaser(node):
                n_teasers, beside = 0, parent + 1
                for _ in range(_MAX_BESIDE):
                    if beside >= tree.end[parent] or n_teasers == _MIN_TEASERS:
                        break
                    n_teasers += tree.tag[beside] == tree.tag[node] and self._is_teaser(beside)
                    beside = int(tree.end[beside])
                return n_teasers == _MIN_TEASERS
            node = parent
        return False

    def _is_teaser(self, node: int) -> bool:
        """Whether a box has just one heading that is a link to another page."""
        tree = self._tree
        first, end = self._linked_headings.searchsorted((node, tree.end[node])).tolist()
        return end == first + 1 and tree.tags[node] in _TEASER_TAGS

    @cached_property
    def _linked_headings(self) -> NDArray[np.intp]:
        """Headings below the first level that are links as wholes, but not to places in pages."""
        tree = self._tree
        headings, links = tree.places("h2", "h3", "h4"), tree.places("a")
        headings = headings[
            (tree.text_chars[headings] > 0)
            & (tree.anchor_chars[headings] == tree.text_chars[headings])
        ]
        places = links.searchsorted(tree.end[headings]) - 1
        is_other = [
            place >= 0 and "#" not in (tree.attr(int(links[place]), "href") or "#")
            for place in places.tolist()
        ]
        others: NDArray[np.intp] = headings[np.array(is_other, np.bool_)]
        return others

    @cached_property
    def _run_of_headline(self) -> int:
        return self._lines.runs_between(self._place, self._place)[0]

    def is_listed(self, number: int, date: str) -> bool:
        """Whether a date belongs to an item of a list of links to other pages.

        The title stands in the line of the date, or above or below it; and some other item is
        near, unless it is the line of a title below the text.

        Args:
            number: number of the date's line.
            date: as it is written there.
        """
        lines = self._lines.lines
        if not 0 <= number < len(lines) or number == self._place:
            return False
        if number > self.text_start and self._is_item(number, date, 0):
            return True
        if self._is_item(number, date, _FEW_CHARS):
            return any(self._is_item(other, "", _MORE_CHARS) for other in self._around(number))
        if not date or len(lines[number]) - len(date) > _FEW_CHARS:
            return False
        title = self._title_beside(number)
        return title >= 0 and any(
            _IS_DATE.search(lines[other][:_MAX_DATE_CHARS]) is not None
            and len(lines[other]) <= len(date) + _MORE_CHARS
            and self._title_beside(other) not in (-1, title)
            for other in self._around(number)
        )

    def _around(self, number: int) -> list[int]:
        """Numbers of the lines around a line that show something, nearest first."""
        above = self._shown(range(number - 1, max(number - _MAX_GAP, -1), -1))
        below = self._shown(range(number + 1, min(number + _MAX_GAP, len(self._lines.lines))))
        return above + below

    def _shown(self, numbers: range) -> list[int]:
        """The first of some lines that show something; none behind the headline."""
        shown = list[int]()
        for number in numbers:
            if number == self._place or len(shown) == _LINES_AROUND:
                break
            if self._lines.lines[number]:
                shown.append(number)
        return shown

    def _title_beside(self, number: int) -> int:
        """The line above or below that is the linked title of another page, -1 for none."""
        lines = self._lines
        for step in (-1, 1):
            beside = number + step
            while 0 <= beside < len(lines.lines) and not lines.lines[beside]:
                beside += step if abs(beside - number) < _MAX_GAP else len(lines.lines)
            is_other = 0 <= beside < len(lines.lines) and beside != self._place
            if is_other and _is_title(lines.lines[beside]) and lines.is_link(beside):
                return beside
        return -1

    def _is_item(self, number: int, date: str, n_more: int) -> bool:
        """Whether a line is a linked title, a date (``date`` or any) and few characters more."""
        tree = self._tree
        start, end = self._lines.runs_between(number, number)
        has_title, rest = False, list[str]()
        for run in range(start, min(end, start + _MAX_RUNS)):
            if tree.run_raw[run] or self._lines.line_of_run(run) != number:
                continue
            if tree.run_anchor[run] and _is_title(fold(tree.runs[run])):
                has_title = True
            else:
                rest.append(tree.runs[run])
        text = fold("".join(rest))
        is_dated = date in text if date else _IS_DATE.search(text) is not None
        if not has_title or not is_dated:
            return False
        text = text.replace(date, "", 1) if date else _IS_DATE.sub("", text, count=1)
        return len(text.strip(_BLANK_SIGNS)) <= n_more


def _is_title(text: str) -> bool:
    """Whether a link is as long as the titles of other pages."""
    has_wide = max(text, default="") > "\u2e80"
    least = _LEAST_HAN_TITLE if has_wide else _LEAST_TITLE
    return len(text) <= _MAX_TITLE_CHARS and _width(text) >= least


def _width(text: str) -> int:
    """Characters, Chinese ones twice."""
    return sum(1 + (char > "\u2e80") for char in text[: _LONG_TEXT + 1])


def _is_comment(attrs: dict[str, str]) -> bool:
    words = f"{attrs.get('class', '')} {attrs.get('id', '')}".lower().split()[:_MAX_CLASSES]
    if any(_OF_COMMENT.match(word) for word in words):
        return True
    is_typed = attrs.get("itemtype", "").endswith(_COMMENT_TYPES)
    return is_typed or attrs.get("itemprop") in _COMMENT_PROPS
