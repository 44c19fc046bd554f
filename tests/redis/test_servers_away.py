"""One of several servers is away, or hangs: the hosts of the others go on."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter

import pytest
import redis

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import (
    FENCED,
    Ending,
    RedisFrontier,
    WorkerHooks,
    collecting,
    open_shared,
)
from quarkcrawl.frontier.redis.server import AddressList
from tests.frontier.steps import page
from tests.redis.proxy import CutProxy
from tests.redis.server import RedisServer
from tests.redis.steps import OPTIONS, PLACES, digest_on, hosts_on, some, until, worker


@pytest.mark.full
def test_a_lease_that_ended_while_the_digests_server_was_away(
    redis_server, databases, where, monkeypatch
) -> None:
    """It was valid when it was asked for, and is asked for again before the page is stored."""
    monkeypatch.setattr("quarkcrawl.frontier.spread.batched._FRESH_SHARE", 0.0)
    proxy = CutProxy(redis_server.port)
    campaign = where.partition("#")[2]
    through = f"{databases[0]},redis://127.0.0.1:{proxy.port}/1,{databases[2]}#{campaign}"
    late, other = worker(through), worker(where)
    (host,) = hosts_on(0, 1)

    async def crawl() -> None:
        late.start(WorkerHooks())
        other.start(WorkerHooks())
        late.push([page(1, 1, host)])
        (lease,) = await some(late, 1)
        claims = [("md5", digest_on(1), lease.url)]
        proxy.cut()
        claiming = asyncio.ensure_future(late.claim_page(lease.token, claims))
        await asyncio.sleep(0)
        await late.parts[0].delivered()  # the lease held
        await until(lambda: late.offline)
        assert other.direct.release_worker(late.direct.worker) == 1
        (again,) = await some(other, 1)
        assert again.url == lease.url
        assert not claiming.done()
        proxy.mend()
        assert await claiming is FENCED
        assert await other.claim_page(again.token, claims) == [again.url]
        await late.stop()
        await other.stop()

    asyncio.run(crawl())
    late.close()
    other.close()
    proxy.close()


def test_hosts_of_the_others_go_on_while_a_server_is_away(tmp_path, databases) -> None:
    folder = tmp_path / "redis"
    folder.mkdir()
    server = RedisServer(folder, "--appendonly", "yes", "--appendfsync", "always")
    where = f"{databases[0]},{server.url},{databases[2]}#away"
    frontier = worker(where)
    names = [name for number in range(3) for name in hosts_on(number, 2)]
    home = {name: PLACES.of_host(name) for name in names}

    async def stored(lease) -> None:
        digest = digest_on(home[lease.host], seed=hash(lease.url) % 250)
        owners = await frontier.claim_page(lease.token, [("md5", digest, lease.url)])
        assert owners is not None
        frontier.acknowledge([Ending(lease.token, "stored")])

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(n, 1, name) for name in names for n in range(3)])
        out = await some(frontier, 6)
        server.kill()
        await until(lambda: frontier.offline)
        there = next(ip for n in range(99) if PLACES.of_address(ip := f"10.0.0.{n}") == 1)
        until_s = await frontier.enter_address(out[0].token, there, hold_s=9.0)
        assert until_s is not None, "a request to an address that nobody can count now waits"
        done = Counter(home[lease.host] for lease in out)
        tasks = [asyncio.ensure_future(stored(lease)) for lease in out]
        while done[0] + done[2] < 12:  # what came of the other one before may be among them
            for lease in frontier.lease(64, now=time.time()):
                done[home[lease.host]] += 1
                tasks.append(asyncio.ensure_future(stored(lease)))
            await asyncio.sleep(0.01)
        assert done[1] < 6
        assert frontier.next_ready(now=time.time()) is not None, "one server has not answered"
        server.start()
        while len(tasks) < 18:
            tasks += [asyncio.ensure_future(stored(x)) for x in frontier.lease(64, now=time.time())]
            await asyncio.sleep(0.01)
        await asyncio.gather(*tasks)
        await until(lambda: frontier.next_ready(now=time.time()) is None)
        await frontier.stop()

    asyncio.run(asyncio.wait_for(crawl(), 120))
    assert frontier.fenced == 0
    assert frontier.counts().ended == {"stored": 18}
    frontier.close()
    server.stop()


def test_a_server_away_too_long_is_named_and_the_others_are_told(tmp_path, databases) -> None:
    """Nothing of the hosts of the other servers is lost: their pages are acknowledged."""
    server = RedisServer(tmp_path)
    where = f"{databases[0]},{server.url},{databases[2]}#lost"
    frontier = collecting(open_shared(where, OPTIONS), wait_s=0.5)
    (well,), (lost,) = hosts_on(0, 1), hosts_on(1, 1)
    failures: list[FrontierError] = []

    async def crawl() -> None:
        frontier.start(WorkerHooks(on_failure=failures.append))
        frontier.push([page(1, 1, well), page(1, 1, lost)])
        leases = await some(frontier, 2)
        server.kill()
        with pytest.raises(FrontierError, match=f"{server.port}.*cannot be reached"):
            await frontier.delivered()
        assert not frontier.running
        await frontier.stop()
        with pytest.raises(FrontierError, match=f"{server.port}.*cannot be reached"):
            frontier.acknowledge([Ending(lease.token, "stored") for lease in leases])
        assert len(failures) == 1

    asyncio.run(crawl())
    with pytest.raises(FrontierError, match=f"{server.port}"):
        frontier.close()
    with RedisFrontierOn(databases[0], where) as part:
        assert part.counts().ended == {"stored": 1}
        assert part.reports() == {}, "it has left the servers that are there"


@pytest.mark.full
def test_a_run_that_is_to_end_does_not_wait_long_for_a_server_that_hangs(
    tmp_path, databases, monkeypatch
) -> None:
    """One answer is waited for until the socket gives up, and a goodbye for two seconds."""
    server = RedisServer(tmp_path)
    frontier = collecting(open_shared(f"{databases[0]},{server.url},{databases[2]}#hung", OPTIONS))
    attempts: list[float] = []

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1, 1, hosts_on(number, 1)[0]) for number in range(3)])
        leases = await some(frontier, 3)
        server.process.send_signal(signal.SIGSTOP)
        hung = frontier.direct.parts[1].server
        really = hung.call_raw

        def call_raw(*given, **more):
            attempts.append(hung._client.connection_pool.connection_kwargs["socket_timeout"])
            return really(*given, **more)

        monkeypatch.setattr(hung, "call_raw", call_raw)
        frontier.stopping()
        frontier.acknowledge([Ending(lease.token, "stored") for lease in leases])
        with pytest.raises(FrontierError, match=f"{server.port}.*cannot be reached"):
            await frontier.delivered()
        await frontier.stop()

    asyncio.run(crawl())
    with pytest.raises(FrontierError, match=f"{server.port}.*cannot be reached"):
        frontier.close()
    assert attempts in ([10.0, 2.0], [2.0]), "one may have been out when it was stopped"
    server.process.send_signal(signal.SIGCONT)
    server.stop()


class RedisFrontierOn:
    """One of the servers of a campaign, looked at alone."""

    def __init__(self, url: str, where: str) -> None:
        address = AddressList.parse(where)
        number = [one.url for one in address.servers].index(url)
        with redis.Redis.from_url(url) as client:
            meta = f"{address.servers[0].prefix}meta"
            part = client.hget(meta, "schema").decode().partition(" ")[2]
        self.frontier = RedisFrontier(address.servers[number].with_part(part), create=False)

    def __enter__(self) -> RedisFrontier:
        return self.frontier

    def __exit__(self, *_: object) -> None:
        self.frontier.close()
