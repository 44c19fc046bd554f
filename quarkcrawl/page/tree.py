"""The page as arrays: every element in preorder, every text run in document order.

A subtree is the slice ``node … end[node]``, its text the slice ``run_start[node] …
run_end[node]`` of the runs, and any sum over a subtree the difference of two prefix sums. Arrays
are computed when they are first asked for, so that a crawl that only follows links pays for
little more than the parse.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.page.parse import END, START, TEXT, parse_events
from quarkcrawl.page.tags import HIDDEN_TAGS, MAX_TAG_ID, TAG_IDS, TAG_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page.parse import Events

    IntArray = NDArray[np.int32]
    BoolArray = NDArray[np.bool_]

__all__ = ["MAX_DEPTH", "PageTree"]

MAX_DEPTH = 512
"""Elements nested deeper become siblings at this depth, as in browsers."""


class PageTree:
    """One HTML document as a struct of arrays.

    Nodes are numbered in preorder, 0 is ``html``. Build with `PageTree.parse`.

    Attributes:
        runs: text runs in document order, character references resolved.
    """

    def __init__(self, events: Events) -> None:
        self._tags = events.tags
        self._attrs = events.attrs
        self._codes = np.frombuffer(events.codes, np.uint8)
        self.runs = events.runs

    @classmethod
    def parse(cls, html: str) -> PageTree:
        """Parse a document as browsers do; never raises.

        Args:
            html: the whole page.
        """
        return cls(parse_events(html))

    def __len__(self) -> int:
        return len(self._tags)

    # Structure

    @cached_property
    def tag(self) -> NDArray[np.int16]:
        """Tag id of each node, see `quarkcrawl.page.tags.TAG_IDS`."""
        try:
            ids = [TAG_IDS[name] for name in self._tags]
        except KeyError:
            known = dict(TAG_IDS)
            ids = [known.setdefault(name, len(known)) for name in self._tags]
            ids = [min(number, MAX_TAG_ID) for number in ids]
        return np.array(ids, np.int16)

    @cached_property
    def _levels(self) -> IntArray:
        """Number of open elements after each event."""
        steps = np.array([0, 1, -1], np.int32)[self._codes]
        return np.cumsum(steps, dtype=np.int32)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._codes == START)

    @cached_property
    def _raw_depth(self) -> IntArray:
        return self._levels[self._starts] - 1

    @cached_property
    def _end_events(self) -> NDArray[np.intp]:
        """Position of each node's end event: within a level, starts and ends alternate."""
        ends = np.flatnonzero(self._codes == END)
        by_start = np.argsort(self._raw_depth, kind="stable")
        by_end = np.argsort(self._levels[ends], kind="stable")
        matched = np.empty(len(self), np.intp)
        matched[by_start] = ends[by_end]
        return matched

    @cached_property
    def _n_started(self) -> IntArray:
        return np.cumsum(self._codes == START, dtype=np.int32)

    @cached_property
    def _n_runs_before(self) -> IntArray:
        return np.cumsum(self._codes == TEXT, dtype=np.int32)

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
        end = self._n_started[self._end_events]
        if self._is_flattened:
            leaf = self._raw_depth >= MAX_DEPTH
            end[leaf] = np.flatnonzero(leaf) + 1
        return end

    @cached_property
    def _depth_keys(self) -> NDArray[np.int64]:
        """Nodes ordered by depth, then number, as sorted keys ``depth * len + node``."""
        keys = self.depth * np.int64(len(self)) + np.arange(len(self))
        keys.sort()
        return keys

    def _last_at(self, depth: NDArray[np.int64], before: NDArray[np.int64]) -> IntArray:
        """For each pair the last node below number ``before`` that has this depth."""
        n = len(self)
        place = np.searchsorted(self._depth_keys, depth * n + before) - 1
        return (self._depth_keys[place] % n).astype(np.int32)

    @cached_property
    def parent(self) -> IntArray:
        """Parent of each node, -1 for node 0."""
        parent = self._last_at(
            np.maximum(self.depth.astype(np.int64) - 1, 0), np.arange(len(self), dtype=np.int64)
        )
        parent[0] = -1
        return parent

    # Text runs

    @cached_property
    def run_start(self) -> IntArray:
        """Index of the first run at or after each node's start."""
        return self._n_runs_before[self._starts]

    @cached_property
    def run_end(self) -> IntArray:
        """One past the last run of each node's subtree."""
        end = self._n_runs_before[self._end_events]
        if self._is_flattened:
            leaf = np.flatnonzero(self._raw_depth >= MAX_DEPTH)
            follow = np.append(self.run_start, len(self.runs))
            end[leaf] = np.minimum(end[leaf], follow[leaf + 1])
        return end

    @cached_property
    def run_node(self) -> IntArray:
        """The node that directly holds each run."""
        texts = np.flatnonzero(self._codes == TEXT)
        started = self._n_started[texts].astype(np.int64)
        depth = np.minimum(self._levels[texts] - 1, MAX_DEPTH).astype(np.int64)
        return self._last_at(depth, started)

    @cached_property
    def hidden(self) -> BoolArray:
        """Nodes that browsers do not show (in or below an element of `HIDDEN_TAGS`)."""
        change = np.zeros(len(self) + 1, np.int32)
        roots = np.array([i for i, name in enumerate(self._tags) if name in HIDDEN_TAGS], np.intp)
        np.add.at(change, roots, 1)
        np.add.at(change, self.end[roots], -1)
        return np.cumsum(change[:-1]) > 0

    @cached_property
    def run_raw(self) -> BoolArray:
        """Runs that are not visible text (scripts, styles, the title …)."""
        return self.hidden[self.run_node]

    def text(self, node: int = 0) -> str:
        """Visible text of a subtree, as it stands between the tags."""
        first, last = int(self.run_start[node]), int(self.run_end[node])
        raw = self.run_raw[first:last]
        runs = self.runs[first:last]
        return "".join(r for r, skip in zip(runs, raw.tolist(), strict=True) if not skip)

    # Names and attributes

    def tag_name(self, node: int) -> str:
        """Element name of a node, lower case."""
        return self._tags[node]

    def attrs(self, node: int) -> dict[str, str]:
        """Attributes of a node in source order; one without a value maps to ""."""
        return {name: value or "" for name, value in self._attrs[node]}

    def attr(self, node: int, name: str) -> str | None:
        """One attribute of a node; "" when it has no value, None when it is absent."""
        for key, value in self._attrs[node]:
            if key == name:
                return value or ""
        return None

    def nodes(self, *tags: str) -> list[int]:
        """Numbers of all nodes with one of these names, in document order."""
        if len(tags) == 1:
            name = tags[0]
            return [i for i, tag in enumerate(self._tags) if tag == name]
        names = frozenset(tags)
        return [i for i, tag in enumerate(self._tags) if tag in names]

    @cached_property
    def title(self) -> str:
        """Text of the first ``title`` element outside pictures, white space folded."""
        for node in self.nodes("title"):
            if any(self.end[svg] > node for svg in self.nodes("svg") if svg < node):
                continue
            runs = self.runs[self.run_start[node] : self.run_end[node]]
            return " ".join("".join(runs).split())
        return ""

    def path(self, node: int) -> str:
        """Where a node stands, as an XPath such as ``/html/body/div[2]/p``."""
        steps: list[str] = []
        while node >= 0:
            above = int(self.parent[node])
            steps.append(self._step(node, above))
            node = above
        return "/" + "/".join(reversed(steps))

    def _step(self, node: int, above: int) -> str:
        name = self._tags[node]
        if above < 0:
            return name
        siblings = np.flatnonzero(self.parent[above : self.end[above]] == above) + above
        same = [i for i in siblings.tolist() if self._tags[i] == name]
        return name if len(same) == 1 else f"{name}[{same.index(node) + 1}]"

    @staticmethod
    def known_tags() -> tuple[str, ...]:
        """Names behind the fixed tag ids."""
        return TAG_NAMES
