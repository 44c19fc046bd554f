"""Single pass over texts by feature codes: each joins a class or founds one.

As in the paper, texts come in fetch order, and only a text that found no class is put into the
index: a class is what its first member matches (measured in spec featurecode.md: letting any member
speak for its class chains unlike articles together). Of several classes the one with the closest
length is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quarkcrawl.dedup.codesketch import code_sketch
from quarkcrawl.dedup.rules import DEFAULT_RULE

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from quarkcrawl.dedup.codesketch import CodeSketch
    from quarkcrawl.dedup.rules import CodeRule


class CodeMatch(NamedTuple):
    """Why a text is in a class.

    Args:
        first: number of the first member of the class.
        n_equal: how many codes it shares with the text; 0 for texts that have none.
        length_ratio: the longer of the two by the shorter one.
    """

    first: int
    n_equal: int
    length_ratio: float


class CodeIndex:
    """Classes of texts found so far.

    >>> index = CodeIndex()
    >>> text = "北京大学天网实验室。它收集中文网页。" * 3
    >>> index.add(text), index.add(text)
    (None, CodeMatch(first=0, n_equal=2, length_ratio=1.0))

    Args:
        rule: when two texts belong together.
        stopped: codes that say nothing.
    """

    def __init__(self, rule: CodeRule = DEFAULT_RULE, stopped: Collection[bytes] = ()) -> None:
        self.rule = rule
        self.stopped = stopped
        self._n_texts = 0
        # A number, or a list of several: few keys have more than one, and lists cost memory.
        self._by_key: dict[int, int | list[int]] = {}
        self._firsts: dict[int, tuple[int, int, tuple[list[int], ...]]] = {}

    def __len__(self) -> int:
        return self._n_texts

    def add(self, text: str) -> CodeMatch | None:
        """Put a text into its class; None if it is the first of a new one.

        Texts are numbered from 0 in the order they are added.

        Args:
            text: content of a page.
        """
        return self.add_sketch(code_sketch(text, self.rule, self.stopped))

    def add_sketch(self, sketch: CodeSketch) -> CodeMatch | None:
        """The same with a sketch made before, by the same rule.

        Args:
            sketch: what the rule makes of a text.
        """
        found = self.find(sketch)
        if found is None:
            self.insert(sketch)
        else:
            self._n_texts += 1
        return found

    def find(self, sketch: CodeSketch) -> CodeMatch | None:
        """The class a text belongs to, without adding it; of equals the first that was added.

        Args:
            sketch: what the rule makes of a text.
        """
        best: CodeMatch | None = None
        for first, n_equal in self._candidates(sketch).items():
            n_chars, n_head, tail = self._firsts[first]
            ratio = _ratio(sketch.n_chars, n_chars)
            if best is not None and (ratio, first) >= (best.length_ratio, best.first):
                continue
            if n_equal < min(self.rule.n_equal, len(sketch.head), n_head):
                continue
            if self.rule.length_ratio is not None and ratio > self.rule.length_ratio:
                continue
            if self.rule.n_tail_equal and not self._tail_fits(sketch, tail):
                continue
            best = CodeMatch(first, n_equal, ratio)
        return best

    def _candidates(self, sketch: CodeSketch) -> dict[int, int]:
        """First members that share a key, and with how many codes they do."""
        by_key = self._by_key
        if sketch.exact:
            return dict.fromkeys(_numbers(by_key.get(sketch.exact)), 0)
        counts: dict[int, int] = {}
        for keys in sketch.head:
            known: set[int] = set()
            for key in keys:
                if key in by_key:
                    known.update(_numbers(by_key[key]))
            for first in known:
                counts[first] = counts.get(first, 0) + 1
        return counts

    def _tail_fits(self, sketch: CodeSketch, tail: tuple[list[int], ...]) -> bool:
        wanted = min(self.rule.n_tail_equal, len(sketch.tail), len(tail))
        known = {key for keys in tail for key in keys}
        return sum(1 for keys in sketch.tail if not known.isdisjoint(keys)) >= wanted

    def insert(self, sketch: CodeSketch) -> int:
        """Let a text found a class, whether it has one or not; returns its number.

        Args:
            sketch: what the rule makes of a text.
        """
        number, by_key = self._n_texts, self._by_key
        self._n_texts += 1
        self._firsts[number] = (sketch.n_chars, len(sketch.head), tuple(sketch.tail))
        keys = {sketch.exact} if sketch.exact else {key for row in sketch.head for key in row}
        for key in keys:
            known = by_key.setdefault(key, number)
            if known is number:
                continue
            if isinstance(known, list):
                known.append(number)
            else:
                by_key[key] = [known, number]
        return number


def _numbers(found: int | list[int] | None) -> Sequence[int]:
    if found is None:
        return ()
    return found if isinstance(found, list) else (found,)


def _ratio(first: int, second: int) -> float:
    low, high = (first, second) if first < second else (second, first)
    return high / low if low else float(high + 1)
