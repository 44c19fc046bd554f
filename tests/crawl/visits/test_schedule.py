"""The schedule of visits: bounds, what changes do to it, and that it finds a page's rate."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.crawl.visits.schedule import History, VisitSchedule

DAY_S = 86400.0
SCHEDULE = VisitSchedule(DAY_S, 30 * DAY_S)


@given(
    first_at=st.floats(0, 2e9),
    span_s=st.floats(0, 1e9),
    visits=st.integers(0, 10_000),
    share=st.floats(0, 1),
    is_home=st.booleans(),
    is_gone=st.booleans(),
)
def test_a_page_is_due_within_the_bounds(first_at, span_s, visits, share, is_home, is_gone) -> None:
    seen_at = first_at + span_s
    history = History(first_at, seen_at, seen_at, visits, int(share * visits), is_home, is_gone)
    wait_s = SCHEDULE.due(history) - seen_at
    assert DAY_S * 0.999 <= wait_s <= 30 * DAY_S * 1.001


@given(visits=st.integers(1, 200), data=st.data())
def test_more_changes_bring_the_next_visit_nearer(visits, data) -> None:
    fewer = data.draw(st.integers(0, visits - 1))
    calm = History(0.0, visits * 5 * DAY_S, visits * 5 * DAY_S, visits, fewer)
    busy = History(0.0, visits * 5 * DAY_S, visits * 5 * DAY_S, visits, fewer + 1)
    assert SCHEDULE.rate(busy) > SCHEDULE.rate(calm)
    assert SCHEDULE.due(busy) <= SCHEDULE.due(calm)


def test_a_page_without_changes_is_put_off_by_degrees() -> None:
    waits, now = [], 0.0
    for visits in range(8):
        due = SCHEDULE.due(History(0.0, now, now, visits, 0))
        waits.append(round((due - now) / DAY_S, 9))
        now = due
    assert waits[0] == 1
    assert waits == sorted(waits)
    assert 2 < waits[1] < 3
    assert waits[-1] == 30


def test_a_home_page_has_its_own_time_and_one_that_is_gone_the_longest() -> None:
    news = VisitSchedule(DAY_S, 30 * DAY_S, home_s=600)
    assert news.due(History(0, 1000, 1000, 5, 0, is_home=True)) == 1600
    assert news.due(History(0, 1000, 1000, 5, 5)) == 1000 + DAY_S
    assert news.due(History(0, 1000, 1000, 5, 5, is_gone=True)) == 1000 + 30 * DAY_S


@pytest.mark.parametrize("days", [2.0, 5.0, 12.0])
def test_the_rate_of_a_random_page_is_found(days) -> None:
    """At visits of a fixed distance; the naive estimate, changes by time, is lower."""
    dice, rates, naive = random.Random(1), [], []
    for _ in range(300):
        n_visits, step_days = 40, 4.0
        changes = sum(dice.random() < 1 - math.exp(-step_days / days) for _ in range(n_visits))
        history = History(
            0.0, 0.0 + n_visits * step_days * DAY_S, n_visits * step_days * DAY_S, n_visits, changes
        )
        rates.append(SCHEDULE.rate(history) * DAY_S)
        naive.append(changes / (n_visits * step_days))
    mean, simple = sum(rates) / len(rates), sum(naive) / len(naive)
    assert abs(mean - 1 / days) < abs(simple - 1 / days)
    assert mean == pytest.approx(1 / days, rel=0.12)
