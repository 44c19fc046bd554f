"""Scores of a grouping against known classes, by pairs and by classes.

The paper counts wrongly put classes and prints them beside the number of classes, for each topic
area and value of the length bound ``a`` (Peng et al. 2004, section 4); `paper_table` has its
layout. Pair scores say how many of the pairs put together belong together (precision) and how many
of those that belong together are (recall).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from quarkcrawl.dedup import CODE_ONLY, FEATURECODE_2004, group_by_codes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from quarkcrawl.dedup import CodeRule


PAPER_RATIOS: Final = (1.05, 1.10, 1.12, 1.14)
"""Values of the length bound in the paper's first table."""

PAPER_TABLE: Final[dict[str, tuple[str, ...]]] = {
    "a = 1.05": ("53/4", "95/11", "72/2", "80/3", "300/20"),
    "a = 1.10": ("53/1", "95/4", "72/4", "80/0", "300/9"),
    "a = 1.12": ("53/2", "95/2", "72/6", "80/0", "300/10"),
    "a = 1.14": ("53/3", "95/3", "72/3", "80/0", "300/9"),
    "code only": ("53/5", "95/5", "72/12", "80/4", "300/26"),
}
"""The paper's numbers, on 902 pages that are not available: education, science, news, sports."""


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How well a grouping meets the known classes.

    Args:
        n_texts: texts grouped.
        n_classes: known classes.
        n_found: classes of the grouping.
        true_pairs: pairs of texts put together that belong together.
        found_pairs: pairs put together.
        known_pairs: pairs that belong together.
        n_merged: how often a found class holds one more known class than it should.
        n_split: how often a known class is spread over one more found class than it should.
    """

    n_texts: int
    n_classes: int
    n_found: int
    true_pairs: int
    found_pairs: int
    known_pairs: int
    n_merged: int
    n_split: int

    @property
    def precision(self) -> float:
        """Share of the pairs put together that belong together; 1 if there are none."""
        return self.true_pairs / self.found_pairs if self.found_pairs else 1.0

    @property
    def recall(self) -> float:
        """Share of the pairs that belong together which are put together; 1 without any."""
        return self.true_pairs / self.known_pairs if self.known_pairs else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def n_errors(self) -> int:
        """Wrongly merged and wrongly split."""
        return self.n_merged + self.n_split


def score_classes(predictions: Sequence[Hashable], classes: Sequence[Hashable]) -> ClassScore:
    """Compare a class for each text with the right one.

    Args:
        predictions: class that was given to each text.
        classes: its right class.

    >>> score_classes([0, 0, 2, 2], "aabc").precision
    0.5
    """
    cells = Counter(zip(predictions, classes, strict=True))
    by_found, by_known = Counter(predictions), Counter(classes)
    return ClassScore(
        n_texts=len(predictions),
        n_classes=len(by_known),
        n_found=len(by_found),
        true_pairs=_pairs(cells.values()),
        found_pairs=_pairs(by_found.values()),
        known_pairs=_pairs(by_known.values()),
        n_merged=len(cells) - len(by_found),
        n_split=len(cells) - len(by_known),
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def paper_table(
    areas: Sequence[tuple[Sequence[str], Sequence[Hashable]]],
    rule: CodeRule = FEATURECODE_2004,
    ratios: Sequence[float] = PAPER_RATIOS,
) -> dict[str, tuple[str, ...]]:
    """The paper's two tables in one: total classes / errors by area and rule, the sum last.

    Args:
        areas: texts and their classes, for each topic area.
        rule: the rule whose length bound is varied.
        ratios: the bounds.
    """
    rules = {f"a = {a:.2f}": replace(rule, length_ratio=a) for a in ratios}
    rules["code only"] = CODE_ONLY
    table: dict[str, tuple[str, ...]] = {}
    for name, varied in rules.items():
        scores = [
            score_classes(group_by_codes(texts, varied).firsts, classes) for texts, classes in areas
        ]
        cells = [(score.n_classes, score.n_errors) for score in scores]
        cells.append((sum(n for n, _ in cells), sum(n for _, n in cells)))
        table[name] = tuple(f"{n_classes}/{n_errors}" for n_classes, n_errors in cells)
    return table
