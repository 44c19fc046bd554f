"""The drawn page as VIPS sees it: what has ink, where, in what font and on what ground.

An *item* is an element (its node number) or a text run (the complement of its number, negative),
so that one sequence holds the children of a node in document order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.page import Layout, PageTree


REPLACED: Final = frozenset(
    ("img", "svg", "canvas", "video", "audio", "input", "select", "textarea", "button", "object")
)
"""Elements that are drawn as a whole; what stands in them is not divided."""

_OPAQUE: Final = 0x20
"""Grounds with less than this alpha do not show."""

_WHITE: Final = 0xFFFFFFFF


class Box(NamedTuple):
    """A rectangle by its edges, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        """Its area."""
        return (self.right - self.left) * (self.bottom - self.top)


class Look(NamedTuple):
    """How the text of an item is drawn; of several fonts the one of most characters.

    Args:
        font_px: size of the font, 0 without text.
        font_weight: its weight.
        ground: color that it stands on.
    """

    font_px: float
    font_weight: int
    ground: int


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box around some.

    Args:
        boxes: at least one.
    """
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


class VisualPage:
    """What of a page can be seen.

    Args:
        tree: the page.
        layout: where it was drawn.
        ink: boxes of nodes without a ground of their own go around what is drawn in them; else
            each has the box that the browser gave it.

    Attributes:
        tags: element names.
        children: items with ink below each node, in document order.
        rules: boxes of the horizontal rules (``hr``).
    """

    def __init__(self, tree: PageTree, layout: Layout, *, ink: bool) -> None:
        self.tags = tree.tags
        self._tree, self._layout = tree, layout
        self._parent = tree.parent.tolist()
        self._run_boxes = _edges(layout.run_boxes)
        self._node_boxes = _edges(layout.boxes)
        self._inked_runs = self._find_inked_runs()
        self._inked = self._find_inked()
        self.children = self._find_children()
        self._grounds = self._find_grounds()
        self._boxes = self._find_boxes(ink=ink)
        hrs = tree.places("hr")
        hrs = hrs[layout.visible[hrs]]
        self.rules = [self._node_boxes[n] for n in hrs.tolist()]
        self._ruled = frozenset(tree.parent[hrs].tolist())

    def _find_inked_runs(self) -> list[bool]:
        tree, layout = self._tree, self._layout
        sizes = layout.run_boxes[:, 2:]
        drawn = (sizes > 0).all(axis=1) & layout.visible[tree.run_node]
        inked: list[bool] = (drawn & (tree.run_chars > 0)).tolist()
        return inked

    def _find_inked(self) -> list[bool]:
        """Nodes that hold a run with ink or something replaced (the report's valid nodes)."""
        tree = self._tree
        runs = np.array(self._inked_runs, np.int64)
        replaced = np.zeros(len(tree), np.int64)
        places = tree.places(*REPLACED)
        replaced[places[self._layout.shown[places]]] = 1
        inked: list[bool] = ((tree.over_runs(runs) > 0) | (tree.over_nodes(replaced) > 0)).tolist()
        return inked

    def _find_children(self) -> list[list[int]]:
        tree = self._tree
        children: list[list[tuple[int, int, int]]] = [[] for _ in self.tags]
        starts = tree.run_start.tolist()
        for node in range(1, len(tree)):
            if self._inked[node]:
                children[self._parent[node]].append((starts[node], 0, node))
        for run, (node, inked) in enumerate(
            zip(tree.run_node.tolist(), self._inked_runs, strict=True)
        ):
            if inked:
                children[node].append((run, 1, ~run))
        return [[item for _, _, item in sorted(entries)] for entries in children]

    def _find_grounds(self) -> list[int]:
        """The ground that each node stands on: its own, or that of the nearest above."""
        own = self._layout.background.tolist()
        grounds: list[int] = []
        for node, color in enumerate(own):
            above = grounds[self._parent[node]] if node else _WHITE
            grounds.append(color if color & 0xFF >= _OPAQUE else above)
        return grounds

    def _find_boxes(self, *, ink: bool) -> list[Box | None]:
        """Box of each node, inner ones first."""
        boxes: list[Box | None] = [None] * len(self.tags)
        for node in range(len(self.tags) - 1, -1, -1):
            if not self._inked[node]:
                continue
            own = self._node_boxes[node]
            has_own = own.right > own.left and own.bottom > own.top
            is_whole = self.tags[node] in REPLACED or not self.children[node]
            if has_own and (is_whole or not ink or self.has_ground(node)):
                boxes[node] = own
            else:
                inner = [self._box_or(item, boxes) for item in self.children[node]]
                inner_boxes = [box for box in inner if box is not None]
                boxes[node] = around(inner_boxes) if inner_boxes else own
        return boxes

    def _box_or(self, item: int, boxes: list[Box | None]) -> Box | None:
        return self._run_boxes[~item] if item < 0 else boxes[item]

    # Items

    def has_ground(self, node: int) -> bool:
        """Whether a node stands out by a ground of its own."""
        above = self._grounds[self._parent[node]] if node else _WHITE
        return self._grounds[node] != above

    def box(self, item: int) -> Box:
        """Where an item is."""
        box = self._run_boxes[~item] if item < 0 else self._boxes[item]
        assert box is not None
        return box

    def has_rule(self, node: int) -> bool:
        """Whether a child of a node is a horizontal rule."""
        return node in self._ruled

    def is_replaced(self, item: int) -> bool:
        """Whether an item is drawn as a whole."""
        return item >= 0 and self.tags[item] in REPLACED

    def runs(self, item: int) -> list[int]:
        """Runs with ink in an item."""
        if item < 0:
            return [~item]
        first, last = int(self._tree.run_start[item]), int(self._tree.run_end[item])
        return [run for run in range(first, last) if self._inked_runs[run]]

    def ground(self, item: int) -> int:
        """The ground of an item."""
        return self._grounds[self.holder(item)]

    def ground_around(self, item: int) -> int:
        """The ground that an item stands out from; its own if it has none of its own."""
        node = self.holder(item)
        return self._grounds[self._parent[node]] if item > 0 else self._grounds[node]

    def holder(self, item: int) -> int:
        """The node of an item: itself, or that of a run."""
        return int(self._tree.run_node[~item]) if item < 0 else item

    def font(self, item: int) -> tuple[float, int]:
        """Size and weight of the font of most characters in an item, (0, 0) without text."""
        runs = self.runs(item)
        if not runs:
            return 0.0, 0
        run = max(runs, key=self._tree.run_chars.__getitem__)
        node = int(self._tree.run_node[run])
        return float(self._layout.font_px[node]), int(self._layout.font_weight[node])

    def look(self, item: int) -> Look:
        """How an item is drawn."""
        return Look(*self.font(item), self.ground(item))


def _edges(boxes: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> list[Box]:
    corners = np.hstack((boxes[:, :2], boxes[:, :2] + boxes[:, 2:])).astype(np.float64)
    return [Box(*row) for row in corners.tolist()]
