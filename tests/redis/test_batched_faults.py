"""Faults under a batched frontier: cut lines, lost answers, a server that is killed or gone."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import (
    BatchedFrontier,
    Ending,
    RedisFrontier,
    WorkerHooks,
)
from tests.frontier.steps import page
from tests.redis.proxy import CutProxy
from tests.redis.server import RedisServer
from tests.redis.steps import OPTIONS, batched, some, store, until


@pytest.mark.full
def test_a_worker_cut_off_longer_than_its_lease_stores_nothing(redis_server, campaign_url) -> None:
    proxy = CutProxy(redis_server.port)
    campaign = campaign_url.partition("#")[2]
    late = batched(f"redis://127.0.0.1:{proxy.port}/0#{campaign}", lease_s=0.6)
    other = batched(campaign_url, lease_s=0.6)
    stored: list[str] = []

    async def late_page(lease) -> None:
        if await late.claim_page(lease.token, [("md5", b"1" * 16, lease.url)]) is not None:
            stored.append("late")

    async def crawl() -> None:
        late.start(WorkerHooks())
        other.start(WorkerHooks())
        late.push([page(1)])
        (lease,) = await some(late, 1)
        proxy.cut()
        waiting = asyncio.ensure_future(late_page(lease))
        await until(lambda: late.offline)
        assert late.lease(5, now=time.time()) == []
        await asyncio.sleep(0.7)
        other.reap(now=time.time())
        (again,) = await some(other, 1)
        assert (again.url, again.tries) == (lease.url, 2)
        await store(other, again)
        stored.append("other")
        await other.delivered()
        assert not waiting.done(), "without the server nobody knows whether the lease holds"
        proxy.mend()
        await waiting
        assert stored == ["other"]
        late.acknowledge([Ending(lease.token, "stored")])
        await late.delivered()
        assert late.fenced == 1
        assert other.fenced == 0
        await late.stop()
        await other.stop()

    asyncio.run(crawl())
    assert other.counts().ended == {"stored": 1}
    late.close()
    other.close()
    proxy.close()


def test_leases_of_a_lost_answer_are_given_back(redis_server, campaign_url) -> None:
    """The server handed out, but the worker never heard of it."""
    proxy = CutProxy(redis_server.port)
    campaign = campaign_url.partition("#")[2]
    frontier = batched(f"redis://127.0.0.1:{proxy.port}/0#{campaign}")
    other = RedisFrontier(campaign_url, worker=frontier.direct.worker)
    other.push([page(1), page(2)])

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        (known,) = await some(frontier, 1)
        proxy.cut()
        assert len(other.lease(1, now=time.time())) == 1  # the same worker's name: the lost one
        frontier.settle([known.token])
        await until(lambda: frontier.offline)
        proxy.mend()
        (found,) = await some(frontier, 1)
        assert (found.url != known.url, found.tries) == (True, 1)
        frontier.acknowledge([Ending(one.token, "stored") for one in (known, found)])
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.fenced == 0
    assert frontier.counts().ended == {"stored": 2}
    frontier.close()
    proxy.close()


def test_the_server_is_killed_and_comes_back(tmp_path) -> None:
    """With every write synced nothing is lost; the worker goes on by itself."""
    server = RedisServer(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    frontier = batched(f"{server.url}#aof")

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(n) for n in range(30)])
        done = 0
        while done < 30:
            leases = await some(frontier, 5)
            if done == 10:
                server.kill()
                tasks = [asyncio.ensure_future(store(frontier, lease)) for lease in leases]
                await until(lambda: frontier.offline)
                server.start()
                await asyncio.gather(*tasks)
                assert len(frontier._memory.offered) == 0, "what was offered is offered again"
            else:
                await asyncio.gather(*(store(frontier, lease) for lease in leases))
            done += len(leases)
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.counts().ended == {"stored": 30}
    assert frontier.fenced == 0
    frontier.close()
    server.stop()


def test_a_server_that_lost_everything_is_an_error(tmp_path) -> None:
    server = RedisServer(tmp_path)
    frontier = batched(f"{server.url}#gone")
    failures: list[FrontierError] = []

    async def crawl() -> None:
        frontier.start(WorkerHooks(on_failure=failures.append))
        frontier.push([page(1)])
        (lease,) = await some(frontier, 1)
        server.kill()
        server.start()
        with pytest.raises(FrontierError, match="gone"):
            await frontier.claim_page(lease.token, [("md5", b"1" * 16, lease.url)])
        assert frontier.next_ready(now=time.time()) is None
        with pytest.raises(FrontierError, match="gone"):
            frontier.push([page(2)])

    asyncio.run(crawl())
    assert len(failures) == 1
    with pytest.raises(FrontierError):
        frontier.close()
    server.stop()


def test_a_server_away_too_long_is_given_up(tmp_path) -> None:
    server = RedisServer(tmp_path)
    frontier = BatchedFrontier(RedisFrontier(f"{server.url}#away", OPTIONS), wait_s=0.3)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        await frontier.delivered()
        server.kill()
        with pytest.raises(FrontierError, match="cannot be reached"):
            await frontier.delivered()

    asyncio.run(crawl())
    with pytest.raises(FrontierError):
        frontier.close()


def test_joining_waits_for_a_server_that_is_started_late(tmp_path) -> None:
    """Refused at first, then there; what asks at once waits too."""
    server = RedisServer(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    RedisFrontier(f"{server.url}#late", OPTIONS).close()
    server.kill()
    with pytest.raises(FrontierError, match="cannot be reached"):
        RedisFrontier(f"{server.url}#late")
    met: list[RedisFrontier] = []
    joining = threading.Thread(
        target=lambda: met.append(RedisFrontier(f"{server.url}#late", wait_s=60))
    )
    joining.start()
    server.start()
    joining.join(60)
    (frontier,) = met
    server.kill()
    asking = threading.Thread(target=frontier.push, args=([page(1)],))
    asking.start()
    server.start()
    asking.join(60)
    assert frontier.counts().pending == 1
    frontier.close()
    server.stop()


def test_the_server_is_away_when_a_worker_ends(tmp_path) -> None:
    """What is collected waits for it, though nothing else is left to be done."""
    server = RedisServer(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    frontier = batched(f"{server.url}#end")

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1)])
        (lease,) = await some(frontier, 1)
        server.kill()
        frontier.settle([lease.token])
        frontier.acknowledge([Ending(lease.token, "stored")])
        ending = asyncio.ensure_future(frontier.stop())
        await until(lambda: frontier.offline)
        assert not ending.done()
        server.start()
        await ending

    asyncio.run(crawl())
    assert frontier.counts().ended == {"stored": 1}
    frontier.close()
    server.stop()


def test_totals_that_nobody_has_told_yet_end_no_run(tmp_path) -> None:
    server = RedisServer(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    frontier = batched(f"{server.url}#totals")
    frontier.direct.push([page(1)])

    async def crawl() -> None:
        server.kill()
        frontier.start(WorkerHooks())
        assert frontier.counts().pending == 0
        server.start()
        await frontier.delivered()
        assert frontier.counts().pending == 1
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()
    server.stop()
