"""The clock of the server's machine is set: the campaign's time goes on as if it were not."""

from __future__ import annotations

import pytest

from quarkcrawl.frontier import Candidate, FrontierOptions, RedisFrontier, steady_time

URLS = [f"http://a.cn/{n}" for n in range(3)]


def opened(address: str, worker: str = "one") -> RedisFrontier:
    return RedisFrontier(address, FrontierOptions(delay_s=5, robots=False), worker=worker)


def set_clock(frontier: RedisFrontier, by_s: float) -> None:
    """As if the server's clock had been set by so many seconds since it was asked last."""
    client, meta = frontier.server._client, frontier.server._meta
    frontier.counts()
    client.hset(meta, "skew", repr(float(client.hget(meta, "skew") or 0) + by_s))


@pytest.mark.parametrize("by_s", [-3600, 3600, -90_000])
def test_a_clock_that_is_set_moves_neither_delay_nor_lease(campaign_url, by_s):
    frontier = opened(campaign_url)
    frontier.push([Candidate(url, "a.cn", 1) for url in URLS])
    (lease,) = frontier.lease(9, now=steady_time())
    due = frontier.next_ready(now=steady_time())
    set_clock(frontier, by_s)
    assert frontier.next_ready(now=steady_time()) == pytest.approx(due, abs=30)
    assert frontier.lease(9, now=steady_time()) == []
    assert frontier.reap(now=steady_time()) == 0
    assert frontier.find([lease.url])[0].token == lease.token
    other = opened(campaign_url, "two")
    assert abs(other.server.offset_s - frontier.server.offset_s) < 30
    assert other.next_ready(now=steady_time()) == pytest.approx(due, abs=30)
    other.close()
    frontier.close()


def test_a_campaign_that_rested_for_a_day_has_grown_older(campaign_url):
    frontier = opened(campaign_url)
    frontier.push([Candidate(url, "a.cn", 1) for url in URLS])
    frontier.lease(9, now=steady_time())
    set_clock(frontier, 86_400)
    assert frontier.reap(now=steady_time()) == 1
    frontier.close()
