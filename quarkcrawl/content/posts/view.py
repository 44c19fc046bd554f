"""A page as the search for posts sees it: plain lists, and what single nodes and runs tell."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.names import ASIDE, AUTHOR, BODY, DATE, QUOTE, names_of
from quarkcrawl.content.posts.words import (
    ACTION_TEXT,
    DATE_TEXT,
    EDIT_TEXT,
    FLOOR_TEXT,
    MAX_EDIT_CHARS,
    MAX_NAME_RUNS,
    is_head,
    may_be_name,
)
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quarkcrawl.content.posts.names import Names
    from quarkcrawl.page import PageTree
    from quarkcrawl.page.tree import Attributes, RunLines

    BoolArray = NDArray[np.bool_]


DATED, AUTHORED, ACTED, NUMBERED, HEADED, PICTURED, PLAIN = (1 << bit for bit in range(7))
"""Bits of what stands in an element: a date, an author, buttons or the number of a post, an
address of its own, a heading that leads to another page, the picture of a person, other text."""

N_TAGS: Final = len(TAG_IDS)
"""Tags from this number on are none of HTML: their names are given by the site."""

_A: Final = TAG_IDS["a"]
_IMG: Final = TAG_IDS["img"]
_TIME: Final = TAG_IDS["time"]
_HEADINGS: Final = frozenset(TAG_IDS[name] for name in ("h1", "h2", "h3", "h4"))
_TELLING: Final = _HEADINGS | {_TIME}
"""Tags of elements that tell something without attributes."""

QUOTES: Final = frozenset(TAG_IDS[name] for name in ("blockquote", "q", "cite"))
AUTHOR_LINK: Final = re.compile(
    r"(?=[umpsaw/])(?:user|member|profile|uid[=-]|space|people|author|/u/|/~|mid=|/i/|/id/|who)",
    re.IGNORECASE,
)
_CARD: Final = re.compile(r"data-(?:user|author|member)|data-\w*card-url$")
"""Attributes from which a script shows who somebody is."""

_PICTURE: Final = re.compile(
    r"(?=[agpfhu])(?:avatar|gravatar|portrait|face|head|profile|userpic)", re.IGNORECASE
)
_DIGIT: Final = re.compile(r"\d")
MIN_THREAD, _MAY_BE_THREAD, _MAX_NO_THREAD = 0.5, 0.1, 0.05
"""How likely a page must be a thread to be taken for one, and where other signs decide; below the
last, names alone make no thread of it."""

_MAX_DATE_CHARS: Final = 120
_MAX_HEAD_CHARS: Final = 40
_MAX_ACTION_CHARS: Final = 30
_MAX_VALUE_CHARS: Final = 300
_MAX_HEADER_NODES: Final = 80
_MAX_HEADER_RUNS: Final = 12
_MAX_FOOTER_RUNS: Final = 8
_MAX_KNOWN: Final = 20_000


def _text_facts(text: str) -> int:
    """What a text tells of the post that it stands in, wherever it stands."""
    return _short_text_facts(text) if len(text) < MAX_EDIT_CHARS else PLAIN


@lru_cache(_MAX_KNOWN)
def _short_text_facts(text: str) -> int:
    """The same of a text that may be a label; pages of a site repeat theirs."""
    n_chars = len(text)
    if EDIT_TEXT.match(text):
        return 0
    facts = AUTHORED if n_chars < _MAX_HEAD_CHARS and is_head(text) else 0
    if n_chars < _MAX_DATE_CHARS and DATE_TEXT.search(text):
        return facts | DATED
    if n_chars < _MAX_ACTION_CHARS and (ACTION_TEXT.match(text) or FLOOR_TEXT.match(text)):
        return facts | ACTED
    return facts | PLAIN


class PageView:
    """Lists of a tree's arrays, names of its nodes, and what each node and run tells.

    Args:
        tree: the page.
        lines: how its runs stand in lines.
        dated: which of them show a date.
        thread_probability: how likely the page is a thread, if that can be asked.

    Attributes:
        tree: the page.
        lines: how its runs stand in lines.
        dated: which of them show a date.
    """

    def __init__(
        self,
        tree: PageTree,
        lines: RunLines,
        dated: BoolArray,
        thread_probability: Callable[[], float] | None,
    ) -> None:
        self.tree, self.lines, self.dated = tree, lines, dated
        self._thread_probability = thread_probability
        self.attrs = tree.all_attrs
        self._names: dict[int, Names] = {}
        self._names_of: dict[tuple[str, Attributes], Names] = {}
        self._nodes: dict[int, int] = {}
        self._runs: dict[int, int] = {}

    @property
    def tells_threads(self) -> bool:
        """Whether the page can be asked whether it is a thread."""
        return self._thread_probability is not None

    @cached_property
    def _probability(self) -> float:
        """How likely the page is a thread, 0 where that cannot be asked."""
        return self._thread_probability() if self._thread_probability else 0.0

    @property
    def is_thread(self) -> bool:
        """Whether the page is likely a thread."""
        return self._probability >= MIN_THREAD

    @property
    def may_be_thread(self) -> bool:
        """Whether that is at least possible."""
        return self._probability >= _MAY_BE_THREAD

    @property
    def is_no_thread(self) -> bool:
        """Whether the page was asked and is hardly a thread, whatever its elements are named."""
        return self.tells_threads and self._probability < _MAX_NO_THREAD

    # Lists are several times as fast as arrays where single values are asked for.

    @cached_property
    def tag(self) -> list[int]:
        """Tag id of each node."""
        return self.tree.tag.tolist()  # type: ignore[no-any-return]

    @cached_property
    def end(self) -> list[int]:
        """One past the subtree of each node."""
        return self.tree.end.tolist()  # type: ignore[no-any-return]

    @cached_property
    def parent(self) -> list[int]:
        """Parent of each node."""
        return self.tree.parent.tolist()  # type: ignore[no-any-return]

    @cached_property
    def depth(self) -> list[int]:
        """Depth of each node."""
        return self.tree.depth.tolist()  # type: ignore[no-any-return]

    @cached_property
    def run_start(self) -> list[int]:
        """First text run of each node."""
        return self.tree.run_start.tolist()  # type: ignore[no-any-return]

    @cached_property
    def run_end(self) -> list[int]:
        """One past the last text run of each node."""
        return self.tree.run_end.tolist()  # type: ignore[no-any-return]

    @cached_property
    def chars(self) -> list[int]:
        """Characters in each subtree."""
        return self.tree.text_chars.tolist()  # type: ignore[no-any-return]

    @cached_property
    def plain(self) -> list[int]:
        """Those outside links."""
        chars = np.where(self.lines.linked, 0, self.tree.run_chars)
        return self.tree.over_runs(chars).tolist()  # type: ignore[no-any-return]

    @cached_property
    def n_dated(self) -> NDArray[np.int64]:
        """Text runs with a date in each subtree."""
        return self.tree.over_runs(self.dated.view(np.uint8))

    @cached_property
    def run_chars(self) -> list[int]:
        """Characters of each text run."""
        return self.tree.run_chars.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _inked(self) -> list[int]:
        """Runs that show something: pages differ in the white space between their tags."""
        return np.flatnonzero(self.tree.run_chars).tolist()

    def edge_runs(self, start: int, stop: int, n_first: int, n_last: int) -> list[int]:
        """The first and the last visible runs of a slice of runs.

        Args:
            start: first run.
            stop: one past the last one.
            n_first: at most so many of the first ones.
            n_last: at most so many of the last ones, besides those.
        """
        first, end = bisect_left(self._inked, start), bisect_left(self._inked, stop)
        middle = min(end, first + n_first)
        return self._inked[first:middle] + self._inked[max(middle, end - n_last) : end]

    @cached_property
    def linked(self) -> list[bool]:
        """Whether each text run stands in a link."""
        return self.lines.linked.tolist()  # type: ignore[no-any-return]

    def names(self, node: int) -> Names:
        """Names of a node."""
        said = self._names.get(node)
        if said is None:
            attrs, tag = self.attrs[node], ""
            if self.tag[node] >= N_TAGS:
                tag = self.tree.tags[node]
                tag = tag if "-" in tag else ""
            said = self._names_of.get((tag, attrs))
            if said is None:
                said = self._names_of[tag, attrs] = names_of(attrs, tag)
            self._names[node] = said
        return said

    def bits_above(self, node: int, n_levels: int) -> int:
        """What the names of the next ancestors within the body speak for."""
        bits = 0
        for _ in range(n_levels):
            node = self.parent[node]
            if node <= 0 or self.tree.tags[node] == "body":
                break
            bits |= self.names(node).bits
        return bits

    def node_facts(self, node: int) -> int:
        """What a node tells of the post that it stands in."""
        facts = self._nodes.get(node)
        if facts is None:
            facts = self._nodes[node] = self._read_node(node)
        return facts

    def _read_node(self, node: int) -> int:
        tag = self.tag[node]
        if tag not in _TELLING and not self.attrs[node]:
            return 0
        said = self.names(node)
        facts = NUMBERED if said.number else 0
        if said.bits & AUTHOR:
            facts |= AUTHORED
        if said.bits & DATE and 0 < self.chars[node] < _MAX_DATE_CHARS:
            facts |= DATED if _DIGIT.search(self.tree.text(node)) else 0
        if tag == _TIME:
            return facts | DATED
        if tag == _A:
            return facts | self._read_link(node)
        if tag == _IMG:
            values = (value[:_MAX_VALUE_CHARS] for _, value in self.attrs[node] if value)
            return facts | (PICTURED if any(map(_PICTURE.search, values)) else 0)
        return facts | (HEADED if tag in _HEADINGS and self._leads_away(node) else 0)

    def _read_link(self, node: int) -> int:
        """A link to a person, or the name of a place on the page."""
        facts = 0
        for key, value in self.attrs[node]:
            if value and key == "href":
                facts |= AUTHORED if AUTHOR_LINK.search(value[:_MAX_VALUE_CHARS]) else 0
            elif value and key == "name":
                facts |= NUMBERED if _DIGIT.search(value[:_MAX_VALUE_CHARS]) else 0
            elif value and _CARD.match(key):
                is_person = "url" not in key or AUTHOR_LINK.search(value[:_MAX_VALUE_CHARS])
                facts |= AUTHORED if is_person else 0
        return facts

    def _leads_away(self, heading: int) -> bool:
        """Whether a heading is a link to another page, as in lists of articles."""
        for node in range(heading + 1, min(self.end[heading], heading + 6)):
            if self.tag[node] == _A:
                href = self.tree.attr(node, "href")
                if href and "#" not in href and not AUTHOR_LINK.search(href[:_MAX_VALUE_CHARS]):
                    return True
        return False

    def shows_name(self, runs: list[int], *, is_linked: bool = False) -> bool:
        """Whether one of the first runs may be a name and a date follows.

        Args:
            runs: the runs of an element.
            is_linked: whether names may be links, too.
        """
        is_named = False
        for run in runs[: MAX_NAME_RUNS + 1]:
            facts = self.run_facts(run)
            if facts & DATED:
                return is_named
            is_text = facts & PLAIN or (is_linked and not facts and self.linked[run])
            if is_text and self.run_chars[run] < _MAX_HEAD_CHARS:
                is_named = is_named or may_be_name(" ".join(self.tree.runs[run].split()))
        return False

    def run_facts(self, run: int) -> int:
        """What a text run tells of the post that it stands in."""
        facts = self._runs.get(run)
        if facts is None:
            facts = self._runs[run] = self._read_run(run) if self.run_chars[run] else 0
        return facts

    def _read_run(self, run: int) -> int:
        facts = _text_facts(" ".join(self.tree.runs[run].split()))
        return facts & ~PLAIN if self.linked[run] else facts

    def has_header(self, body: int, others: set[int]) -> bool:
        """Whether the header of a post stands in an element.

        Args:
            body: the element.
            others: nodes of posts; what lies in them is not looked at.
        """
        for node in range(body + 1, min(self.end[body], body + _MAX_HEADER_NODES)):
            if node in others:
                break
            if self.tag[node] == _TIME or self._is_header(node, body):
                return True
        start, stop = self.run_start[body], self.run_end[body]
        return any(
            len(" ".join(self.tree.runs[run].split())) < _MAX_HEAD_CHARS
            and self.run_facts(run) & (ACTED | DATED)
            for run in self.edge_runs(start, stop, _MAX_HEADER_RUNS, _MAX_FOOTER_RUNS)
        )

    def _is_header(self, node: int, body: int) -> bool:
        """Whether a node is named as author or date, outside quotations."""
        bits = self.names(node).bits
        is_head = bits & (AUTHOR | DATE) and not bits & (QUOTE | BODY)
        is_short = 0 < self.chars[node] < _MAX_HEAD_CHARS
        return bool(is_head) and is_short and not self.in_quote(node, body)

    def in_quote(self, node: int, top: int) -> bool:
        """Whether a node lies in a quotation below another one."""
        while node > top:
            if self.names(node).bits & QUOTE or self.tag[node] in QUOTES:
                return True
            node = self.parent[node]
        return False

    def is_body(self, node: int) -> bool:
        """Whether a node is named as the text of a post."""
        bits = self.names(node).bits
        return bool(bits & BODY) and not bits & (ASIDE | AUTHOR | DATE | QUOTE)
