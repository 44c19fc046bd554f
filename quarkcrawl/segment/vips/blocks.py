"""Visual block extraction: thirteen rules say whether a node is divided (VIPS, section 4.1).

Each kind of element has its own list of rules, tried in order; the first that speaks decides. A
node that is not divided becomes a visual block with a degree of coherence (DoC) of 1 to 10.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.segment.vips.options import VipsOptions
    from quarkcrawl.segment.vips.view import VisualPage


INLINE_TAGS: Final = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
))  # fmt: skip
"""Elements that change the look of text without breaking the line."""

RULES: Final[dict[str, dict[str, tuple[int, ...]]]] = {
    "paper": {
        "inline": (1, 2, 3, 4, 5, 6, 7, 9, 10, 12),
        "table": (1, 2, 3, 8, 10, 13),
        "tr": (1, 2, 3, 7, 8, 10, 13),
        "td": (1, 2, 3, 4, 9, 10, 11, 13),
        "p": (1, 2, 3, 4, 5, 6, 7, 9, 10, 12),
        "other": (1, 2, 3, 4, 6, 7, 9, 10, 12),
    },
    "quarkcrawl": {
        "inline": (1, 8, 3, 2, 4, 5, 6, 9, 10, 12),
        "table": (1, 8, 3, 2, 10, 13),
        "tr": (1, 8, 3, 2, 10, 13),
        "td": (1, 8, 3, 2, 4, 9, 10, 12),
        "p": (1, 8, 3, 2, 4, 5, 6, 9, 10, 12),
        "other": (1, 8, 3, 2, 4, 6, 9, 10, 12),
    },
}
"""Rules of each kind of element, by `quarkcrawl.segment.VipsOptions.rules`."""

_KINDS: Final = {"table": "table", "tbody": "table", "thead": "table", "tfoot": "table"} | {
    "tr": "tr", "td": "td", "th": "td", "p": "p",
}  # fmt: skip

DIVIDE: Final = 0
CUT: Final = -1


def doc_by_size(share: float, low: int, high: int) -> int:
    """DoC of a node by its size: the smaller, the more coherent.

    Args:
        share: its area as a share of the area that is being divided.
        low: DoC of the largest.
        high: DoC of the smallest.
    """
    steps = (0.15, 0.05, 0.01)
    return min(high, low + sum(share < step for step in steps))


@dataclass(frozen=True, slots=True)
class Pooled:
    """A visual block of the pool: an item that was not divided.

    Args:
        doc: its degree of coherence.
        is_final: nothing in it could be divided.
    """

    item: int
    doc: int
    is_final: bool


@dataclass(slots=True)
class ExtractionRound:
    """One round of extraction.

    Args:
        view: the page.
        options: thresholds and rules.
        area: area that is being divided, for relative sizes.
        is_only: whether the block that is divided is one node.
    """

    view: VisualPage
    options: VipsOptions
    area: float
    is_only: bool
    _forced: dict[int, int] = field(default_factory=dict)
    _previous: dict[int, int] = field(default_factory=dict)
    _undivided: set[int] = field(default_factory=set)

    def pool(self, items: Sequence[int]) -> list[Pooled]:
        """The visual blocks in some items.

        Args:
            items: roots of the subtrees that are divided.
        """
        pooled: list[Pooled] = []
        roots = frozenset(items)
        waiting = list(reversed(items))  # a stack: pages nest deeper than Python likes to recurse
        while waiting:
            item = waiting.pop()
            decided = self.decide(item, is_root=item in roots)
            if decided == DIVIDE:
                children = self.view.children[item]
                self._previous |= dict(zip(children[1:], children, strict=False))
                waiting += reversed(children)
            elif decided != CUT:
                self._undivided.add(item)
                pooled.append(Pooled(item, decided, self._is_final(item)))
        return pooled

    def _is_final(self, item: int) -> bool:
        return item < 0 or self.view.is_replaced(item) or self._is_plain(item)

    def decide(self, item: int, *, is_root: bool) -> int:
        """`DIVIDE`, `CUT`, or the DoC of an item that stays whole."""
        if item < 0 or self.view.is_replaced(item):
            return 10
        if item in self._forced and not is_root:
            return self._forced[item]
        kind = _KINDS.get(self.view.tags[item])
        kind = kind or ("inline" if self.view.tags[item] in INLINE_TAGS else "other")
        for number in RULES[self.options.rules][kind]:
            decided = self.apply(number, item, is_root=is_root)
            if decided is not None:
                return decided
        raise AssertionError("rules 12 and 13 decide always")

    def apply(self, number: int, item: int, *, is_root: bool) -> int | None:
        """What one rule says of an element; None: nothing."""
        if number == 3:
            return DIVIDE if is_root and self.is_only else None
        answer: int | None = getattr(self, f"_rule_{number}")(item)
        return answer

    # Sizes and kinds

    def _share(self, item: int) -> float:
        return self.view.box(item).area / self.area if self.area else 0.0

    def _is_text(self, item: int) -> bool:
        """Text and virtual text: inline elements with nothing but text in them."""
        return item < 0 or (self.view.tags[item] in INLINE_TAGS and self._is_plain(item))

    def _is_plain(self, node: int) -> bool:
        """Whether only text and inline elements stand below a node."""
        waiting = list(self.view.children[node])
        while waiting:
            item = waiting.pop()
            if item >= 0:
                if self.view.tags[item] not in INLINE_TAGS:
                    return False
                waiting += self.view.children[item]
        return True

    # The rules, by their numbers in the report

    def _rule_1(self, node: int) -> int | None:
        """No valid child: it is cut."""
        return None if self.view.children[node] else CUT

    def _rule_2(self, node: int) -> int | None:
        """A single valid child that is no text: divide."""
        children = self.view.children[node]
        return DIVIDE if len(children) == 1 and children[0] >= 0 else None

    def _rule_4(self, node: int) -> int | None:
        """Nothing but text: whole, and wholly coherent if it is of one font."""
        children = self.view.children[node]
        if not all(map(self._is_text, children)):
            return None
        return 10 if len({self.view.font(child) for child in children}) == 1 else 9

    def _rule_5(self, node: int) -> int | None:
        """A child breaks the line: divide."""
        breaks = (c >= 0 and self.view.tags[c] not in INLINE_TAGS for c in self.view.children[node])
        return DIVIDE if any(breaks) else None

    def _rule_6(self, node: int) -> int | None:
        """A child is a rule (``hr``): divide."""
        return DIVIDE if self.view.has_rule(node) else None

    def _rule_7(self, node: int) -> int | None:
        """The children are larger than the node: divide."""
        sizes = sum(self.view.box(child).area for child in self.view.children[node])
        return DIVIDE if sizes > self.view.box(node).area else None

    def _rule_8(self, node: int) -> int | None:
        """A child stands on another ground: divide, but not that child in this round."""
        others = [c for c in self.view.children[node] if c >= 0 and self.view.has_ground(c)]
        for child in others:
            self._forced[child] = doc_by_size(self._share(child), 5, 8)
        return DIVIDE if others else None

    def _rule_9(self, node: int) -> int | None:
        """Text of its own, and small: whole."""
        if self._share(node) < self.options.text_share and any(
            map(self._is_text, self.view.children[node])
        ):
            return doc_by_size(self._share(node), 5, 8)
        return None

    def _rule_10(self, node: int) -> int | None:
        """No child is large: whole."""
        largest = max(map(self._share, self.view.children[node]))
        if largest < self.options.child_share:
            return doc_by_size(self._share(node), 4, 8)
        return None

    def _rule_11(self, node: int) -> int | None:
        """The sibling before it was not divided: nor is this."""
        is_alike = self._previous.get(node) in self._undivided
        return doc_by_size(self._share(node), 4, 8) if is_alike else None

    def _rule_12(self, _: int) -> int:
        """Divide."""
        return DIVIDE

    def _rule_13(self, node: int) -> int:
        """Whole."""
        return doc_by_size(self._share(node), 3, 8)
