"""The ledger against the real frontier: one ending a lease, whatever order they come in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.crawl.leases import Ledger
from quarkcrawl.frontier import Candidate, FrontierOptions, SqliteFrontier


@pytest.fixture
def frontier(tmp_path):
    options = FrontierOptions(delay_s=0, concurrency=9, robots=False, max_tries=2)
    frontier = SqliteFrontier(tmp_path / "f.sqlite", options)
    frontier.push([Candidate(f"http://a.cn/{i}", "a.cn", 1) for i in range(9)])
    yield frontier
    frontier.close()


def test_the_first_ending_wins(frontier):
    ledger = Ledger(frontier)
    (lease,) = frontier.lease(1, now=0.0)
    ledger.begin(lease)
    assert ledger.end(lease.token, "stored")
    assert not ledger.end(lease.token, "callback_error")
    assert [e.reason for e in ledger.take()] == ["stored"]
    assert not ledger.is_open(lease.token)
    assert ledger.retry(lease.token, reason="timeout", not_before=0.0) == "fenced"


def test_a_retried_lease_is_closed_here_and_an_exhausted_one_stays_open(frontier):
    ledger = Ledger(frontier)
    (lease,) = frontier.lease(1, now=0.0)
    ledger.begin(lease)
    assert ledger.retry(lease.token, reason="timeout", not_before=1.0) == "queued"
    assert not ledger.end(lease.token, "stored")
    again = next(x for x in frontier.lease(9, now=2.0) if x.url == lease.url)
    ledger.begin(again)
    assert ledger.retry(again.token, reason="timeout", not_before=2.0) == "exhausted"
    assert ledger.end(again.token, "timeout")


def test_what_waits_for_its_group_is_prolonged_unless_it_is_overdue(frontier):
    """Its group may wait for long: for a server of the campaign that is away."""
    ledger = Ledger(frontier)
    lease_s = frontier.options.lease_s
    kept, overdue = frontier.lease(2, now=0.0)
    for lease in (kept, overdue):
        ledger.begin(lease)
    assert ledger.end(kept.token, "stored")
    ledger.prolong(0.1 * lease_s)
    assert ledger._ended[kept.token].deadline == lease_s, "it has just begun"
    for step in range(1, 9):
        ledger.prolong(step * lease_s / 2)
        assert ledger.may_reap(step * lease_s / 2)
    assert ledger.end(overdue.token, "stored")
    ledger.prolong(4.2 * lease_s)
    assert not ledger.may_reap(4.2 * lease_s), "its group goes first"
    assert frontier.reap(now=4.2 * lease_s) == 1
    assert frontier.acknowledge([ledger.take()[0]]) == [True]


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=30))
def test_every_lease_ends_once_with_its_first_reason(endings):
    settled = []

    class Frontier:
        def settle(self, tokens):
            settled.extend(tokens)

    ledger = Ledger(Frontier())
    for token in range(6):
        ledger._open[token] = object()
    first: dict[int, str] = {}
    for token, reason in endings:
        assert ledger.end(token, reason) == (token not in first)
        first.setdefault(token, reason)
    assert {e.token: e.reason for e in ledger.take()} == first
    assert settled == list(first)
    assert len(ledger) == 6 - len(first)
