"""Single pass over texts by feature codes: each joins a class or founds one.

As in the paper, texts come in fetch order, and only a text that found no class is put into the
index: a class is what its first member matches (measured in spec featurecode.md: letting any member
speak for its class chains unlike articles together). Of several classes the one with the closest
length is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.dedup.matching import Match
from quarkcrawl.dedup.rules import DEFAULT_RULE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.dedup.codesketch import CodeSketch
    from quarkcrawl.dedup.rules import CodeRule


class CodeIndex:
    """First members of classes by the search keys of their feature codes.

    Args:
        rule: when two texts belong together.
    """

    def __init__(self, rule: CodeRule = DEFAULT_RULE) -> None:
        self.rule = rule
        # A number, or a list of several: few keys have more than one, and lists cost memory.
        self._by_key: dict[int, int | list[int]] = {}
        self._firsts: dict[int, tuple[int, int, tuple[list[int], ...]]] = {}

    def __len__(self) -> int:
        return len(self._firsts)

    def find(self, sketch: CodeSketch) -> Match | None:
        """The class a text belongs to; of equals the first that was added.

        Its rank is the longer text's length by that of the shorter one, and it says how many codes
        both share, 0 for texts that have none.

        Args:
            sketch: what the rule makes of a text.
        """
        best: Match | None = None
        for first, n_equal in self._candidates(sketch).items():
            n_chars, n_head, tail = self._firsts[first]
            ratio = _ratio(sketch.n_chars, n_chars)
            if best is not None and (ratio, first) >= (best.rank, best.first):
                continue
            if n_equal < min(self.rule.n_equal, len(sketch.head), n_head):
                continue
            if self.rule.length_ratio is not None and ratio > self.rule.length_ratio:
                continue
            if self.rule.n_tail_equal and not self._tail_fits(sketch, tail):
                continue
            best = Match(first, ratio, n_equal)
        return best

    def _candidates(self, sketch: CodeSketch) -> dict[int, int]:
        """First members that share a key, and with how many codes they do."""
        by_key = self._by_key
        if sketch.exact:
            return dict.fromkeys(_numbers(by_key.get(sketch.exact)), 0)
        counts: dict[int, int] = {}
        for keys in sketch.head:
            numbers: set[int] = set()
            for key in keys:
                if key in by_key:
                    numbers.update(_numbers(by_key[key]))
            for first in numbers:
                counts[first] = counts.get(first, 0) + 1
        return counts

    def _tail_fits(self, sketch: CodeSketch, tail: tuple[list[int], ...]) -> bool:
        least = min(self.rule.n_tail_equal, len(sketch.tail), len(tail))
        tail_keys = {key for keys in tail for key in keys}
        return sum(1 for keys in sketch.tail if not tail_keys.isdisjoint(keys)) >= least

    def insert(self, sketch: CodeSketch, number: int) -> None:
        """Let a text found a class, whether it has one or not.

        Args:
            sketch: what the rule makes of a text.
            number: number of the text, larger than those before.
        """
        by_key = self._by_key
        self._firsts[number] = (sketch.n_chars, len(sketch.head), tuple(sketch.tail))
        keys = {sketch.exact} if sketch.exact else {key for row in sketch.head for key in row}
        for key in keys:
            entry = by_key.setdefault(key, number)
            if entry is number:
                continue
            if isinstance(entry, list):
                entry.append(number)
            else:
                by_key[key] = [entry, number]

    def reason(self, why: int) -> str:
        """``codes:2``: so many codes match; or ``no-code``.

        Args:
            why: how many.
        """
        return f"codes:{why}" if why else "no-code"


def _numbers(entry: int | list[int] | None) -> Sequence[int]:
    if entry is None:
        return ()
    return entry if isinstance(entry, list) else (entry,)


def _ratio(first: int, second: int) -> float:
    low, high = (first, second) if first < second else (second, first)
    return high / low if low else float(high + 1)
