"""How much one call makes the server do, in commands and elements: it does not grow with what waits."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
import redis

from quarkcrawl.frontier import Candidate, FrontierOptions, RedisFrontier
from quarkcrawl.frontier.redis.direct import Restored
from tests.frontier.steps import page

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=100, robots=False)
SMALL, LARGE = 1500, 12_000


class Watched:
    """What the server was told to do between `begin` and `end`, by any client, as MONITOR tells it."""

    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url)
        self._mark = 0

    def of(self, act) -> tuple[Counter[str], int, object]:
        """Commands by name, how many elements of lists they went over, and what the act gave."""
        self._mark += 1
        end = f"end of {self._mark}"
        seen: list[list[str]] = []
        with self._client.monitor() as monitor:

            def listen() -> None:
                for told in monitor.listen():
                    words = told["command"].split(" ")
                    if told["command"].endswith(end):
                        return
                    if told["client_type"] == "lua":
                        seen.append(words)

            thread = threading.Thread(target=listen)
            thread.start()
            answer = act()
            with redis.Redis(connection_pool=self._client.connection_pool) as other:
                other.echo(end)
            thread.join(60)
            assert not thread.is_alive()
        commands = Counter(words[0].upper() for words in seen)
        assert not {"LPOS", "LSET", "LREM", "LINSERT"} & set(commands), "they go over the list"
        return commands, sum(map(elements, seen)), answer

    def close(self) -> None:
        self._client.close()


def elements(words: list[str]) -> int:
    """Of a list, that a command looks at; a look from either end skips whole blocks."""
    name = words[0].upper()
    if name == "LRANGE":
        first, last = int(words[2]), int(words[3])
        assert (first < 0) == (last < 0), "an open range"
        return last - first + 1
    if name == "LINDEX":
        assert words[2] == "0"
    return 1 if name == "LINDEX" else 0


@pytest.fixture
def watched(redis_server):
    watched = Watched(redis_server.url)
    yield watched
    watched.close()


def filled(url: str, number: int) -> RedisFrontier:
    """One host: some wait at level 2, many at level 3."""
    frontier = RedisFrontier(url, OPTIONS, server_clock=False)
    frontier.push([page(f"second/{n}", 2) for n in range(10)])
    frontier.push([page(n, 3) for n in range(number)])
    return frontier


def lowered(frontier: RedisFrontier, number: int):
    return frontier.push([page(number - n, 2) for n in range(1, 101)])


def finished(frontier: RedisFrontier, number: int):
    return [frontier.finish(page(number // 2 + n).url, reason="stored") for n in range(20)]


def recovered(frontier: RedisFrontier, number: int):
    links = tuple(page(n, 2) for n in range(number - 50, number))
    rows = [Restored(page(number - n, 3), "stored", led_to=links) for n in range(1, 40)]
    return frontier.restore(rows)


@pytest.mark.full
@pytest.mark.parametrize("act", [lowered, finished, recovered])
def test_a_long_queue_costs_as_much_as_a_short_one(watched, campaign_url, act) -> None:
    costs = []
    for number in (SMALL, LARGE):
        frontier = filled(f"{campaign_url}-{number}", number)
        commands, passed, answer = watched.of(lambda f=frontier, n=number: act(f, n))
        costs.append((sum(commands.values()), passed, answer))
        frontier.close()
    (few, passed, answer), (many, passed_many, same) = costs
    assert answer == same
    assert passed == passed_many <= 200
    # A bucket of the seen set may part meanwhile, and the keys differ in their buckets.
    assert abs(many - few) <= 0.05 * few


def test_what_waits_is_listed_in_portions(watched, campaign_url) -> None:
    """Two elements of lists an entry and a few commands, for each call no more than it may list."""
    frontier = filled(campaign_url, SMALL)
    commands, passed, rows = watched.of(lambda: list(frontier.waiting()))
    assert len(rows) == SMALL + 10
    calls = SMALL / 500 + 3
    assert passed <= 2 * (calls * 500)
    assert commands["LRANGE"] <= 4 * calls
    assert commands["LINDEX"] == 0
    frontier.close()


def test_a_url_in_the_middle_is_found_in_portions(watched, campaign_url) -> None:
    frontier = filled(campaign_url, LARGE)
    trips = frontier.server.round_trips
    sought = [page(n, 3) for n in (0, LARGE // 2, LARGE - 1)] + [page("second/3", 2), page("none")]
    commands, passed, found = watched.of(lambda: frontier.find([one.url for one in sought]))
    assert found == [*sought[:4], None]
    trips = frontier.server.round_trips - trips
    assert trips <= LARGE / 2000 + 4
    assert passed <= 2 * 2000 * trips
    assert commands["LRANGE"] <= 4 * trips
    frontier.close()


def test_a_url_asked_for_many_times_is_found_each_time(campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    pages = [page(1, 3), page(2, 3), page(1, 3, host="b.cn")]
    frontier.push(pages)
    sought = [*pages * 7, page("none"), *pages]
    assert frontier.find([one.url for one in sought]) == [*pages * 7, None, *pages]
    frontier.close()


def test_a_url_whose_host_is_lost_does_not_cut_off_the_others(redis_server, campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page(1), page(1, host="b.cn")])
    with redis.Redis.from_url(redis_server.url) as client:
        assert client.hdel(f"{frontier.server.address.prefix}id", "a.cn") == 1
    assert frontier.find([page(1).url, page(1, host="b.cn").url]) == [None, page(1, host="b.cn")]
    frontier.close()


def with_ended(url: str) -> RedisFrontier:
    """Ten thousand that ended between the two that wait."""
    frontier = RedisFrontier(url, OPTIONS, server_clock=False)
    frontier.push([page(n, 3) for n in range(LARGE)])
    ended = [Restored(page(n, 3), "stored") for n in range(1, LARGE - 1)]
    for start in range(0, len(ended), 400):
        part = ended[start : start + 400]
        assert frontier.restore(part) == (0, len(part))
    assert frontier.counts().pending == 2
    return frontier


@pytest.mark.full
def test_entries_that_ended_are_passed_over_some_at_a_time(watched, campaign_url) -> None:
    frontier = with_ended(campaign_url)
    now, calls, leases = 0.0, 0, []
    while len(leases) < 2:
        now = max(now, frontier.next_ready(now=now))
        _, passed, found = watched.of(lambda now=now: frontier.lease(5, now=now))
        leases += found
        assert passed <= 2 * 4200
        calls += 1
        assert calls < 10
    assert calls > 2, "it was done at once"
    assert [lease.url for lease in leases] == [page(0).url, page(LARGE - 1).url]
    assert frontier.next_ready(now=now) is None or frontier.counts().pending == 0
    frontier.close()


def with_others(url: str) -> tuple[RedisFrontier, list[Candidate]]:
    """Nine thousand that ended behind the first of one host; 300 hosts with one URL each."""
    frontier = RedisFrontier(url, OPTIONS, server_clock=False)
    frontier.push([page(n, 3) for n in range(9002)])
    ended = [Restored(page(n, 3), "stored") for n in range(1, 9001)]
    for start in range(0, len(ended), 450):
        assert frontier.restore(ended[start : start + 450]) == (0, 450)
    return frontier, [page("home", host=f"b{n}.cn") for n in range(300)]


@pytest.mark.full
def test_hosts_that_are_ready_do_not_wait_for_one_with_much_behind(watched, campaign_url) -> None:
    frontier, others = with_others(campaign_url)
    frontier.push(others)
    left = {page(0).url, page(9001).url, *(one.url for one in others)}
    assert frontier.counts().pending == len(left)
    now, calls = 0.0, 0
    while left:
        now = max(now, frontier.next_ready(now=now))
        commands, passed, leases = watched.of(lambda now=now: frontier.lease(10, now=now))
        assert passed <= 2 * 4200
        assert commands["ZADD"] <= 30, "it went over hosts of which it took nothing"
        assert sum(commands.values()) <= 5000
        calls += 1
        assert len(leases) == 10 or calls > 30
        assert calls <= 34
        left -= {lease.url for lease in leases}
    frontier.close()


@pytest.mark.full
def test_what_many_left_behind_does_not_keep_hosts_of_the_same_call(campaign_url) -> None:
    """They can give their URLs at once, whichever the call looks at first."""
    frontier, others = with_others(campaign_url)
    items = frontier._items(others)
    ending = ["finish", *frontier.known_by([page(0).url]), "stored"]
    frontier.server.call([ending, ["push", items]], now=0.0)
    leases = frontier.lease(1000, now=0.0)
    assert {lease.url for lease in leases} >= {one.url for one in others}
    frontier.close()


@pytest.mark.full
def test_a_closed_host_is_drained_past_what_ended(watched, campaign_url) -> None:
    frontier = with_ended(campaign_url)
    frontier.server.call([["close_host", "a.cn", "spam"]])
    drained, raws = [], [[]]
    while raws:
        _, passed, raws = watched.of(lambda: frontier.server.call([["drain_host", "a.cn", 1]])[0])
        assert passed <= 2 * 4200
        drained.append(raws)
    frontier.close()
    assert [len(raws) for raws in drained if raws != [b"more"]] == [1, 1, 0]
    assert [b"more"] in drained, "it was done at once"


@pytest.mark.full
def test_what_a_closed_host_leaves_is_listed_past_what_ended(campaign_url) -> None:
    frontier = with_ended(campaign_url)
    drained = list(frontier.close_host("a.cn", reason="spam"))
    assert [one.url for one in drained] == [page(0).url, page(LARGE - 1).url]
    assert frontier.counts().ended == {"stored": LARGE - 2, "spam": 2}
    assert list(frontier.drain_closed()) == []
    frontier.close()


# -- a URL whose entry is left behind


def test_a_lowered_url_comes_once(campaign_url) -> None:
    """From where it was lowered to; its entry in the list behind gives nothing."""
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page("home"), *[page(n, 4) for n in range(6)], page("last", 5)])
    assert frontier.push([page(1, 3), page(2, 2), page(1, 2)]) == [False] * 3
    assert frontier.find([page(1).url, page(2).url]) == [page(1, 2), page(2, 2)]
    listed = [candidate for candidate, _, _ in frontier.waiting()]
    assert sorted(listed, key=lambda one: one.url) == sorted(
        [
            page("home"),
            page(1, 2),
            page(2, 2),
            page("last", 5),
            *[page(n, 4) for n in (0, 3, 4, 5)],
        ],
        key=lambda one: one.url,
    )
    rounds = []
    while leases := frontier.lease(100, now=0):
        rounds.append([(lease.url, lease.level) for lease in leases])
        for lease in leases:
            frontier.finish(lease.url, reason="stored")
    assert [{level for _, level in one} for one in rounds] == [{1}, {2}, {4}, {5}]
    assert [len(one) for one in rounds] == [1, 2, 4, 1]
    assert frontier.counts().ended == {"stored": 8}
    frontier.close()


def test_a_url_offered_at_a_higher_level_stays_where_it_is(campaign_url) -> None:
    """Whoever offers it does not know where its entry lies: at a lower level than the offer's."""
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page(1, 2), page(2, 2), page(9, 7)])
    frontier.push([page(1, 5)])
    assert frontier.find([page(1).url]) == [page(1, 2)]
    assert (page(1, 2), 0, "waiting") in list(frontier.waiting())
    assert len(list(frontier.waiting())) == 3
    first = frontier.lease(100, now=0)
    assert {(lease.url, lease.level) for lease in first} == {(page(1).url, 2), (page(2).url, 2)}
    for lease in first:
        frontier.finish(lease.url, reason="stored")
    assert [lease.url for lease in frontier.lease(100, now=0)] == [page(9).url]
    assert frontier.counts().pending == 0
    frontier.close()


def test_a_url_offered_again_at_its_level_stays_as_it_was_first(campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    first = page(1, 2)
    frontier.push([first, page(9, 7)])
    frontier.push([page(1, 2, hops=2, origin="http://a.cn/other")])
    assert frontier.find([first.url]) == [first]
    (lease,) = frontier.lease(9, now=0)
    assert (lease.url, lease.hops, lease.origin) == (first.url, 0, None)
    frontier.close()


@pytest.mark.parametrize("state", ["lowered", "offered higher", "finished"])
def test_memory_of_what_was_left_behind_is_freed(redis_server, campaign_url, state) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page(n, 4) for n in range(50)] + [Candidate("http://a.cn/x", "a.cn", 9)])
    if state == "lowered":
        frontier.push([page(n, 2) for n in range(50)])
    elif state == "offered higher":
        frontier.push([page(n, 6) for n in range(50)])
    else:
        for number in range(50):
            frontier.finish(page(number).url, reason="stored")
    while leases := frontier.lease(100, now=0):
        for lease in leases:
            frontier.finish(lease.url, reason="stored")
    assert frontier.counts().ended == {"stored": 51}
    name = f"quarkcrawl:{{{campaign_url.partition('#')[2]}}}:"
    with redis.Redis.from_url(redis_server.url) as client:
        left = {key.decode()[len(name) :].partition(":")[0] for key in client.keys(name + "*")}
    assert not left & {"k", "t", "q", "r", "url", "fresh"}
    frontier.close()
