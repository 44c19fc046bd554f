"""The five grades of the IB-DOM paper (section 4), from precision and recall.

The authors graded pages by eye and say "basically no noise", "a little noise", "more noise, but
clearly less than content", "clearly too much noise"; of the lost part of the content they give
shares (at most 20 %, less than 50 %). Here a page is graded by its marked text: what is lost is
1 - recall, and noise is what was found beyond the content, as a share of the content. The limits
that the paper has only in words are `GradeLimits`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.lab.gold import Score


PUBLISHED_SHARE: Final = 662 / 700
"""Share of good and fairly good pages in the paper: 593 and 69 of 700 pages of seven portals.

The paper prints 94.4 %; its own counts give 94.6 %."""


class Grade(StrEnum):
    """Grades of a page, best first."""

    GOOD = "good"
    FAIRLY_GOOD = "fairly good"
    MEDIUM = "medium"
    FAIRLY_POOR = "fairly poor"
    POOR = "poor"


@dataclass(frozen=True, slots=True)
class GradeLimits:
    """Where one grade ends and the next begins.

    Args:
        complete_lost: content counts as complete if no more than this share is lost.
        hardly_any_noise: most noise of a good page.
        little_noise: most noise of a fairly good page.
        less_noise: most noise that is "clearly less than the content".
        medium_lost: most that a medium page loses (the paper's 20 %).
        poor_lost: a page that loses this share or more is poor (the paper's 50 %).
    """

    complete_lost: float = 0.05
    hardly_any_noise: float = 0.05
    little_noise: float = 0.2
    less_noise: float = 0.5
    medium_lost: float = 0.2
    poor_lost: float = 0.5


_DEFAULT: Final = GradeLimits()
_DIGITS: Final = 9
"""Limits are shares of characters; rounding keeps a share that equals one on its side."""


def grade(score: Score, limits: GradeLimits = _DEFAULT) -> Grade:
    """Grade one page.

    Args:
        score: precision and recall of the page's text.
        limits: limits of the grades.
    """
    lost = round(1 - score.recall, _DIGITS)
    noise = score.recall * (1 / score.precision - 1) if score.precision else 0.0
    noise = round(noise, _DIGITS)
    if lost >= limits.poor_lost:
        return Grade.POOR
    if lost > limits.complete_lost:
        kept_enough = lost <= limits.medium_lost and noise <= limits.little_noise
        return Grade.MEDIUM if kept_enough else Grade.FAIRLY_POOR
    steps = (
        (limits.hardly_any_noise, Grade.GOOD),
        (limits.little_noise, Grade.FAIRLY_GOOD),
        (limits.less_noise, Grade.MEDIUM),
    )
    return next((best_grade for most, best_grade in steps if noise <= most), Grade.FAIRLY_POOR)


@dataclass(frozen=True, slots=True)
class GradeReport:
    """Grades of a set of pages.

    Args:
        n_pages: pages with each grade.
    """

    n_pages: dict[Grade, int]

    @classmethod
    def of(cls, scores: Iterable[Score], limits: GradeLimits = _DEFAULT) -> GradeReport:
        """Grade pages.

        Args:
            scores: one score a page.
            limits: limits of the grades.
        """
        counts = Counter(grade(score, limits) for score in scores)
        return cls({name: counts[name] for name in Grade})

    @property
    def total(self) -> int:
        """Number of pages."""
        return sum(self.n_pages.values())

    @property
    def good_share(self) -> float:
        """Share of good and fairly good pages, the paper's figure; 0 for no page."""
        n_good = self.n_pages[Grade.GOOD] + self.n_pages[Grade.FAIRLY_GOOD]
        return n_good / self.total if self.total else 0.0
