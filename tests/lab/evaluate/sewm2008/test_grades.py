"""The five grades of the IB-DOM paper."""

from __future__ import annotations

import pytest

from quarkcrawl.lab.evaluate.sewm2008.grades import (
    PUBLISHED_SHARE,
    Grade,
    GradeLimits,
    GradeReport,
    grade,
)
from quarkcrawl.lab.gold.scores import Score


def score(lost: int, noise: int) -> Score:
    """A page of 100 characters of content, so many lost, so many found beyond it."""
    return Score.of(100 - lost, 100 - lost + noise, 100)


@pytest.mark.parametrize(
    ("lost", "noise", "expected"),
    [
        (0, 0, Grade.GOOD),
        (5, 5, Grade.GOOD),
        (0, 6, Grade.FAIRLY_GOOD),
        (0, 20, Grade.FAIRLY_GOOD),
        (0, 21, Grade.MEDIUM),
        (0, 50, Grade.MEDIUM),
        (0, 51, Grade.FAIRLY_POOR),
        (6, 0, Grade.MEDIUM),
        (20, 20, Grade.MEDIUM),
        (20, 21, Grade.FAIRLY_POOR),
        (21, 0, Grade.FAIRLY_POOR),
        (49, 300, Grade.FAIRLY_POOR),
        (50, 0, Grade.POOR),
        (100, 0, Grade.POOR),
        (100, 100, Grade.POOR),
    ],
)
def test_grades(lost: int, noise: int, expected: Grade) -> None:
    assert grade(score(lost, noise)) is expected


def test_limits_are_options() -> None:
    assert grade(score(0, 30), GradeLimits(little_noise=0.3)) is Grade.FAIRLY_GOOD


def test_report_and_the_published_figure() -> None:
    """593 + 69 + 21 + 8 + 9 pages; the paper prints 94.4 % for what its counts make 94.6 %."""
    pages = [score(0, 0)] * 593 + [score(0, 10)] * 69 + [score(0, 40)] * 21
    pages += [score(30, 0)] * 8 + [score(60, 0)] * 9
    report = GradeReport.of(pages)
    assert [*report.n_pages.values()] == [593, 69, 21, 8, 9]
    assert report.total == 700
    assert report.good_share == PUBLISHED_SHARE == pytest.approx(0.9457, abs=5e-5)
    assert GradeReport.of([]).good_share == 0
