"""Groups of endings that count whole or not at all, and turns besides leases."""

from __future__ import annotations

import asyncio
import time

import pytest

from quarkcrawl.frontier import (
    Ending,
    EndingGroup,
    FrontierOptions,
    RedisFrontier,
    WorkerHooks,
    collecting,
    open_shared,
)
from tests.frontier.steps import page
from tests.redis.steps import some

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=50, robots=False, strict=False, lease_s=60)


def worker(url, name="w1", options=OPTIONS):
    direct = open_shared(url, options, worker=name)
    last = direct.begin_run("job", "aa")
    return direct, last, collecting(direct)


def group(number, leases, *, run="aa", marks=()):
    return EndingGroup("job", run, number, [Ending(one.token, "stored") for one in leases], marks)


@pytest.fixture(params=["one", "three"])
def address(request, campaign_url, where):
    return campaign_url if request.param == "one" else where


async def leased(frontier, number):
    frontier.start(WorkerHooks())
    frontier.push([page(n, 1, f"h{n}.cn") for n in range(number)])
    return await some(frontier, number)


def by_server(frontier, leases):
    servers = {}
    for lease in leases:
        servers.setdefault(frontier.server_of(lease.token), []).append(lease)
    return servers


class TestGroups:
    def test_a_group_counts_once(self, address):
        direct, last, frontier = worker(address)
        assert set(last) == {0}

        async def crawl():
            leases = await leased(frontier, 12)
            for number, own in enumerate(by_server(frontier, leases).values(), 1):
                assert await frontier.end_group(group(number, own)) == []
                assert await frontier.end_group(group(number, own)) == []  # the answer was lost
            await frontier.stop()

        asyncio.run(crawl())
        assert frontier.counts().ended == {"stored": 12}
        n_servers = len(direct.parts)
        assert max(direct.begin_run("job", "bb")) == n_servers
        frontier.close()

    def test_one_that_ran_out_keeps_all_from_ending(self, address):
        _, _, frontier = worker(address)

        async def crawl():
            leases = await leased(frontier, 12)
            own = max(by_server(frontier, leases).values(), key=len)
            with_other = open_shared(address, worker="other")
            assert with_other.release([own[0].token]) == 1
            with_other.close()
            assert await frontier.end_group(group(1, own)) == [own[0].token]
            assert frontier.counts().ended == {}
            assert await frontier.end_group(group(2, own[1:])) == []
            await frontier.stop()
            return len(own) - 1

        number = asyncio.run(crawl())
        assert frontier.counts().ended == {"stored": number}
        assert frontier.fenced == 1
        frontier.close()

    def test_a_lease_of_another_worker_is_refused(self, campaign_url):
        _, _, frontier = worker(campaign_url)
        _, _, other = worker(campaign_url, "w2")

        async def crawl():
            leases = await leased(frontier, 2)
            other.start(WorkerHooks())
            refused = await other.end_group(group(1, leases))
            await frontier.stop()
            await other.stop()
            return refused, [one.token for one in leases]

        refused, tokens = asyncio.run(crawl())
        assert refused == tokens
        frontier.close()
        other.close()

    def test_who_came_later_has_the_job(self, address):
        direct, _, frontier = worker(address)

        async def crawl():
            leases = await leased(frontier, 3)
            own = next(iter(by_server(frontier, leases).values()))
            assert await frontier.end_group(group(1, own[:1])) == []
            direct.begin_run("job", "bb")
            assert await frontier.end_group(group(2, own[1:])) is None
            assert await frontier.end_group(group(1, own[:1])) is None
            await frontier.stop()

        asyncio.run(crawl())
        assert frontier.counts().ended == {"stored": 1}
        frontier.close()

    def test_a_mark_is_made_once(self, campaign_url):
        _, _, frontier = worker(campaign_url)

        async def crawl():
            (lease,) = await leased(frontier, 1)
            assert await frontier.end_group(group(1, [], marks=["start 1"])) == []
            assert await frontier.end_group(group(1, [], marks=["start 1"])) == []
            found = await frontier.end_group(group(2, [lease], marks=["start 1", "start 2"]))
            assert found == ["start 1"]
            assert await frontier.end_group(group(3, [lease], marks=["start 2"])) == []
            await frontier.stop()

        asyncio.run(crawl())
        assert frontier.counts().ended == {"stored": 1}
        frontier.close()

    def test_damage_is_told(self, campaign_url):
        frontier = RedisFrontier(campaign_url)
        key = f"{frontier.server.address.prefix}groups"
        for value in ("", "aa", "aa x", "aa 1 2", "zz 1", "aa " + "9" * 300):
            frontier.server._client.hset(key, "job", value)
            with pytest.raises(Exception, match="damaged"):
                frontier.begin_run("job", "aa")
        frontier.close()


class TestTurns:
    @pytest.mark.full
    def test_no_lease_comes_between(self, address):
        rules = FrontierOptions(delay_s=0.3, concurrency=9, robots=False)
        _, _, frontier = worker(address, options=rules)

        async def crawl():
            frontier.start(WorkerHooks())
            frontier.push([page(1), page(2)])
            (lease,) = await some(frontier, 1)
            start = lease.deadline - rules.lease_s
            first = await frontier.take_turns("a.cn", 2)
            second = await frontier.take_turns("a.cn", 1)
            (other,) = await some(frontier, 1)
            await frontier.stop()
            return [at - start for at in (first, second, other.deadline - rules.lease_s)]

        first, second, other = asyncio.run(crawl())
        assert first == pytest.approx(0.3, abs=0.01)
        assert second == pytest.approx(0.9, abs=0.01)
        assert other >= 1.19
        frontier.close()

    def test_a_host_that_nobody_knows_has_its_turn_now(self, campaign_url):
        _, _, frontier = worker(campaign_url)

        async def ask():
            frontier.start(WorkerHooks())
            at = await frontier.take_turns("new.cn", 1)
            await frontier.stop()
            return at

        assert abs(asyncio.run(ask()) - time.time()) < 30
        frontier.close()
