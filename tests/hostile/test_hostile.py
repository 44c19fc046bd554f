"""One crawl over every bad behaviour: each row ends as its entry says, and the run goes on."""

from __future__ import annotations

import dataclasses

import pytest

from .behavior import Behavior
from .crawls import SETTINGS, Outcome, crawl, faults
from .moves import PRIVATE
from .server import behaviors

ROWS = behaviors()
MIB = 1 << 20


def test_there_are_sixty_behaviors_at_least():
    assert len(ROWS) >= 60
    assert len({row.host for row in ROWS}) == len(ROWS)


def test_alternatives_have_their_reason():
    for row in ROWS:
        assert bool(row.why) == any("|" in e for e in row.expect.values() if isinstance(e, str)), (
            row
        )


@pytest.mark.full
@pytest.mark.timeout(600)
def test_one_crawl_over_all_behaviors(tmp_path):
    """One test, so that workers of pytest-xdist do not each crawl anew."""
    outcome = crawl(tmp_path, timeout_s=200)
    wrong = wrong_rows(ROWS, outcome)
    if late := [row for row in ROWS if row.name in wrong and is_late(wrong[row.name])]:
        # Four seconds are short for a good reply too, where six processes share a processor.
        again = crawl(tmp_path / "late", late, timeout_s=200, request_timeout_s=12)
        wrong = {n: w for n, w in wrong.items() if not is_late(w)} | wrong_rows(late, again)
    assert wrong == {}
    ends_by_itself(outcome)
    is_bounded(outcome)
    asks_nothing_private_and_tells_nothing_secret(outcome)
    notices_wrong_expectations(outcome)


def wrong_rows(rows: list[Behavior], outcome: Outcome) -> dict[str, list[str]]:
    found = {row.name: faults(row, outcome.hosts.get(row.name)) for row in rows}
    return {name: wrong for name, wrong in found.items() if wrong}


def is_late(wrong: list[str]) -> bool:
    """Whether a request that timed out explains what is wrong of a host."""
    return any(text.startswith("/: timeout, not") for text in wrong)


def ends_by_itself(outcome: Outcome) -> None:
    assert outcome.code == 0, outcome.stderr
    assert outcome.summary["finish_reason"] == "finished"
    assert outcome.summary["left"] == 0
    assert "Traceback" not in outcome.stderr


def is_bounded(outcome: Outcome) -> None:
    """A run of three good pages takes 330 MiB; here 64 requests are out at once."""
    assert outcome.peak_rss_bytes < 700 * MIB
    assert outcome.stored_bytes < 40 * MIB


def asks_nothing_private_and_tells_nothing_secret(outcome: Outcome) -> None:
    assert {request["host"] for request in outcome.requests} <= {row.host for row in ROWS}
    assert len(PRIVATE) > 12
    for request in outcome.requests:
        assert not request.keys() & {"cookie", "authorization", "referer", "x-planted"}, request
        assert request["user-agent"] == SETTINGS["user_agent"]
        assert "crawl@example.cn" in request["user-agent"]


def notices_wrong_expectations(outcome: Outcome) -> None:
    """Else the rows could not fail."""
    row = next(row for row in ROWS if row.name == "gzip-bomb")
    for change in (
        {"expect": {"/": "stored"}},
        {"expect": {"/": "stored+truncated", "/more": "stored"}},
        {"text": "another title"},
        {"most_requests": 1},
        {"most_stored_bytes": 1000},
    ):
        assert faults(dataclasses.replace(row, **change), outcome.hosts[row.name])
    assert faults(row, None)


def test_the_page_in_docs_is_that_of_the_table():
    from .table import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page()
