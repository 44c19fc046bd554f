"""Slow, recursive twins of what quarkcrawl.segment does with arrays.

They walk a tree of Python objects as the thesis describes it and share no code with the package
but the tables of names.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

from quarkcrawl.page import PageTree
from quarkcrawl.page.tree import BLOCK_LEVEL_TAGS
from quarkcrawl.page.tree.tags import HIDDEN_TAGS
from quarkcrawl.segment import TAG_CLASSES, SegmentOptions

sys.setrecursionlimit(10_000)

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"


@dataclass
class Element:
    number: int
    name: str
    parts: list[Element | int] = field(default_factory=list)
    """Child elements and numbers of text runs, in document order."""


@dataclass
class Left:
    """What an element hands to its parent."""

    runs: list[int] = field(default_factory=list)
    n_layout: int = 0
    n_big: int = 0

    def add(self, other: Left) -> None:
        self.runs += other.runs
        self.n_layout += other.n_layout
        self.n_big += other.n_big


def grow(tree: PageTree) -> Element:
    """The page as objects."""
    elements = [Element(number, name) for number, name in enumerate(tree.tags)]
    events: list[tuple[int, int, int, Element | int]] = []
    for number, element in enumerate(elements[1:], 1):
        parent = int(tree.parent[number])
        events.append((int(tree.run_start[number]), 1, number, element))
        assert parent < number
    for run, node in enumerate(tree.run_node.tolist()):
        events.append((run, 2, node, run))
    for _, _, _, part in sorted(events, key=lambda event: event[:3]):
        holder = int(tree.run_node[part] if isinstance(part, int) else tree.parent[part.number])
        elements[holder].parts.append(part)
    return elements[0]


def visible_chars(text: str) -> int:
    return sum(not char.isspace() and char not in ZERO_WIDTH for char in text)


class Recognizer:
    """The algorithm of section 3.1, element by element."""

    def __init__(self, tree: PageTree, options: SegmentOptions) -> None:
        self.runs, self.options = tree.runs, options
        self.pool: list[tuple[int, list[int]]] = []
        left = self.visit(grow(tree))
        assert not self.n_chars(left.runs)

    def n_chars(self, runs: list[int]) -> int:
        return sum(visible_chars(self.runs[run]) for run in runs)

    def text(self, element: Element) -> str:
        """Visible text of a whole subtree."""
        texts: list[str] = []
        left: list[Element | int] = [element]
        while left:  # trees of other origin nest deeper than Python may call
            part = left.pop()
            if isinstance(part, int):
                texts.append(self.runs[part])
            elif part.name not in HIDDEN_TAGS:
                left += reversed(part.parts)
        return "".join(texts)

    def is_custom(self, element: Element, kind: str) -> bool:
        if element.name in self.options.custom_tags:
            return True
        text = self.text(element)
        return (
            kind in {"S", "B", "L"}
            and 0 < visible_chars(text) <= 500
            and any(re.search(p, " ".join(text.split())) for p in self.options.custom_patterns)
        )

    def is_ripe(self, element: Element, kind: str, left: Left) -> bool:
        if not self.n_chars(left.runs):
            return False
        if kind == "S" or element.number == 0 or self.is_custom(element, kind):
            return True
        if kind != "B":
            return False
        share = left.n_layout / (left.n_layout + left.n_big)
        return (
            self.n_chars(left.runs) > self.options.ripe_chars
            or share > self.options.ripe_layout_share
        )

    def visit(self, element: Element) -> Left:
        """Add the blocks of a subtree to the pool; what is left over goes up."""
        left = Left()
        if element.name in HIDDEN_TAGS:
            return left
        kind = str(TAG_CLASSES.get(element.name, "D"))
        left.n_layout += kind == "L"
        left.n_big += kind == "B"
        for part in element.parts:
            left.add(Left([part]) if isinstance(part, int) else self.visit(part))
        if self.is_ripe(element, kind, left):
            self.pool.append((element.number, left.runs))
            return Left()
        return left


def blocks(tree: PageTree, options: SegmentOptions) -> list[tuple[int, list[int]]]:
    """Root and visible runs of each block, by first visible run."""
    found = Recognizer(tree, options)
    cut = [(root, [r for r in runs if found.n_chars([r])]) for root, runs in found.pool]
    return sorted(cut, key=lambda block: block[1][0])


def lines(tree: PageTree, chosen: set[int]) -> str:
    """Readable text of visible runs: breaks written among the texts, then cut apart."""
    tokens: list[str | None] = []  # "\n" and "\t" as breaks: None and ""

    def walk(element: Element, *, is_pre: bool) -> None:
        if element.name in HIDDEN_TAGS:
            return
        is_pre = is_pre or element.name in {"pre", "listing", "plaintext", "textarea", "xmp"}
        edge: list[str | None] = []
        if element.name in BLOCK_LEVEL_TAGS:
            edge = [None]
        elif element.name in {"td", "th"}:
            edge = [""]
        tokens.extend(edge)
        for part in element.parts:
            if not isinstance(part, int):
                walk(part, is_pre=is_pre)
            elif part in chosen:
                tokens.append(("P" if is_pre else "F") + tree.runs[part])
        tokens.extend(edge)

    walk(grow(tree), is_pre=False)
    rows: list[list[list[str]]] = [[[]]]
    for token in tokens:
        if token is None:
            rows.append([[]])
        elif not token:
            rows[-1].append([])
        else:
            rows[-1][-1].append(token)
    written = ["\t".join(filter(None, map(_cell, row))) for row in rows]
    return "\n".join(filter(None, written))


def _cell(texts: list[str]) -> str:
    text = "".join(text[1:] for text in texts)
    if not visible_chars(text):
        return ""
    if texts[0][0] == "P":
        return text.strip("\r\n").rstrip()
    return " ".join(text.split())
