"""A worker over several servers: each page once, and what the whole campaign shares."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import replace

import pytest
import redis

from quarkcrawl.frontier import (
    FENCED,
    BatchedFrontier,
    Ending,
    WorkerHooks,
    collecting,
    open_shared,
)
from quarkcrawl.frontier.spread.batched import SharedOptOut
from tests.frontier.steps import page
from tests.redis.steps import OPTIONS, PLACES, digest_on, hosts_on, some, store, until, worker


def test_a_crawl_over_three_servers(where) -> None:
    """Two workers; every host has its server, and both see all of them."""
    one, two = worker(where), worker(where)
    names = [name for number in range(3) for name in hosts_on(number, 2)]

    async def crawl() -> None:
        one.start(WorkerHooks())
        two.start(WorkerHooks())
        assert one.next_ready(now=time.time()) is not None, "it has not looked yet"
        one.push([page(n, 1, name) for name in names for n in range(4)])
        done: Counter[str] = Counter()
        async with asyncio.timeout(60):
            while sum(done.values()) < 24:
                for frontier in (one, two):
                    leases = frontier.lease(4, now=time.time())
                    await asyncio.gather(*(store(frontier, lease) for lease in leases))
                    done.update(lease.host for lease in leases)
                await asyncio.sleep(0.005)
        assert done == dict.fromkeys(names, 4)
        for frontier in (one, two):
            await until(lambda f=frontier: f.next_ready(now=time.time()) is None)
            await frontier.stop()

    asyncio.run(crawl())
    for frontier in (one, two):
        assert frontier.fenced == 0
        assert frontier.counts().ended == {"stored": 24}
    found = [part.counts().ended for part in one.direct.parts]
    assert found == [{"stored": 8}] * 3
    one.close()
    two.close()


def test_no_server_starves_and_wishes_are_bounded(where) -> None:
    frontier = worker(where)
    names = [name for number in range(3) for name in hosts_on(number, 40)]

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1, 1, name) for name in names])
        await frontier.delivered()
        served = Counter()
        for _ in range(30):
            (lease,) = await some(frontier, 1)
            served[frontier.placement.server_token(lease.token)[0]] += 1
            await store(frontier, lease)
        await frontier.delivered()
        assert min(served[number] for number in range(3)) >= 5, served
        assert frontier.direct.counts().leased <= 3, "no more than one for each server"
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()


def test_equal_bodies_of_hosts_of_two_servers_are_found(where) -> None:
    frontier = worker(where)
    (left,), (right,) = hosts_on(0, 1), hosts_on(1, 1)
    digest = digest_on(2)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1, 1, left), page(1, 1, right)])
        first, second = await some(frontier, 2)
        claims = [("md5", digest, first.url), ("home", digest, first.host)]
        assert await frontier.claim_page(first.token, claims) == [first.url, first.host]
        claims = [("md5", digest, second.url), ("home", digest, second.host)]
        assert await frontier.claim_page(second.token, claims) == ["", ""]
        assert await frontier.claim_page(first.token, claims[:1]) == [""]
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()


@pytest.mark.full
def test_a_claim_of_a_worker_that_died_is_its_successors(where) -> None:
    """Between the claim and the end of the lease: whoever fetches the URL again has the body."""
    dead, other = worker(where), worker(where)
    (name,) = hosts_on(0, 1)
    digest = digest_on(1)

    async def crawl() -> None:
        dead.start(WorkerHooks())
        other.start(WorkerHooks())
        dead.push([page(1, 1, name)])
        (lease,) = await some(dead, 1)
        claims = [("md5", digest, lease.url)]
        assert await dead.claim_page(lease.token, claims) == [lease.url]
        assert other.direct.release_worker(dead.direct.worker) == 1, "as its successor does"
        (again,) = await some(other, 1)
        assert (again.url, again.deaths) == (lease.url, 1)
        assert await other.claim_page(again.token, claims) == [lease.url]
        assert await dead.claim_page(lease.token, claims) is FENCED, "if it was not dead after all"
        other.acknowledge([Ending(again.token, "stored")])
        dead.acknowledge([Ending(lease.token, "stored")])
        await other.delivered()
        await dead.delivered()
        assert (other.fenced, dead.fenced) == (0, 1)
        await dead.stop()
        await other.stop()

    asyncio.run(crawl())
    assert other.counts().ended == {"stored": 1}
    dead.close()
    other.close()


def test_who_lost_its_lease_claims_nothing(where) -> None:
    """Else a body would be said to be stored that nobody stores."""
    late = worker(where)
    (name,) = hosts_on(0, 1)
    digest = digest_on(1)

    async def crawl() -> None:
        late.start(WorkerHooks())
        late.push([page(1, 1, name)])
        (lease,) = await some(late, 1)
        late.direct.release_worker(late.direct.worker)
        assert await late.claim_page(lease.token, [("md5", digest, lease.url)]) is FENCED
        assert late.claim("md5", digest, "http://other.cn/") == "http://other.cn/"
        await late.stop()

    asyncio.run(crawl())
    late.close()


# -- what is the whole campaign's


def test_a_share_that_was_told_twice_or_late_is_the_same(redis_server, where) -> None:
    frontier = open_shared(where)
    frontier.set_rules(OPTIONS, max_campaign_pages=100)
    frontier.push([page(n, 1, name) for name in hosts_on(1, 2) for n in range(50)])
    frontier.balance()
    first, second, _ = frontier.parts
    had = second.share()
    assert (had.granted, had.left, had.pending) == (8, 8, 100)
    assert first.grant([(1, had, 5)]) == (87, [(13, 0)])
    assert second.share() == had, "it was never told: the page that waits for that is not lost"
    frontier.balance()
    assert second.share().granted == 13
    second.granted(8, 0)
    assert second.share().granted == 13, "an old message"
    assert second.return_share(3) == second.return_share(3) == 10
    assert second.share().left == 3
    frontier.balance()
    with redis.Redis(port=redis_server.port) as books:
        books.delete(f"quarkcrawl:{{{where.partition('#')[2]}}}:grants")
    third = frontier.parts[2].share()
    free, _ = first.grant([(1, second.share(), 0), (2, third, 200)])
    assert (free, sum(part.share().left for part in frontier.parts)) == (0, second.share().left)
    with redis.Redis(port=redis_server.port, db=1) as client:
        client.hset(f"quarkcrawl:{{{where.partition('#')[2]}}}:share", "returned", 0)
    frontier.balance()
    assert second.share().returned >= 10, "what it gave back and forgot is not its own again"
    frontier.set_rules(OPTIONS, max_campaign_pages=2)
    frontier.balance()
    frontier.balance()
    assert sum(part.share().left for part in frontier.parts) <= 2
    frontier.close()


def test_orders_reach_all_servers(where) -> None:
    frontier = worker(where)
    names = [name for number in range(3) for name in hosts_on(number, 1)]

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1, 1, name) for name in names])
        await frontier.delivered()
        frontier.direct.set_state("paused")
        assert [part.state() for part in frontier.direct.parts] == ["paused"] * 3
        await frontier.delivered()
        assert frontier.state() == frontier.direct.state() == "paused"
        frontier.direct.parts[1].set_state("draining")
        await frontier.delivered()
        assert frontier.state() == "draining", "the strictest"
        frontier.direct.set_state("running")
        assert len(await some(frontier, 3)) == 3
        assert frontier.state() == "running"
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()


@pytest.mark.full
@pytest.mark.parametrize("pages", [1, 10, 37])
def test_the_budget_of_a_campaign_is_that_of_all_servers(where, pages) -> None:
    """However unevenly the hosts lie: never more, and never less while something waits."""
    frontier = open_shared(where)
    frontier.set_rules(replace(OPTIONS, max_tries=9), max_campaign_pages=pages)
    counts = {0: 2, 1: 60, 2: 5}
    names = {name: number for number in range(3) for name in hosts_on(number, counts[number])}
    frontier.push([page(1, 1, name) for name in names])
    one, two = collecting(frontier), collecting(open_shared(where))

    async def crawl() -> None:
        one.start(WorkerHooks())
        two.start(WorkerHooks())
        ended, listed = 0, 0
        async with asyncio.timeout(120):
            while one.next_ready(now=time.time()) is not None:
                for worker in (one, two):
                    listed += len(list(worker.drain_closed()))
                    for lease in worker.lease(8, now=time.time()):
                        ended += 1
                        reason = "http_404" if ended % 3 == 0 else "stored"
                        worker.acknowledge([Ending(lease.token, reason)])
                await asyncio.sleep(0.01)
        await one.stop()
        await two.stop()
        listed += len([*one.drain_closed(), *two.drain_closed()])
        assert listed == one.counts().ended["campaign_budget"]

    asyncio.run(crawl())
    found = one.counts()
    assert found.ended["stored"] == pages
    assert found.ended["campaign_budget"] + found.ended.get("http_404", 0) == 67 - pages
    assert (found.pending, found.leased) == (0, 0)
    one.close()
    two.close()


def test_a_server_with_slow_hosts_does_not_hold_the_last_pages(where) -> None:
    """It has one host, of which a page is due once in a thousand seconds."""
    frontier = open_shared(where)
    frontier.set_rules(replace(OPTIONS, concurrency=1), max_campaign_pages=40)
    (slow,) = hosts_on(0, 1)
    frontier.set_host(slow, delay_s=1000.0)
    frontier.push([page(n, 1, slow) for n in range(50)])
    frontier.push([page(n, 1, name) for name in hosts_on(1, 50) for n in range(2)])
    stored = Counter()
    for _ in range(400):
        for lease in frontier.lease(8, now=time.time()):
            assert frontier.acknowledge([Ending(lease.token, "stored")]) == [True]
            stored[PLACES.of_host(lease.host)] += 1
        if sum(stored.values()) >= 39:
            break
    assert stored == {0: 1, 1: 38}, "the slow one may have its next page, no more"
    assert frontier.parts[0].share().left == 1
    frontier.close()


def test_a_server_that_hands_nothing_out_is_asked_less_and_less(where) -> None:
    """A page is due there, and the campaign has no more to hand out."""
    frontier = collecting(open_shared(where, OPTIONS))
    frontier.direct.set_rules(OPTIONS, max_campaign_pages=1)
    names = [name for number in range(3) for name in hosts_on(number, 2)]

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(n, 1, name) for name in names for n in range(2)])
        await frontier.delivered()
        (lease,) = await some(frontier, 1)
        frontier.lease(64, now=time.time())
        await until(lambda: all(n >= 6 for n in fruitless()))
        pauses_s = [memory.due_at() - memory._asked_at for memory in memories()]
        assert min(pauses_s) > 0.6, pauses_s
        assert not any(memory.hopes(memory._asked_at) for memory in memories())
        frontier.release([lease.token])
        await some(frontier, 1)  # and it is found out when there is something again
        await frontier.stop()

    def memories():
        return [part._memory for part in frontier.parts]

    def fruitless():
        return [memory._n_fruitless for memory in memories()]

    asyncio.run(crawl())
    frontier.close()


class Names:
    """An opt-out list in memory."""

    def __init__(self, *names: str) -> None:
        self.own = set(names)
        self.heard: set[str] = set()

    def unsent(self, limit: int) -> tuple[list[str], int]:
        return sorted(self.own - self.heard)[:limit], len(self.heard)

    def told(self, names) -> None:
        self.heard = set(names)


def test_the_opt_out_list_is_the_same_on_all_servers(where) -> None:
    one, two = worker(where), worker(where)
    mine, theirs = Names("a.cn"), Names("b.cn")

    async def crawl() -> None:
        with_names = [WorkerHooks(opted_out=names) for names in (mine, theirs)]
        one.start(with_names[0])
        two.start(with_names[1])
        await until(lambda: mine.heard == theirs.heard == {"a.cn", "b.cn"})
        for part in one.direct.parts:

            def known(part=part) -> set[bytes]:
                return set(part.server.call([["opt_out", [], 0]])[0])

            await until(lambda known=known: known() == {b"a.cn", b"b.cn"})
        await one.stop()
        await two.stop()

    asyncio.run(crawl())
    one.close()
    two.close()


def test_what_one_server_forgot_of_the_list_is_told_again() -> None:
    names = Names("a.cn")
    shared = SharedOptOut(names)
    first, second = shared.of_server(), shared.of_server()
    first.told(["a.cn", "b.cn"])
    assert second.unsent(9) == (["a.cn", "b.cn"], 0)
    second.told(["a.cn", "b.cn"])
    assert names.heard == {"a.cn", "b.cn"}
    assert first.unsent(9) == ([], 2)


def test_a_start_list_may_lie_on_any_server(redis_server, where) -> None:
    key = f"{where}-starts"
    names = [name for number in range(3) for name in hosts_on(number, 1)]
    with redis.Redis(port=redis_server.port, db=2) as client:
        client.rpush(key, *(f"http://{name}/x" for name in names), "no url: :")
    frontier = collecting(open_shared(where, OPTIONS), starts=key)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        leases = await some(frontier, 3)
        assert {lease.host for lease in leases} == set(names)
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()
    with redis.Redis(port=redis_server.port, db=2) as client:
        assert client.exists(key) == 0


@pytest.mark.full
def test_a_lone_worker_ends_when_its_start_list_is_empty(redis_server, where) -> None:
    """Of which some hundreds are taken at a time; the first ones here are no URLs."""
    key = f"{where}-starts"
    (name,) = hosts_on(0, 1)
    with redis.Redis(port=redis_server.port, db=2) as client:
        client.rpush(key, *["no url: :"] * 250, *(f"http://{name}/{n}" for n in range(5)))
    frontier = collecting(open_shared(where, OPTIONS), starts=key)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        async with asyncio.timeout(120):
            while frontier.next_ready(now=time.time()) is not None:
                leases = frontier.lease(64, now=time.time())
                await asyncio.gather(*(store(frontier, lease) for lease in leases))
                await asyncio.sleep(0.005)
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.counts().ended == {"stored": 5}
    frontier.close()


def test_who_is_told_that_others_queued_something_asks_before_it_ends(where) -> None:
    frontier = worker(where)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        await until(lambda: frontier.next_ready(now=time.time()) is None)
        frontier.parts[1].look_again()
        assert frontier.next_ready(now=time.time()) is not None
        await until(lambda: frontier.next_ready(now=time.time()) is None)
        await frontier.stop()

    asyncio.run(crawl())
    frontier.close()


def test_an_address_is_counted_on_one_server(where) -> None:
    one, two = worker(where, address_concurrency=2), worker(where, address_concurrency=2)

    async def crawl() -> None:
        one.start(WorkerHooks())
        two.start(WorkerHooks())
        one.push([page(1, 1, name) for number in range(3) for name in hosts_on(number, 1)])
        leases = await some(one, 3)
        for address in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
            tokens = [lease.token for lease in leases]
            frontiers = (one, two, one)
            turns = [
                await frontier.enter_address(token, address, hold_s=60.0)
                for frontier, token in zip(frontiers, tokens, strict=True)
            ]
            assert turns[:2] == [None, None]
            assert turns[2] is not None
            two.leave_address(tokens[1], address, hold_s=60.0)
            await two.delivered()
            assert await one.enter_address(tokens[2], address, hold_s=60.0) is None
        await one.stop()
        await two.stop()

    asyncio.run(crawl())
    one.close()
    two.close()


@pytest.mark.full
def test_expired_leases_are_let_go(where) -> None:
    frontier = worker(where, lease_s=3.0)

    async def crawl() -> None:
        frontier.start(WorkerHooks())
        frontier.push([page(1, 1, name) for number in range(3) for name in hosts_on(number, 1)])
        leases = await some(frontier, 3)
        await asyncio.sleep(3.1)
        frontier.reap(now=time.time())
        assert frontier.expired(leases) == []
        again = await some(frontier, 3)
        assert {lease.tries for lease in again} == {2}
        assert frontier.retry(leases[0].token, reason="x", not_before=0) == "fenced"
        frontier.fetched([lease.token for lease in again], now=time.time())
        frontier.settle([lease.token for lease in again])
        assert frontier.release([lease.token for lease in again]) == 3
        await frontier.stop()

    asyncio.run(crawl())
    assert frontier.counts().pending == 3
    frontier.close()


def test_workers_report_to_every_server(where) -> None:
    frontier = open_shared(where, worker="me")
    for number, part in enumerate(frontier.parts):
        report = {"seen_at": part.server_time(time.time()) - number, "pages": number}
        part.server.call([["report", json.dumps(report)]])
    other = open_shared(where, worker="other")
    assert other.others_at_work()
    assert not frontier.others_at_work()
    assert other.reports()["me"]["pages"] == 0, "the newest one"
    frontier.close()
    other.close()


def test_batches_collect_as_on_one_server(where) -> None:
    assert isinstance(worker(where).parts[0], BatchedFrontier)
