"""Dates as sitemaps and feeds have them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page.lists.dates import epoch_s

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-26T12:00:00Z", "2026-11-26T20:00:00+08:00", "2026-11-26T20:00:00.000+0800",
        "2026-11-26 12:00", "2026-11-26 20:00:00 +0800", "2026/11/26 12:00:00", "2026年11月26日 12:00",
        "20261126T120000Z", "Thu, 26 Nov 2026 12:00:00 GMT", "Thu, 26 Nov 2026 20:00:00 +0800",
        "26 Nov 2026 12:00:00", "  2026-11-26T12:00Z\n",
    ],
)  # fmt: skip
def test_forms_of_one_moment(text):
    assert epoch_s(text) == NOON


def test_days_months_and_years():
    assert epoch_s("2026-11-26") == NOON - 43200
    assert epoch_s("2026-1-2 8:05") == datetime(2026, 1, 2, 8, 5, tzinfo=UTC).timestamp()
    assert epoch_s("2026-11") == datetime(2026, 11, 1, tzinfo=UTC).timestamp()
    assert epoch_s("2026") == datetime(2026, 1, 1, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    ["", "heute", "0000-00-00", "2026-13-01", "1970-01-01", "9999-12-31", "Thu, 99 Nov 2026", "2" * 5000,
     "2026-11-26T99:00", "-1", "1e9", "Thu, 26 Nov 2026 12:00:00 +9999999"],
)  # fmt: skip
def test_no_dates(text):
    assert epoch_s(text) is None


@given(st.text(max_size=80))
def test_any_text_is_a_date_or_none(text):
    found = epoch_s(text)
    assert found is None or 6e8 < found < 4.2e9


@given(st.datetimes(datetime(1991, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC)))
def test_what_is_written_is_read(moment):
    moment = moment.replace(microsecond=0)
    assert epoch_s(moment.isoformat()) == moment.timestamp()
    assert epoch_s(moment.strftime("%a, %d %b %Y %H:%M:%S +0000")) == moment.timestamp()
