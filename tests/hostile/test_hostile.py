"""One crawl over every bad behaviour: each row ends as its entry says, and the run goes on."""

from __future__ import annotations

import pytest

from .crawls import SETTINGS, Outcome, crawl, faults
from .moves import PRIVATE
from .server import behaviours

ROWS = behaviours()
MIB = 1 << 20


@pytest.fixture(scope="session")
def outcome(tmp_path_factory) -> Outcome:
    return crawl(tmp_path_factory.mktemp("hostile"), timeout_s=200)


def test_there_are_sixty_behaviours_at_least():
    assert len(ROWS) >= 60
    assert len({row.host for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_behaviour(row, outcome):
    assert faults(row, outcome.hosts.get(row.name)) == []


def test_the_run_ends_by_itself_and_settles_everything(outcome):
    assert outcome.code == 0, outcome.stderr
    assert outcome.summary["finish_reason"] == "finished"
    assert outcome.summary["complete"]
    assert "Traceback" not in outcome.stderr


def test_memory_and_disk_are_bounded(outcome):
    """200 MiB beyond what a run of three good pages takes (330); 64 requests out at once."""
    assert outcome.peak_rss_bytes < 700 * MIB
    assert outcome.stored_bytes < 40 * MIB


def test_nothing_private_is_asked_and_nothing_secret_is_sent(outcome):
    hosts = {row.host for row in ROWS}
    assert {request["host"] for request in outcome.requests} <= hosts
    for request in outcome.requests:
        assert not request.keys() & {"cookie", "authorization", "referer", "x-planted"}, request
        assert request["user-agent"] == SETTINGS["user_agent"]
    assert len(PRIVATE) > 12


def test_every_request_names_its_crawler(outcome):
    assert all("crawl@example.cn" in request["user-agent"] for request in outcome.requests)


def test_a_wrong_expectation_is_noticed(outcome):
    """Else the rows could not fail."""
    import dataclasses

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
