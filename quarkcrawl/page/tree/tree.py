"""The page as arrays: every element in preorder, every text run in document order.

A subtree is the slice ``node … end[node]``, its text the slice ``run_start[node] …
run_end[node]`` of the runs, and any sum over a subtree the difference of two prefix sums. One walk
behind the parse finds the structure; what is counted and where lines break is worked out when it is
first asked for, so that a crawl that only follows links pays for little more than the parse.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.loops import sort_by_tag
from quarkcrawl.page.text import RunChars, encoded_once
from quarkcrawl.page.tree.apart import RunPlaces, runs_apart
from quarkcrawl.page.tree.formulas import formula_signs, text_with_formulas
from quarkcrawl.page.tree.mathml import ParsedText
from quarkcrawl.page.tree.nodearrays import covered, is_named, prefix_sums, sibling_ordinals
from quarkcrawl.page.tree.parse import parse_events
from quarkcrawl.page.tree.tags import MAX_TAG_ID, TAG_IDS
from quarkcrawl.page.tree.walk import (
    ANCHOR,
    BREAKS,
    HIDDEN,
    RunLines,
    inked_before,
    run_lines,
    structure,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree.parse import Attributes, Events

    IntArray = NDArray[np.int32]
    PlaceArray = NDArray[np.intp]
    BoolArray = NDArray[np.bool_]


MAX_DEPTH: Final = 512
"""Elements nested deeper become siblings at this depth, as in browsers."""


_MATH: Final = ("mjx-container", "mml:math")
"""Elements of formulas beside ``math``: those of MathJax 3, and MathML with a prefix."""

_SAYING: Final = frozenset(("content", "alt", "title"))
"""Attributes that say something to readers, where others are names and addresses."""


class PageTree:
    """One HTML document as a struct of arrays.

    Nodes are numbered in preorder, 0 is ``html``. Build with `PageTree.parse`.

    Attributes:
        tags: element name of each node, lower case.
        runs: text runs in document order, character references resolved.
        marks: one number per start and end of an element, see
            `quarkcrawl.page.tree.parse.Events`; elements deeper than `MAX_DEPTH` are siblings.
        tag: tag id of each node, see `quarkcrawl.page.tree.TAG_IDS`.
        parent: parent of each node, -1 for node 0.
        end: one past the last node of each node's subtree.
        depth: number of ancestors of each node, at most `MAX_DEPTH`.
        hidden: nodes that browsers do not show.
        run_start: index of the first run at or after each node's start.
        run_end: one past the last run of each node's subtree.
        run_node: the node that directly holds each run; below `MAX_DEPTH` the one that started
            last.
        run_raw: runs that are not visible text (scripts, styles, the title …).
        run_formula: runs that are a formula, as TeX between dollar signs; None if there are none.
        parsed_run: number of each run among those that the parser found in the source, -1 for
            formulas; None where all runs are the parser's.
        is_mended: whether texts that were encoded twice were read once more.
        unclosed: name of the element (or ``comment``) that was never closed, would have taken most
            of the page and was read as empty; "" on other pages.
    """

    def __init__(self, events: Events) -> None:
        self.tags = events.tags
        self.runs = events.runs
        self._attrs = events.attrs
        self.run_formula: BoolArray | None = None
        self.parsed_run: IntArray | None = None
        self.is_mended = False
        self._links = events.links
        self.unclosed = events.unclosed
        self.tag = events.tag
        self._lay_out(events.marks)

    def _lay_out(self, marks: IntArray) -> None:
        """Find the structure."""
        self.marks, arrays = structure(marks, self.tag, len(self.runs), HIDDEN, MAX_DEPTH)
        self.parent, self.end, self.depth, self.hidden = arrays[:4]
        self.run_start, self.run_end, self.run_node, self.run_raw = arrays[4:]

    @classmethod
    def parse(cls, html: str) -> PageTree:
        """Parse a document as browsers do; never raises.

        Args:
            html: the whole page.
        """
        events = parse_events(html)
        tree = cls(events)
        tree._set_formulas(events)
        return tree

    def with_runs(self, runs: list[str], attrs: list[Attributes] | None = None) -> PageTree:
        """The same page with other texts in its runs; what was counted before is counted anew.

        Args:
            runs: one text a run.
            attrs: other attributes of each node, None for those of before.
        """
        other = copy(self)
        of_class = vars(PageTree)
        counted = [name for name in vars(other) if isinstance(of_class.get(name), cached_property)]
        for name in counted:
            del vars(other)[name]
        vars(other).update(runs=runs, _attrs=self._attrs if attrs is None else attrs)
        return other

    def encoded_once(self) -> PageTree:
        """The same page, its texts read once more where they were encoded twice."""
        sayings = dict.fromkeys(
            value for attrs in self._attrs for name, value in attrs if name in _SAYING and value
        )
        texts = encoded_once([*self.runs, *sayings])
        if texts is None:
            return self
        n_runs = len(self.runs)
        again = dict(zip(sayings, texts[n_runs:], strict=True))
        attrs = [_with_values(attrs, again) for attrs in self._attrs]
        other = self.with_runs(texts[:n_runs], attrs)
        other.is_mended = True
        return other

    def _set_formulas(self, events: Events) -> None:
        """Make each formula one run of TeX."""
        signs = formula_signs(
            self._attrs,
            self.places("script"),
            self.places("img"),
            has_math=len(self.places("math")) > 0 or any(map(events.has_rare_tag, _MATH)),
            has_marked=events.has_rare_tag("math-renderer"),
        )
        parsed = ParsedText(
            self.tags, self._attrs, self.runs, self.end, self.run_start, self.run_end
        )
        replaced = text_with_formulas(parsed, self.marks, self.run_node, self.run_raw, signs)
        if replaced is not None:
            self.runs, self.run_formula = replaced.runs, replaced.is_formula
            self.parsed_run = replaced.parsed_run
            self._lay_out(replaced.marks)

    def __len__(self) -> int:
        return len(self.tags)

    # Text runs

    @cached_property
    def visible_runs(self) -> list[str]:
        """The text runs, empty where they are not visible."""
        visible = self.runs.copy()
        for run in self.run_raw.nonzero()[0].tolist():
            visible[run] = ""
        return visible

    @cached_property
    def spaced_runs(self) -> list[str]:
        """The text runs, those with a space that would make one word of two elements' words."""
        places = self.run_start, self.run_end, self.run_raw
        words = RunPlaces(self.tag, self.parent, self.end, *places, self.runs, self._attrs)
        apart = runs_apart(words)
        if not apart:
            return self.runs
        spaced = self.runs.copy()
        for run in apart:
            spaced[run] += " "
        return spaced

    @cached_property
    def run_lines(self) -> RunLines:
        """How the runs stand in lines as a reader sees them; every ``a`` is a link."""
        return self.lines_by(BREAKS, ANCHOR.take(self.tag))

    def lines_by(self, breaks: NDArray[np.uint8], is_link: NDArray[np.uint8]) -> RunLines:
        """How the runs stand in lines, where other elements break them and other ones are links.

        Args:
            breaks: by tag id `quarkcrawl.page.tree.LINE` for what starts and ends a line,
                `quarkcrawl.page.tree.CELL` for table cells.
            is_link: 1 for each node that counts as a link.
        """
        return run_lines(self.marks, self.tag, self.hidden, len(self.runs), breaks, is_link)

    @property
    def run_anchor(self) -> BoolArray:
        """Runs inside an ``a`` element."""
        return self.run_lines.linked

    def text(self, node: int = 0) -> str:
        """Visible text of a subtree, as it stands between the tags.

        Args:
            node: number of the root of the subtree.
        """
        return "".join(self.visible_runs[self.run_start[node] : self.run_end[node]])

    def texts(self, nodes: PlaceArray | list[int]) -> list[str]:
        """`text` of several subtrees.

        Args:
            nodes: numbers of their roots.
        """
        places = zip(self.run_start[nodes].tolist(), self.run_end[nodes].tolist(), strict=True)
        runs = self.visible_runs
        return ["".join(runs[start:end]) for start, end in places]

    def inked_before(self, runs: PlaceArray) -> PlaceArray:
        """The last run with a visible character before each of some runs, -1 for none.

        Args:
            runs: numbers of the runs.
        """
        return inked_before(self.run_chars, runs)

    # Quantities of subtrees

    def over_runs(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Sum of a quantity of runs over the subtree of each node.

        Args:
            values: one number a text run.
        """
        total = prefix_sums(values)
        return total[self.run_end] - total[self.run_start]

    def over_nodes(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Sum of a quantity of nodes over the subtree of each node (itself included).

        Args:
            values: one number a node.
        """
        total = prefix_sums(values)
        return total[self.end] - total[:-1]

    @cached_property
    def run_class(self) -> RunChars:
        """Character classes of the visible runs; those that are raw count nothing."""
        return RunChars(self.runs, self.run_raw)

    @cached_property
    def run_chars(self) -> IntArray:
        """Visible characters of each run that are not white space; 0 for raw runs."""
        return self.run_class.inked

    @cached_property
    def text_chars(self) -> NDArray[np.int64]:
        """Visible non-white characters in each subtree."""
        return self.over_runs(self.run_chars)

    @cached_property
    def own_chars(self) -> NDArray[np.int64]:
        """Visible non-white characters that stand directly in each node."""
        sums = np.bincount(self.run_node, weights=self.run_chars, minlength=len(self))
        return sums.astype(np.int64)

    @cached_property
    def anchor_chars(self) -> NDArray[np.int64]:
        """Visible non-white characters of links in each subtree."""
        return self.over_runs(self.run_chars * self.run_anchor)

    @cached_property
    def punctuation(self) -> NDArray[np.int64]:
        """Visible punctuation marks in each subtree."""
        return self.over_runs(self.run_class.punctuation)

    @cached_property
    def stops(self) -> NDArray[np.int64]:
        """Visible commas and full stops in each subtree."""
        return self.over_runs(self.run_class.stops)

    @cached_property
    def link_count(self) -> NDArray[np.int64]:
        """Number of ``a`` elements with ``href`` in each subtree."""
        is_link = np.zeros(len(self), np.int64)
        is_link[self.link_nodes] = 1
        return self.over_nodes(is_link)

    @cached_property
    def link_nodes(self) -> PlaceArray:
        """``a`` elements with ``href``, in document order."""
        links = np.array(self._links, np.intp)
        links.setflags(write=False)  # as what `places` gives: loops are compiled for one of both
        return links

    # Names and attributes

    @property
    def all_attrs(self) -> list[Attributes]:
        """`raw_attrs` of all nodes."""
        return self._attrs

    def raw_attrs(self, node: int) -> tuple[tuple[str, str | None], ...]:
        """Attributes of a node as (name, value) in source order, None for no value.

        Args:
            node: number of the node.
        """
        return self._attrs[node]

    def attrs(self, node: int) -> dict[str, str]:
        """Attributes of a node in source order; one without a value maps to "".

        Args:
            node: number of the node.
        """
        return {name: value or "" for name, value in self._attrs[node]}

    def attr(self, node: int, name: str) -> str | None:
        """One attribute of a node; "" when it has no value, None when it is absent.

        Args:
            node: number of the node.
            name: name of the attribute, lower case.
        """
        for key, value in self._attrs[node]:
            if key == name:
                return value or ""
        return None

    @cached_property
    def anchors(self) -> dict[int, tuple[str | None, str | None]]:
        """``href`` and ``rel`` of each ``a`` element, None where absent."""
        anchors = {}
        for node in self.nodes("a"):
            href = rel = None
            for name, value in self._attrs[node]:
                if name == "href":
                    href = value or ""
                elif name == "rel":
                    rel = value
            anchors[node] = href, rel
        return anchors

    def nodes(self, *tags: str) -> list[int]:
        """Numbers of all nodes with one of these names, in document order.

        Args:
            tags: element names, lower case.
        """
        rows: list[int] = self.places(*tags).tolist()
        return rows

    def places(self, *tags: str) -> PlaceArray:
        """`nodes` as an array.

        Args:
            tags: element names, lower case.
        """
        if len(tags) == 1 and tags[0] in TAG_IDS:
            order, first = self._by_tag
            number = TAG_IDS[tags[0]]
            return order[first[number] : first[number + 1]]
        if all(name in TAG_IDS for name in tags):
            return is_named(self.tag, tags).nonzero()[0]
        return np.array([node for node, name in enumerate(self.tags) if name in tags], np.intp)

    @cached_property
    def _by_tag(self) -> tuple[PlaceArray, list[int]]:
        """Nodes with known names sorted by tag id, and where those of each id start."""
        first, order = np.zeros(len(TAG_IDS) + 1, np.intp), np.empty(len(self), np.intp)
        sort_by_tag(self.tag, first, order)
        order.setflags(write=False)  # slices of it are handed out
        return order, first.tolist()

    @cached_property
    def title(self) -> str:
        """Text of the first ``title`` element outside pictures, white space folded."""
        titles, pictures = self.places("title"), self.places("svg")
        if len(titles) and len(pictures) and pictures[0] < titles[0]:
            titles = titles[~covered(pictures, self.end[pictures], len(self))[titles]]
        if not len(titles):
            return ""
        runs = self.runs[self.run_start[titles[0]] : self.run_end[titles[0]]]
        return " ".join("".join(runs).split())

    @cached_property
    def _among_siblings(self) -> tuple[IntArray, BoolArray]:
        """Ordinal of each node among its siblings of the same name, and whether it has any."""
        names: NDArray[np.integer] = self.tag
        if int(names.max()) == MAX_TAG_ID:  # shared by several names
            names = np.unique(self.tags, return_inverse=True)[1]
        return sibling_ordinals(self.parent, names)

    def path(self, node: int) -> str:
        """Where a node stands, as an XPath.

        Args:
            node: number of the node.

        >>> PageTree.parse("<div>天网</div><div><p>北京大学").path(5)
        '/html/body/div[2]/p'
        """
        ordinal, has_others = self._among_siblings
        steps: list[str] = []
        while node >= 0:
            name = self.tags[node]
            steps.append(f"{name}[{ordinal[node]}]" if has_others[node] else name)
            node = int(self.parent[node])
        return "/" + "/".join(reversed(steps))


def _with_values(attrs: Attributes, again: dict[str, str]) -> Attributes:
    return tuple(
        (name, again[value] if name in _SAYING and value else value) for name, value in attrs
    )
