"""The frontier of a worker: few round trips, fencing, a server that goes away."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from math import inf

import pytest
import redis

from quarkcrawl.frontier import (
    FENCED,
    BatchedFrontier,
    Candidate,
    Ending,
    RedisFrontier,
    WorkerHooks,
)
from quarkcrawl.frontier.redis.starts import StartList
from tests.frontier.steps import page
from tests.redis.proxy import CutProxy
from tests.redis.steps import OPTIONS, batched, some, store, until


def test_round_trips_are_fewer_than_pages(campaign_url) -> None:
    frontier = batched(campaign_url)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(n, 1, f"{n % 40}.cn") for n in range(400)])
        before = frontier.direct.server.round_trips
        done = 0
        while done < 400:
            leases = await some(frontier, min(20, 400 - done))
            for lease in leases:
                assert lease.tries == 1
            links = [page(f"{done}-{n}", 2, "0.cn") for n in range(3)]
            await asyncio.gather(*(store(frontier, lease, links) for lease in leases))
            done += len(leases)
        await frontier.delivered()
        trips = frontier.direct.server.round_trips - before
        assert trips < 0.5 * 400, trips
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.counts().ended == {"stored": 400}
    frontier.close()


@pytest.mark.full
def test_the_seeds_of_a_large_campaign_keep_nobody_waiting(campaign_url, monkeypatch) -> None:
    """A script of seconds would keep the server from all workers, and its answer from this one."""
    frontier = batched(campaign_url)
    seeds = [page(n, 1, f"{n}.cn") for n in range(7000)]
    server, sizes = frontier.direct.server, []
    real = server.call_raw

    def call_raw(operations, **more):
        parts = [part for operation in operations for part in operation if isinstance(part, list)]
        sizes.append(sum(map(len, parts)))
        return real(operations, **more)

    monkeypatch.setattr(server, "call_raw", call_raw)
    assert all(frontier.direct.push(seeds[:1500]))

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        assert all(frontier.push(seeds[1000:]))
        await frontier.delivered()
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.counts().pending == len(seeds)
    assert max(sizes) <= 2500
    waiting = [candidate.url for candidate, _, _ in frontier.direct.waiting()]
    assert sorted(waiting) == sorted(seed.url for seed in seeds)
    frontier.close()


@pytest.mark.full
def test_it_ends_only_when_nothing_is_out_anywhere(campaign_url) -> None:
    one, two = batched(campaign_url), batched(campaign_url)

    async def crawl() -> None:
        one.start(WorkerHooks())
        assert one.next_ready(now=time.time()) == inf, "it has not looked yet"
        two.start(WorkerHooks())
        one.push([page(1)])
        (lease,) = await some(one, 1)
        await two.delivered()
        assert two.next_ready(now=time.time()) == inf, "the other may still find links"
        await store(one, lease, [page(2)])
        (second,) = await some(two, 1)
        assert second.url == page(2).url
        await store(two, second)
        for frontier in (one, two):
            await until(lambda f=frontier: f.next_ready(now=time.time()) is None)
            await frontier.stop()

    asyncio.run(crawl())
    one.close()
    two.close()


def test_known_links_do_not_travel_again(campaign_url) -> None:
    frontier = batched(campaign_url)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1, 3), page(2, 3)])
        assert frontier.push([page(1, 3), page(3, 3), page(2, 2)]) == [False, True, False]
        sent = [item for operation, _ in frontier._exchange.outbox for item in operation[1]]
        assert [item[1] for item in sent] == [3, 3, 3, 2]  # the lowered one is told
        assert frontier.mark_seen(["http://a.cn/1", "http://a.cn/9"]) == [False, True]
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.find([page(2).url]) == [page(2, 2)]
    assert frontier.counts().seen == 4
    frontier.close()


def test_a_closed_host_is_listed_once(campaign_url) -> None:
    one, two = batched(campaign_url), batched(campaign_url)

    async def crawl() -> None:
        one.start(WorkerHooks())
        two.start(WorkerHooks())
        one.push([page(n) for n in range(50)])
        await one.delivered()
        assert list(two.close_host("a.cn", reason="spam_host")) == []
        await two.delivered()
        listed = [*one.drain_closed(), *two.drain_closed()]
        await one.stop()
        await two.stop()
        listed += [*one.drain_closed(), *two.drain_closed()]
        assert sorted(c.url for c, _ in listed) == sorted(page(n).url for n in range(50))
        assert {reason for _, reason in listed} == {"spam_host"}

    asyncio.run(crawl())
    one.close()
    two.close()


@pytest.mark.full
def test_retries_are_counted_over_all_workers(campaign_url) -> None:
    one, two = batched(campaign_url), batched(campaign_url)

    async def crawl() -> None:
        one.start(WorkerHooks())
        two.start(WorkerHooks())
        one.push([page(1)])
        for frontier, expected in ((one, "queued"), (two, "queued"), (one, "exhausted")):
            (lease,) = await some(frontier, 1)
            assert frontier.retry(lease.token, reason="timeout", not_before=0) == expected
            await frontier.delivered()
        one.acknowledge([Ending(lease.token, "timeout")])
        await one.stop()
        await two.stop()

    asyncio.run(crawl())
    assert one.counts().retried == {"timeout": 3}
    assert one.counts().ended == {"timeout": 1}
    one.close()
    two.close()


def test_the_robots_of_a_host_are_shared(campaign_url) -> None:
    one, two = batched(campaign_url, robots=True), batched(campaign_url, robots=True)
    learnt: dict[str, str] = {}

    async def crawl() -> None:
        one.start(WorkerHooks())
        two.start(WorkerHooks(on_robots=learnt.__setitem__))
        one.push([page(1), page(2)])
        (robots,) = await some(one, 1)
        assert robots.kind == "robots"
        text = "User-agent: *\nDisallow: /x"
        one.set_robots(robots.token, robots=text, delay_s=0.2, now=time.time())
        await one.delivered()
        (lease,) = await some(two, 1)
        assert lease.kind == "page"
        assert learnt == {"a.cn": text}, "known before its first page may be fetched"
        assert two.host("a.cn").robots == text
        assert two.host("a.cn").delay_s == 0.2
        await one.stop()
        await two.stop()

    asyncio.run(crawl())
    one.close()
    two.close()


class CutOnce(StartList):
    """At the first look the line is cut."""

    looks = 0

    def take_in(self, frontier: RedisFrontier) -> int:
        self.looks += 1
        if self.looks == 1:
            self.cut()
        return super().take_in(frontier)


def test_an_idle_worker_takes_start_lists_in(redis_server, campaign_url) -> None:
    """Also while it wishes for leases, and when the server goes away just then."""
    proxy = CutProxy(redis_server.port)
    campaign = campaign_url.partition("#")[2]
    other = RedisFrontier(campaign_url, replace(OPTIONS, robots=True))
    other.push([page(1)])
    (robots,) = other.lease(1, now=time.time())
    other.set_robots(robots.token, robots="", delay_s=None, now=time.time())
    starts = CutOnce(f"{campaign}:start_urls")
    starts.cut = proxy.cut
    near = RedisFrontier(f"redis://127.0.0.1:{proxy.port}/0#{campaign}")
    frontier = BatchedFrontier(near, starts=starts)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        assert frontier.lease(5, now=time.time()) == []
        await until(lambda: frontier.offline)
        proxy.mend()
        (first,) = await some(frontier, 1)
        assert first.url == page(1).url  # with a host whose robots.txt had to be asked for
        frontier.lease(5, now=time.time())
        with redis.Redis.from_url(redis_server.url) as client:
            client.rpush(starts.key, "http://start.cn/x")
        (second,) = await some(frontier, 1)
        assert second.host == "start.cn"
        await frontier.stop()

    asyncio.run(crawl())
    assert starts.taken == 1
    frontier.close()
    other.close()
    proxy.close()


@pytest.mark.parametrize("state", ["paused", "draining"])
def test_pause_and_drain(campaign_url, state) -> None:
    frontier = batched(campaign_url)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1), page(2)])
        (lease,) = await some(frontier, 1)
        frontier.direct.set_state(state)
        await frontier.delivered()
        await frontier.delivered()
        assert frontier.lease(5, now=time.time()) == []
        await store(frontier, lease)
        await until(lambda: not frontier._memory)
        await frontier.delivered()
        expected = None if state == "draining" else inf
        await until(lambda: frontier.next_ready(now=time.time()) == expected)
        frontier.direct.set_state("running")
        await some(frontier, 1)
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()


def test_the_budget_of_a_campaign(campaign_url) -> None:
    frontier = batched(campaign_url)
    frontier.direct.set_rules(OPTIONS, max_campaign_pages=10)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(n, 1, f"{n}.cn") for n in range(25)])
        leases = await some(frontier, 10)
        await frontier.delivered()
        assert frontier.lease(5, now=time.time()) == []
        await asyncio.gather(*(store(frontier, lease) for lease in leases))
        frontier.lease(5, now=time.time())
        await until(
            lambda: frontier.next_ready(now=time.time()) is None or frontier._exchange.drained
        )
        await frontier.stop()
        assert len(list(frontier.drain_closed())) == 15

    asyncio.run(crawl())
    assert frontier.counts().ended == {"stored": 10, "campaign_budget": 15}
    frontier.close()


def test_candidates_of_many_kinds_survive_the_way(campaign_url) -> None:
    frontier = batched(campaign_url)
    odd = [Candidate(f"http://h/{text}", "h", 1) for text in ("\ud800", "\0", "长" * 999, '"\\')]

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push(odd)
        leases = await some(frontier, len(odd))
        assert {lease.url for lease in leases} == {one.url for one in odd}
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()


@pytest.mark.full
@pytest.mark.parametrize("taken", [False, True])
def test_a_page_that_was_stored_too_late_is_not_stored_again(campaign_url, taken) -> None:
    """Its lease ran out before its group was on disk; it waits again, or somebody has it."""
    late, other = batched(campaign_url, lease_s=0.6), batched(campaign_url, lease_s=0.6)

    async def run() -> None:
        late.start(WorkerHooks())
        late.push([page(1, 1, "a.cn")])
        (lease,) = await some(late, 1)
        assert await late.claim_page(lease.token, [("md5", b"0" * 16, lease.url)]) == [lease.url]
        await asyncio.sleep(0.8)
        other.start(WorkerHooks())
        other.reap(now=time.time())
        again = await some(other, 1) if taken else []
        if not taken:
            await other.delivered()
            assert other.direct.counts().pending == 1
        late.acknowledge([Ending(lease.token, "stored")])
        await late.delivered()
        await late.delivered()  # what the answer led to
        for second in again:
            assert second.url == lease.url
            claims = [("md5", b"0" * 16, lease.url)]
            assert await other.claim_page(second.token, claims) is FENCED
        assert late.fenced == 1
        await late.stop()
        await other.stop()

    asyncio.run(run())
    counts = late.direct.counts()
    assert counts.ended == {"stored": 1}
    assert (counts.pending, counts.leased) == (0, 0)
    late.close()
    other.close()
