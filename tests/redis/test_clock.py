"""The clock of the server's machine is set: the campaign's time goes on as if it were not."""

from __future__ import annotations

import asyncio

import pytest

from quarkcrawl.frontier import Candidate, FrontierOptions, RedisFrontier, WorkerHooks, steady_time
from tests.frontier.steps import page
from tests.redis.proxy import CutProxy
from tests.redis.steps import batched, some, until

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


def silence(watcher: RedisFrontier, length_s: float) -> None:
    """As if nobody had called for so long: the next call takes it for a clock that was set."""
    client, meta = watcher.server._client, watcher.server._meta
    client.hset(meta, "clock", repr(float(client.hget(meta, "clock")) - length_s))


def assert_moved(watcher: RedisFrontier, by_s: float) -> None:
    """The silence is in the campaign's skew, or a test has shown nothing."""
    skew_s = float(watcher.server._client.hget(watcher.server._meta, "skew"))
    assert skew_s == pytest.approx(-by_s, abs=30)


LONG_S = 600.0
"""Of a silence: longer than a lease."""


@pytest.mark.parametrize("first", ["lease", "set_host"])
def test_after_a_long_silence_a_worker_goes_by_the_campaigns_time(campaign_url, first):
    frontier, other = opened(campaign_url), opened(campaign_url, "two")
    frontier.push([Candidate(url, "a.cn", 1) for url in URLS])
    silence(frontier, LONG_S)
    frontier.server._told_at -= LONG_S
    before = steady_time()
    if first == "lease":
        (lease,) = frontier.lease(9, now=steady_time())
        lease_s = frontier.options.lease_s
        assert before + lease_s - 30 < lease.deadline < steady_time() + lease_s + 30
        assert list(frontier.leases_of_workers().values()) == [
            (1, pytest.approx(lease.deadline, abs=30))
        ]
    frontier.set_host("a.cn", not_before=before + 90)
    for each in frontier, other:
        assert each.host("a.cn").next_time == pytest.approx(before + 90, abs=30)
    assert_moved(other, LONG_S)
    other.close()
    frontier.close()


@pytest.mark.full
def test_leases_and_delays_after_an_outage(redis_server, campaign_url):
    """A lease is not overdue when it comes, nor late; what was collected meanwhile is on time."""
    proxy = CutProxy(redis_server.port)
    campaign = campaign_url.partition("#")[2]
    frontier = batched(f"redis://127.0.0.1:{proxy.port}/0#{campaign}", lease_s=300)
    watcher = RedisFrontier(campaign_url)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1)])
        await frontier.delivered()
        proxy.cut()
        await until(lambda: frontier.offline)
        before = steady_time()
        frontier.set_host("b.cn", not_before=before + 90)
        silence(watcher, LONG_S)
        proxy.mend()
        (lease,) = await some(frontier, 1)
        assert before + 270 < lease.deadline < steady_time() + 330
        due = frontier.host(lease.host).next_time
        assert before - 30 < due < steady_time() + 30
        await frontier.delivered()
        assert watcher.host("b.cn").next_time == pytest.approx(before + 90, abs=30)
        await frontier.stop()

    asyncio.run(crawl())
    assert_moved(watcher, LONG_S)
    frontier.close()
    watcher.close()
    proxy.close()


def test_a_worker_that_never_was_offline_follows_too(campaign_url):
    frontier, watcher = batched(campaign_url, lease_s=300), RedisFrontier(campaign_url)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        await frontier.delivered()
        silence(watcher, LONG_S)
        await frontier.delivered()
        frontier.push([page(1)])
        before = steady_time()
        (lease,) = await some(frontier, 1)
        assert before + 270 < lease.deadline < steady_time() + 330
        await frontier.stop()

    asyncio.run(crawl())
    assert_moved(watcher, LONG_S)
    frontier.close()
    watcher.close()


def test_the_offset_follows_only_what_it_cannot_be(campaign_url):
    """A time that is read twice is the same, however long its answers took."""
    frontier = opened(campaign_url)
    known = frontier.server.offset_s
    for told, before, after in [(known + 50, 45, 52), (known + 50, 49.5, 49.6)]:
        frontier.server._follow(told, before, after)
        assert frontier.server.offset_s == known
    frontier.server._follow(known + 50, 52, 54)
    assert frontier.server.offset_s == pytest.approx(known - 3)
    frontier.close()
