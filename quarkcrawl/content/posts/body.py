"""Which elements hold the texts of posts: neither header, signature, quotation nor buttons."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.posts.names import (
    ASIDE,
    AUTHOR,
    BODY,
    COMMENT,
    DATE,
    LISTED,
    POST,
    QUOTE,
    TOPIC,
)
from quarkcrawl.content.posts.view import AUTHORED, PLAIN, QUOTES
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.content.posts.view import PageView

    Key = tuple[object, ...]


_MAX_NODES: Final = 400
_MAX_ALL: Final = 20_000
_MIN_ITEMS_SHARE: Final = 0.6
_MAX_INSIDE: Final = 3_000
_MAX_ASIDE: Final = 0.97
"""What is named as no text but is nearly all of a post is its text."""

_MAX_COMPARED, _MAX_KEY_CHARS, _MIN_ALIKE = 30, 60, 0.4
"""What so large a part of so many items at most says in so few characters are labels."""

_DIGITS: Final = re.compile(r"\d+")
_MIN_OWN: Final = 0.5
_MAX_OTHERS: Final = 3
_MAX_ORDINAL: Final = 9
_MAX_SAMPLE: Final = 6
_A: Final = TAG_IDS["a"]
_SKIPPED: Final = frozenset(
    TAG_IDS[name] for name in ("form", "button", "select", "textarea", "noscript", "label")
)


class Bodies:
    """Bodies of the items of a run.

    Args:
        view: the page.
        items: the items, in document order; one may lie in another.
        is_named: False where names do not tell the posts: then what several of them say alike, such
            as labels and ranks of authors, is not counted as text.

    Attributes:
        nested: the items, as a set.
        usual: the bodies that most items have.
        of_items: the node that holds the text of each item; the item itself where none was found.
    """

    def __init__(self, view: PageView, items: list[int], *, is_named: bool = True) -> None:
        self.view, self.items, self.is_named = view, items, is_named
        self._plain = view.plain if is_named else _own_plain(view, items)
        self.nested = set(items)
        self.usual: set[int] = set()
        self._key: Key | None = None
        self.of_items = self._find()

    def _own_nodes(self, item: int) -> list[int]:
        """Nodes of an item that do not lie in another one."""
        end, own_nodes, node = self.view.end[item], [item], item + 1
        while node < end and len(own_nodes) < _MAX_NODES:
            if node in self.nested:
                node = self.view.end[node]
                continue
            own_nodes.append(node)
            node += 1
        return own_nodes

    def _look(self, node: int, item: int) -> Key:
        """What is equal for nodes at the same place of their items."""
        view = self.view
        if key := view.names(node).key:
            return (view.tag[node], key)
        if node == item:
            return ()
        parent = view.parent[node]
        ordinal, child = 0, parent + 1
        while child < node and ordinal < _MAX_ORDINAL:
            ordinal += 1
            child = view.end[child]
        above = view.names(parent).key or view.tree.tags[parent]
        depth = int(view.tree.depth[node] - view.tree.depth[item])
        return (view.tag[node], above, ordinal, depth)

    def _find(self) -> list[int]:
        view, items = self.view, self.items
        groups: dict[Key, dict[int, list[int]]] = {}
        n_all = 0
        for number, item in enumerate(items):
            nodes = self._own_nodes(item)
            n_all += len(nodes)
            if n_all > _MAX_ALL:
                break
            for node in nodes:
                if view.chars[node]:
                    group = groups.setdefault(self._look(node, item), {})
                    group.setdefault(number, []).append(node)
        best, firsts = -9.0, dict[int, int]()
        for key, of_items in groups.items():
            if len(of_items) < _MIN_ITEMS_SHARE * len(items):
                continue
            heads = {number: node_list[0] for number, node_list in of_items.items()}
            score = self._score(heads, sum(map(len, of_items.values())))
            if score > best:
                score -= 0.6 * self._headed(list(heads.values())[:_MAX_SAMPLE])
                if score > best:
                    best, self._key, firsts = score, key, heads
        self.usual = set(firsts.values())
        return [
            firsts[number] if number in firsts else self.own_body(item)
            for number, item in enumerate(items)
        ]

    def _score(self, nodes: dict[int, int], n_nodes: int) -> float:
        """How much speaks for these nodes, one an item, being the bodies; of so many alike."""
        view, items = self.view, self.items
        whole = sum(max(self._plain[items[number]], 1) for number in nodes)
        score = sum(self._plain[node] for node in nodes.values()) / whole
        score -= 0.1 * (n_nodes > 1.4 * len(nodes)) + 0.3 * (1 - len(nodes) / len(items))
        number, first = next(iter(nodes.items()))
        if first == items[number]:
            return score - 0.15
        bits = 0
        for node in list(nodes.values())[:2]:
            bits |= view.names(node).bits
        if bits & BODY:
            if bits & ASIDE:
                return score - 0.25
            return score + 0.4 * (not bits & (AUTHOR | DATE))
        return score - 0.5 * bool(bits & (ASIDE | QUOTE))

    def _headed(self, nodes: Sequence[int]) -> float:
        """Share of some elements that show the header of a post."""
        return sum(self.view.has_header(node, self.nested) for node in nodes) / len(nodes)

    def own_body(self, item: int) -> int:
        """The body of an item that is built in another way than most.

        Args:
            item: its element.

        Returns:
            The item itself where no element in it is named as its text.
        """
        view = self.view
        best, body = _MIN_OWN, item
        for node in self._own_nodes(item)[1:]:
            if view.is_body(node):
                score = view.plain[node] / max(view.plain[item], 1)
                if score > best:
                    score -= 0.5 * view.has_header(node, self.nested)
                    if score > best:
                        best, body = score, node
        return body

    def others(self) -> list[int]:
        """Elements outside the items that are named as the bodies inside are: a first post."""
        if self._key is None or len(self._key) != 2:
            return []
        view, starts = self.view, self.items
        tag, key = self._key
        nodes, place = list[int](), 0
        for node in np.flatnonzero(view.tree.tag == tag).tolist():
            while place < len(starts) and view.end[starts[place]] <= node:
                place += 1
            if place < len(starts) and view.end[node] > starts[place]:
                continue  # it lies in an item, or holds one
            if nodes and node < view.end[nodes[-1]]:
                continue
            if view.plain[node] and view.names(node).key == key:
                nodes.append(node)
        if not self.is_named:
            nodes = [node for node in nodes if node < starts[0]]
        if len(nodes) > _MAX_OTHERS:
            return []
        return nodes if self.is_named else self.nearest(nodes)

    def nearest(self, nodes: list[int]) -> list[int]:
        """Those of some elements before the items that share the most ancestors with the first.

        Args:
            nodes: the elements, such as that of a first post and one of a side column.
        """
        if len(nodes) < 2:
            return nodes
        view, first = self.view, self.items[0]
        depths = list[int]()
        for node in nodes:
            above = node
            while view.end[above] <= first:
                above = view.parent[above]
            depths.append(view.depth[above])
        return [node for node, depth in zip(nodes, depths, strict=True) if depth == max(depths)]

    def first_post(self, stop: int) -> int:
        """The likeliest body before an element, -1 for none.

        Args:
            stop: the element.
        """
        view = self.view
        best, post = 0.0, -1
        before = (view.tree.end[:stop] <= stop) & (view.tree.text_chars[:stop] > 0)
        for node in np.flatnonzero(before).tolist():
            bits = view.names(node).bits
            if view.is_body(node) and not bits & LISTED:
                score = view.plain[node] * (1.4 if bits & (TOPIC | POST) else 1.0)
                if score > best:
                    score *= 1 - 0.5 * view.has_header(node, self.nested)
                    if score > best:
                        best, post = score, node
        return post

    def comments_in(self, item: int, body: int) -> list[int]:
        """Elements of comments on one post, outside its body.

        Args:
            item: the element of the post.
            body: that of its text.
        """
        view, nodes = self.view, list[int]()
        node, end = item + 1, self.view.end[item]
        for _ in range(_MAX_INSIDE):
            if node >= end:
                break
            is_comment = view.names(node).bits & COMMENT and view.plain[node]
            if node == body or node in self.nested:
                node = view.end[node]
            elif is_comment and not node < body < view.end[node]:
                nodes.append(node)
                node = view.end[node]
            else:
                node += 1
        return nodes

    def left_out(self, body: int) -> tuple[list[int], list[int]]:
        """Elements inside a body that are not its text, and those that are quotations.

        Args:
            body: the element of a post's text.
        """
        view, whole = self.view, max(self.view.plain[body], 1)
        is_item = body in self.nested
        asides, quotes, node, end = list[int](), list[int](), body + 1, self.view.end[body]
        for _ in range(_MAX_INSIDE):
            if node >= end:
                break
            bits, tag = view.names(node).bits, view.tag[node]
            is_quote = (tag in QUOTES or bits & QUOTE) and not bits & BODY
            is_aside = bits & ASIDE and not bits & BODY and not is_quote and tag != _A
            if is_item and tag == _A and view.node_facts(node) & AUTHORED:
                asides.append(node)
            is_small = view.plain[node] < _MAX_ASIDE * whole
            if node in self.nested or tag in _SKIPPED or (is_aside and is_small):
                asides.append(node)
                node = view.end[node]
                continue
            if is_quote:
                quotes.append(node)
            node += 1
        return asides, quotes


def _own_plain(view: PageView, items: list[int]) -> list[int]:
    """Characters of each node outside links, dates, buttons and what many items say alike."""
    least = max(2.0, _MIN_ALIKE * min(len(items), _MAX_COMPARED))
    counts, keys = Counter[str](), dict[int, str]()
    end = 0
    for item in items[:_MAX_COMPARED]:
        start, end = max(view.run_start[item], end), max(view.run_end[item], end)
        inside = {run: _key(view, run) for run in range(start, end) if view.run_chars[run]}
        keys.update(inside)
        counts.update(set(inside.values()))
    chars = np.where(view.lines.linked, 0, view.tree.run_chars)
    for run, key in keys.items():
        is_label = counts[key] >= least and len(key) < _MAX_KEY_CHARS
        if is_label or not view.run_facts(run) & PLAIN:
            chars[run] = 0
    return view.tree.over_runs(chars).tolist()  # type: ignore[no-any-return]


def _key(view: PageView, run: int) -> str:
    """What is equal for runs that differ in numbers at most."""
    return _DIGITS.sub("0", view.tree.runs[run].strip()[:_MAX_KEY_CHARS])
