"""The structure of a page by array operations: what the compiled walks are compared with."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from quarkcrawl.page.tree import BLOCK_LEVEL_TAGS, CELLS, HIDDEN_TAGS, covered
from quarkcrawl.page.tree.parse import Events
from quarkcrawl.page.tree.tags import PREFORMATTED_TAGS
from quarkcrawl.page.tree.tree import MAX_DEPTH


class ArrayTree:
    """`quarkcrawl.page.PageTree`, from the marks of the parser and without a loop over them."""

    def __init__(self, events: Events) -> None:
        self.tags, self.n_runs = events.tags, len(events.runs)
        marks = np.array(events.marks, np.int32)
        is_start = marks >= 0
        levels = np.where(is_start, 1, -1).cumsum()
        starts, ends = is_start.nonzero()[0], (~is_start).nonzero()[0]
        depth = levels[starts] - 1
        end_mark = np.empty_like(starts)  # within a level, starts and ends alternate
        end_mark[depth.argsort(kind="stable")] = ends[levels[ends].argsort(kind="stable")]
        self.depth = np.minimum(depth, MAX_DEPTH)
        self.end = (end_mark + 1 + levels[end_mark]) // 2  # starts up to the mark
        self.run_start, self.run_end = marks[starts], ~marks[end_mark]
        # At the limit and below a node ends where the next begins, the last one with its holder.
        numbers, is_leaf = np.arange(len(starts)), depth >= MAX_DEPTH
        holder = np.maximum.accumulate(np.where(depth == MAX_DEPTH, numbers, 0))
        following = np.append(self.run_start[1:], self.n_runs)
        self.end[is_leaf] = numbers[is_leaf] + 1
        self.run_end = np.where(is_leaf, np.minimum(following, self.run_end[holder]), self.run_end)
        self._marks, self._levels = marks, levels

    @cached_property
    def parent(self) -> list[int]:
        """The last node before each that is one level higher."""
        last, found = dict[int, int](), []
        for node, depth in enumerate(self.depth.tolist()):
            found.append(last.get(depth - 1, -1))
            last[depth] = node
        return found

    @cached_property
    def run_node(self) -> list[int]:
        """The last node before each run that is as deep as the run."""
        n_marks = np.where(self._marks >= 0, self._marks, ~self._marks).searchsorted(
            np.arange(self.n_runs), side="right"
        )
        level = self._levels[n_marks - 1]
        depth, n_started = np.minimum(level - 1, MAX_DEPTH), (n_marks + level) // 2
        return [
            int((self.depth[:before] == wanted).nonzero()[0][-1])
            for wanted, before in zip(depth.tolist(), n_started.tolist(), strict=True)
        ]

    def _named(self, *names: str) -> Any:
        return np.isin(self.tags, names).nonzero()[0]

    def _runs_in(self, *names: str) -> Any:
        nodes = self._named(*names)
        return covered(self.run_start[nodes], self.run_end[nodes], self.n_runs)

    def _n_breaks(self, *names: str) -> Any:
        """Starts and ends of these elements, but for hidden ones, in front of each run or before."""
        nodes, hidden = self._named(*names), self._named(*HIDDEN_TAGS)
        nodes = nodes[~covered(hidden, self.end[hidden], len(self.tags))[nodes]]
        places = np.append(self.run_start[nodes], self.run_end[nodes])
        return np.bincount(places, minlength=self.n_runs + 1).cumsum()[:-1]

    def facts(self) -> dict[str, Any]:
        """All that a walk finds, by the name of the attribute."""
        hidden = self._named(*HIDDEN_TAGS)
        same = ("end", "depth", "parent", "run_start", "run_end", "run_node")
        row = self._n_breaks(*BLOCK_LEVEL_TAGS)
        return {
            **{name: getattr(self, name) for name in same},
            "hidden": covered(hidden, self.end[hidden], len(self.tags)),
            "run_raw": self._runs_in(*HIDDEN_TAGS),
            "run_anchor": self._runs_in("a"),
            "piece": row + self._n_breaks(*CELLS),
            "row": row,
            "preformatted": self._runs_in(*PREFORMATTED_TAGS),
        }


_TAGS = "div p template a td pre br span script b tr h1 form o:p"
_TEXTS = (
    "甲，乙。",
    " ",
    "\n x\t",
    "😀",
    "\ud83d\ude00甲",
    "\ude00",
    "a\0b",
    "\0",
    "\u200b",
    "2008-08-08",
)
_steps = st.lists(st.one_of(st.sampled_from(_TAGS.split()), st.sampled_from(_TEXTS), st.none()))


def _made(start: tuple[int, list[str | None]]) -> Events:
    """Events of a tree: elements open, text stands, None closes, but for the root."""
    n_outer, steps = start
    events = Events(room=4)
    for tag in ("html", *["div"] * n_outer):
        events.start_element(tag, ())
    for step in steps:
        if step is None:
            events.end_element("")
        elif step in _TEXTS:
            events.runs.append(step)
        else:
            events.start_element(step, ())
    events.close()
    return events


any_events = st.tuples(st.sampled_from([0, MAX_DEPTH - 4, MAX_DEPTH + 3]), _steps).map(_made)
"""Trees that no parser makes: nested without bound, with NUL and halves of characters."""
