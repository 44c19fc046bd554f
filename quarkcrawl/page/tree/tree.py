"""The page as arrays: every element in preorder, every text run in document order.

A subtree is the slice ``node … end[node]``, its text the slice ``run_start[node] …
run_end[node]`` of the runs, and any sum over a subtree the difference of two prefix sums. Arrays
are computed when they are first asked for, so that a crawl that only follows links pays for
little more than the parse.
"""

from __future__ import annotations

from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.page.text import PUNCTUATION, STOP, RunChars
from quarkcrawl.page.tree.nodearrays import (
    covered,
    is_named,
    prefix_sums,
    sibling_ordinals,
    stable_order,
)
from quarkcrawl.page.tree.parse import parse_events
from quarkcrawl.page.tree.tags import HIDDEN_TAGS, MAX_TAG_ID, TAG_IDS, tag_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.tree.folding import Folding
    from quarkcrawl.page.tree.parse import Attributes, Events
    from quarkcrawl.page.tree.structure import Structure

    IntArray = NDArray[np.int32]
    PlaceArray = NDArray[np.intp]
    BoolArray = NDArray[np.bool_]


MAX_DEPTH: Final = 512
"""Elements nested deeper become siblings at this depth, as in browsers."""


_KNOWN_IDS: Final = np.arange(len(TAG_IDS) + 1, dtype=np.int16)


class PageTree:
    """One HTML document as a struct of arrays.

    Nodes are numbered in preorder, 0 is ``html``. Build with `PageTree.parse`.

    Attributes:
        tags: element name of each node, lower case.
        runs: text runs in document order, character references resolved.
        structure: what `quarkcrawl.page.tree.fill` found; None if it was not asked.
        folding: reads runs as lines in compiled loops; None without that or for odd text.
    """

    def __init__(self, events: Events) -> None:
        self.tags = events.tags
        self.runs = events.runs
        self._attrs = events.attrs
        self._marks = np.frombuffer(events.marks, np.int32)
        self.structure: Structure | None = None
        self.folding: Folding | None = None

    @classmethod
    def parse(cls, html: str) -> PageTree:
        """Parse a document as browsers do; never raises.

        Args:
            html: the whole page.
        """
        return cls(parse_events(html))

    def __len__(self) -> int:
        return len(self.tags)

    def know(self, found: Structure, run_chars: IntArray | None = None) -> bool:
        """Take over what one walk through the page has found, so that it is not worked out again.

        Args:
            found: the page as that walk saw it.
            run_chars: visible characters of each run that are not white space, if counted.

        Returns:
            Whether it fits: of elements deeper than `MAX_DEPTH` the walk makes no siblings.
        """
        if int(found.depth.max()) > MAX_DEPTH:
            return False
        vars(self).update(
            parent=found.parent,
            end=found.end,
            depth=found.depth,
            hidden=found.hidden.view(np.bool_),
            run_start=found.run_start,
            run_end=found.run_end,
            run_node=found.run_node,
            run_raw=found.run_hidden.view(np.bool_),
        )
        if run_chars is not None:
            self.run_chars = run_chars
        return True

    # Structure. A mark is a start or an end of an element; levels count open elements.

    @cached_property
    def tag(self) -> NDArray[np.int16]:
        """Tag id of each node, see `quarkcrawl.page.tree.TAG_IDS`."""
        return tag_ids(self.tags)

    @cached_property
    def _is_start(self) -> BoolArray:
        return self._marks >= 0

    @cached_property
    def _levels(self) -> IntArray:
        return np.cumsum(np.where(self._is_start, 1, -1), dtype=np.int32)

    @cached_property
    def _starts(self) -> PlaceArray:
        return self._is_start.nonzero()[0]

    @cached_property
    def _raw_depth(self) -> IntArray:
        return self._levels[self._starts] - 1

    @cached_property
    def _end_marks(self) -> PlaceArray:
        """Mark that ends each node: within a level, starts and ends alternate."""
        ends = (~self._is_start).nonzero()[0]
        matched = np.empty(len(self), np.intp)
        matched[stable_order(self._raw_depth)] = ends[stable_order(self._levels[ends])]
        return matched

    @cached_property
    def _is_flattened(self) -> bool:
        return int(self._raw_depth.max()) > MAX_DEPTH

    @cached_property
    def depth(self) -> IntArray:
        """Number of ancestors of each node, at most `MAX_DEPTH`."""
        return np.minimum(self._raw_depth, MAX_DEPTH) if self._is_flattened else self._raw_depth

    @cached_property
    def end(self) -> IntArray:
        """One past the last node of each node's subtree."""
        marks = self._end_marks
        end = ((marks + 1 + self._levels[marks]) // 2).astype(np.int32)  # starts up to the mark
        if self._is_flattened:
            leaf = self._raw_depth >= MAX_DEPTH
            end[leaf] = leaf.nonzero()[0] + 1
        return end

    @cached_property
    def _depth_keys(self) -> NDArray[np.int64]:
        """Sorted keys ``depth * len + node``."""
        keys = self.depth * np.int64(len(self)) + np.arange(len(self))
        keys.sort()
        return keys

    def _last_at(self, depth: NDArray[np.int64], before: NDArray[np.int64]) -> IntArray:
        """For each pair the last node below number ``before`` that has this depth."""
        n = len(self)
        place = self._depth_keys.searchsorted(depth * n + before) - 1
        return (self._depth_keys[place] % n).astype(np.int32)

    @cached_property
    def parent(self) -> IntArray:
        """Parent of each node, -1 for node 0."""
        above = np.maximum(self.depth.astype(np.int64) - 1, 0)
        parent = self._last_at(above, np.arange(len(self), dtype=np.int64))
        parent[0] = -1
        return parent

    # Text runs

    @cached_property
    def run_start(self) -> IntArray:
        """Index of the first run at or after each node's start."""
        return self._marks[self._starts]

    @cached_property
    def run_end(self) -> IntArray:
        """One past the last run of each node's subtree."""
        end = ~self._marks[self._end_marks]
        if self._is_flattened:
            self._flatten_runs(end)
        return end

    def _flatten_runs(self, end: IntArray) -> None:
        """Below `MAX_DEPTH` a run belongs to the node that started last."""
        at_limit = self._raw_depth == MAX_DEPTH
        holder = np.maximum.accumulate(np.where(at_limit, np.arange(len(self)), 0))
        following = np.append(self.run_start[1:], np.int32(len(self.runs)))
        leaf = self._raw_depth >= MAX_DEPTH
        end[leaf] = np.minimum(following, end[holder])[leaf]

    @cached_property
    def run_node(self) -> IntArray:
        """The node that directly holds each run."""
        n_before = np.where(self._is_start, self._marks, ~self._marks)
        n_marks = n_before.searchsorted(np.arange(len(self.runs)), side="right")
        level = self._levels[n_marks - 1]
        n_started = ((n_marks + level) // 2).astype(np.int64)
        return self._last_at(np.minimum(level - 1, MAX_DEPTH).astype(np.int64), n_started)

    @cached_property
    def hidden_roots(self) -> PlaceArray:
        """Nodes that are an element of `quarkcrawl.page.tree.HIDDEN_TAGS`."""
        return self.places(*HIDDEN_TAGS)

    @cached_property
    def hidden(self) -> BoolArray:
        """Nodes that browsers do not show."""
        return covered(self.hidden_roots, self.end[self.hidden_roots], len(self))

    @cached_property
    def run_raw(self) -> BoolArray:
        """Runs that are not visible text (scripts, styles, the title …)."""
        roots = self.hidden_roots
        return covered(self.run_start[roots], self.run_end[roots], len(self.runs))

    @cached_property
    def run_anchor(self) -> BoolArray:
        """Runs inside an ``a`` element."""
        anchors = self.places("a")
        return covered(self.run_start[anchors], self.run_end[anchors], len(self.runs))

    def text(self, node: int = 0) -> str:
        """Visible text of a subtree, as it stands between the tags.

        Args:
            node: number of the root of the subtree.
        """
        runs = slice(self.run_start[node], self.run_end[node])
        return "".join(compress(self.runs[runs], (~self.run_raw[runs]).tolist()))

    def texts(self, nodes: PlaceArray) -> list[str]:
        """`text` of several subtrees, without asking run by run.

        Args:
            nodes: numbers of their roots.
        """
        if not self.run_class.is_exact:
            return list(map(self.text, nodes.tolist()))
        return self.run_class.texts(self.run_start[nodes], self.run_end[nodes])

    def inked_before(self, runs: PlaceArray) -> PlaceArray:
        """The last run with a visible character before each of some runs, -1 for none.

        Args:
            runs: numbers of the runs.
        """
        if self.folding is not None:
            return self.folding.inked_before(runs)
        inked = self.run_chars.nonzero()[0]
        return np.append(inked, -1)[inked.searchsorted(runs) - 1]

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
        return self.run_class.inked()

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
        return self.over_runs(self.run_class.count(PUNCTUATION))

    @cached_property
    def stops(self) -> NDArray[np.int64]:
        """Visible commas and full stops in each subtree."""
        return self.over_runs(self.run_class.count(STOP))

    @cached_property
    def link_count(self) -> NDArray[np.int64]:
        """Number of ``a`` elements with ``href`` in each subtree."""
        is_link = np.zeros(len(self), np.int64)
        is_link[self.link_nodes] = 1
        return self.over_nodes(is_link)

    @cached_property
    def link_nodes(self) -> PlaceArray:
        """``a`` elements with ``href``, in document order."""
        linking = [node for node, (href, _) in self.anchors.items() if href is not None]
        found = np.array(linking, np.intp)
        found.setflags(write=False)  # as what `places` gives: loops are compiled for one of both
        return found

    # Names and attributes

    @property
    def marks(self) -> IntArray:
        """One number per start and end of an element, see `quarkcrawl.page.tree.parse.Events`."""
        return self._marks

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
        found = {}
        for node in self.nodes("a"):
            href = rel = None
            for name, value in self._attrs[node]:
                if name == "href":
                    href = value or ""
                elif name == "rel":
                    rel = value
            found[node] = href, rel
        return found

    def nodes(self, *tags: str) -> list[int]:
        """Numbers of all nodes with one of these names, in document order.

        Args:
            tags: element names, lower case.
        """
        found: list[int] = self.places(*tags).tolist()
        return found

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
        """Nodes sorted by tag id, and where those of each known id start."""
        order = self.tag.argsort(kind="stable")
        order.setflags(write=False)  # slices of it are handed out
        return order, self.tag[order].searchsorted(_KNOWN_IDS).tolist()

    @cached_property
    def title(self) -> str:
        """Text of the first ``title`` element outside pictures, white space folded."""
        titles, pictures = self.places("title"), self.places("svg")
        if len(titles) and len(pictures) and pictures[0] < titles[0]:
            titles = titles[~covered(pictures, self.end[pictures], len(self))[titles]]
        return " ".join("".join(self._runs_inside(int(titles[0]))).split()) if len(titles) else ""

    def _runs_inside(self, node: int) -> list[str]:
        """Runs of a subtree; for a childless node without what `end` costs for the whole page."""
        mark = int(self._starts[node])
        first, after = self._marks[mark], self._marks[mark + 1]
        return self.runs[first : ~after if after < 0 else self.run_end[node]]

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
