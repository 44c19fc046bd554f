"""Precision, recall and F1 of one page, and their means over pages.

The SEWM2008 evaluation (Quark thesis, chapter 4) computes all three per page and takes means over
the pages: macro F1 is a mean of F1 values, not 2PR/(P+R) of the mean precision and recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of one page, or means of them.

    Args:
        precision: share of what was found that is right.
        recall: share of what is right that was found.
        f1: harmonic mean of a page's two, or the mean of such values.
    """

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, n_correct: float, n_found: float, n_gold: float) -> Score:
        """Score of one page; a share of nothing is 0.

        >>> Score.of(6, 8, 12)
        Score(precision=0.75, recall=0.5, f1=0.6)

        Args:
            n_correct: how much of what was found is right.
            n_found: how much was found.
            n_gold: how much there is to find.
        """
        precision = n_correct / n_found if n_found else 0.0
        recall = n_correct / n_gold if n_gold else 0.0
        total = precision + recall
        return cls(precision, recall, 2 * precision * recall / total if total else 0.0)


NOTHING: Final = Score(0.0, 0.0, 0.0)
"""Score of a page for which a run has nothing."""


def macro(scores: Sequence[Score]) -> Score:
    """Means over pages; all 0 for no page.

    >>> macro([Score.of(1, 1, 1), Score.of(0, 5, 5)])
    Score(precision=0.5, recall=0.5, f1=0.5)

    Args:
        scores: one score a page.
    """
    n_pages = len(scores)
    if not n_pages:
        return NOTHING
    return Score(
        sum(score.precision for score in scores) / n_pages,
        sum(score.recall for score in scores) / n_pages,
        sum(score.f1 for score in scores) / n_pages,
    )
