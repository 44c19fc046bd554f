"""Suffix trees (Ukkonen, linear time) and the thesis' search for repeated records on them.

The algorithms 1 and 2 of the thesis' section 3.3 as printed, with the readings that make them run:
algorithm 1 passes the end of the edge at hand, not the root; a path that was cut inside a record
does not remove anything, since that would orphan the rest. Kept as the named baseline: edges that
end in leaves are skipped, so that records whose occurrences are all followed by something
different, above all those that occur twice, are missed.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.template.structure.skeleton import Skeleton


_OPEN = -1  # the end of an edge that grows with the text
_ROOT = 0
_TERMINATOR = -1


class Repetition(NamedTuple):
    """A repeated sequence.

    Args:
        length: number of tokens.
        starts: where it occurs, ascending.
    """

    length: int
    starts: tuple[int, ...]


class SuffixTree:
    """The suffix tree of a sequence of tokens (non-negative numbers).

    Node 0 is the root. The edge into a node is the slice ``start[node] … end_of(node)`` of the
    text, which ends in a terminator that occurs nowhere else.

    Args:
        tokens: the sequence.
    """

    def __init__(self, tokens: Sequence[int]) -> None:
        self.text = [*tokens, _TERMINATOR]
        self.start = [0]
        self.end = [0]
        self.children: list[dict[int, int]] = [{}]
        self._link = [_ROOT]
        self._active_node, self._active_edge, self._active_length = _ROOT, 0, 0
        self._remainder = 0
        for position in range(len(self.text)):
            self._extend(position)

    def end_of(self, node: int) -> int:
        """One past the last token of the edge into a node."""
        return len(self.text) if self.end[node] == _OPEN else self.end[node]

    def is_leaf(self, node: int) -> bool:
        """Whether a node ends a suffix."""
        return self.end[node] == _OPEN

    def leaf_starts(self) -> tuple[list[int], list[slice]]:
        """Where the suffixes begin, and for each node which of these are below it.

        Lists of their own for the nodes would take quadratic memory: a tree can be as deep as it
        has leaves.
        """
        order = self._top_down()
        starts: list[int] = []
        first, n_below = [0] * len(self.start), [0] * len(self.start)
        for node, depth, _ in order:
            first[node] = len(starts)
            if self.is_leaf(node):
                starts.append(len(self.text) - depth)
                n_below[node] = 1
        for node, _, parent in reversed(order):
            n_below[parent] += n_below[node] if node != _ROOT else 0
        return starts, [slice(a, a + n) for a, n in zip(first, n_below, strict=True)]

    def _top_down(self) -> list[tuple[int, int, int]]:
        """(node, tokens from the root, parent); what is below a node follows it at once."""
        order, stack = [], [(_ROOT, 0, _ROOT)]
        while stack:
            node, depth, parent = stack.pop()
            order.append((node, depth, parent))
            stack.extend(
                (child, depth + self.end_of(child) - self.start[child], node)
                for child in self.children[node].values()
            )
        return order

    # Ukkonen's construction

    def _new(self, start: int, end: int) -> int:
        self.start.append(start)
        self.end.append(end)
        self.children.append({})
        self._link.append(_ROOT)
        return len(self.start) - 1

    def _extend(self, position: int) -> None:
        self._remainder += 1
        waiting = None  # inner node that still lacks its suffix link
        while self._remainder:
            if self._active_length == 0:
                self._active_edge = position
            child = self.children[self._active_node].get(self.text[self._active_edge])
            if child is None:
                self._add_leaf(self._active_node, position)
                waiting = self._set_link(waiting, self._active_node)
            elif self._walk_down(child, position):
                continue
            elif self.text[self.start[child] + self._active_length] == self.text[position]:
                self._set_link(waiting, self._active_node)
                self._active_length += 1
                return
            else:
                waiting = self._set_link(waiting, self._split(child, position))
            self._remainder -= 1
            self._next_suffix(position)

    def _walk_down(self, child: int, position: int) -> bool:
        end = position + 1 if self.end[child] == _OPEN else self.end[child]
        length = end - self.start[child]
        if self._active_length < length:
            return False
        self._active_edge += length
        self._active_length -= length
        self._active_node = child
        return True

    def _add_leaf(self, node: int, position: int) -> None:
        self.children[node][self.text[position]] = self._new(position, _OPEN)

    def _split(self, child: int, position: int) -> int:
        middle = self._new(self.start[child], self.start[child] + self._active_length)
        self.children[self._active_node][self.text[self._active_edge]] = middle
        self._add_leaf(middle, position)
        self.start[child] += self._active_length
        self.children[middle][self.text[self.start[child]]] = child
        return middle

    def _set_link(self, waiting: int | None, node: int) -> int | None:
        if waiting is not None and node != waiting:
            self._link[waiting] = node
        return node if node != _ROOT else None

    def _next_suffix(self, position: int) -> None:
        if self._active_node == _ROOT:
            if self._active_length > 0:
                self._active_length -= 1
                self._active_edge = position - self._remainder + 1
        else:
            self._active_node = self._link[self._active_node]


def repetitions(tokens: Sequence[int], depths: Sequence[int]) -> list[Repetition]:
    """Algorithms 1 and 2: repeated sequences that do not leave the subtree they begin with.

    Args:
        tokens: the page in preorder.
        depths: depth of each token.
    """
    tree = SuffixTree(tokens)
    starts, below = tree.leaf_starts()
    longest_at: dict[int, tuple[int, int]] = {}  # index of the last token -> (length, node)
    stack = [(edge, 0, _ROOT) for edge in tree.children[_ROOT].values() if not tree.is_leaf(edge)]
    while stack:
        edge, before, above = stack.pop()
        first = tree.start[edge]
        top = depths[first - before]
        inside = _inside(depths, first, tree.end_of(edge), top, is_first=before == 0)
        length = before + inside
        if inside == tree.end_of(edge) - first:
            inner = [child for child in tree.children[edge].values() if not tree.is_leaf(child)]
            stack.extend((child, length, edge) for child in inner)
        elif length > longest_at.get(first + inside, (0, 0))[0]:
            longest_at[first + inside] = (length, edge if inside else above)
    distinct = dict.fromkeys(longest_at.values())
    return [Repetition(n, tuple(sorted(starts[below[node]]))) for n, node in distinct]


def _inside(depths: Sequence[int], first: int, end: int, top: int, *, is_first: bool) -> int:
    """How many tokens of an edge are in the subtree; its root is the first token of all."""
    skipped = 1 if is_first else 0
    deeper = takewhile(lambda place: depths[place] > top, range(first + skipped, end))
    return skipped + sum(1 for _ in deeper)


def suffix_tree_repeats(skeleton: Skeleton) -> NDArray[np.int32]:
    """For each element the first of its siblings that was found to be the same record.

    Args:
        skeleton: the simplified page.
    """
    first = np.arange(len(skeleton), dtype=np.int32)
    repeats = repetitions(skeleton.tokens.tolist(), skeleton.depth.tolist())
    parents, ends = skeleton.parent.tolist(), skeleton.end.tolist()
    for length, starts in repeats:
        by_parent = defaultdict(list)
        for start in starts:
            if ends[start] - start == length:
                by_parent[parents[start]].append(start)
        for equal in by_parent.values():
            first[equal] = equal[0]
    return first
