"""How little the server keeps of a claim and of a URL that waits, and that nothing is lost by it."""

from __future__ import annotations

import json
import time

import pytest
import redis

from quarkcrawl.corpus.merge import merge_corpora
from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import UNNAMED, Candidate, Ending, FrontierOptions, RedisFrontier
from quarkcrawl.page import Fetched
from quarkcrawl.store import Corpus, DuplicateRow
from quarkcrawl.store.shards import open_shard
from tests.corpus.merge_samples import write_page
from tests.frontier.steps import page

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=100, robots=False)


@pytest.fixture
def client(redis_server):
    with redis.Redis.from_url(redis_server.url) as client:
        yield client


def prefix(url: str) -> str:
    return f"quarkcrawl:{{{url.partition('#')[2]}}}:"


def used_bytes(client, pattern: str) -> tuple[int, set[bytes]]:
    """Memory of keys, weighed one by one, and how the server keeps them."""
    keys = client.keys(pattern)
    kinds = {client.object("encoding", key) for key in keys}
    return sum(client.memory_usage(key, samples=0) for key in keys), kinds


@pytest.mark.full
def test_a_claim_costs_less_than_twenty_four_bytes(client, campaign_url) -> None:
    number = 30_000
    frontier = RedisFrontier(campaign_url, OPTIONS)
    claims = [("md5", n.to_bytes(16, "big"), f"http://a.cn/{n}") for n in range(number)]
    for start in range(0, number, 500):
        asked = [frontier.claim_of(claim) for claim in claims[start : start + 500]]
        assert {raw[0] for raw in frontier.server.call(asked)} == {b"owner"}
    used, kinds = used_bytes(client, prefix(campaign_url) + "claims:*")
    assert used / number < 24
    assert kinds <= {b"ziplist", b"listpack"}
    for space, digest, owner in claims[::3001]:
        assert frontier.claim(space, digest, owner) == owner
        assert frontier.claim(space, digest, "http://b.cn/") == UNNAMED
    frontier.close()


def test_a_waiting_url_costs_less_than_seventy_bytes(client, campaign_url) -> None:
    """Its key among those seen counted, with a URL of 58 characters and 500 on each host."""
    number, hosts = 20_000, 40
    frontier = RedisFrontier(campaign_url, OPTIONS)
    for host in range(hosts):
        name = f"www.site{host:02d}.com.cn"
        urls = [f"http://{name}/news/2003/12/article_{n:07d}" for n in range(number // hosts)]
        urls = [f"{url}.html" for url in urls]
        assert {len(url) for url in urls} == {58}
        assert all(frontier.push([Candidate(url, name, 2) for url in urls]))
    assert frontier.find(urls) == [Candidate(url, name, 2) for url in urls], "in any bucket"
    used = sum(
        used_bytes(client, prefix(campaign_url) + pattern)[0]
        for pattern in ("k:*", "t:*", "fresh:*", "seen:*", "url")
    )
    assert used / number < 70
    frontier.close()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a.cn/", None),
        ("https://a.cn/x?y=1", "http://a.cn/from"),
        ("http://a.cn/x", "https://b.cn/"),
        ("http://a.cn/line\nfeed", None),
        ("http://a.cn/x", "http://a.cn/line\nfeed"),
        ("http://a.cn/\ud800长", "http://a.cn/\udfff"),
        ("ftp://a.cn/x", None),
        ("=http://a.cn/x", None),
    ],
)
def test_a_url_comes_back_as_it_was(campaign_url, url, origin) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    candidate = Candidate(url, "a.cn", 3, origin, 2)
    assert frontier.push([candidate]) == [True]
    assert frontier.find([url]) == [candidate]
    assert list(frontier.waiting()) == [(candidate, 0, "waiting")]
    (lease,) = frontier.lease(1, now=0)
    assert (lease.url, lease.origin, lease.hops, lease.level) == (url, origin, 2, 3)
    assert frontier.release([lease.token]) == 1
    assert frontier.find([url]) == [candidate]
    assert frontier.finish(url, reason="stored")
    assert frontier.find([url]) == [None]
    frontier.close()


def test_what_is_taken_from_the_middle_leaves_the_rest(campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page(n, 3) for n in range(20)])
    for number in (0, 7, 8, 19):
        assert frontier.finish(page(number).url, reason="stored")
    frontier.push([page(5, 2), page(12, 2)])
    found = [lease.url for lease in frontier.lease(100, now=0)]
    assert found == [page(n).url for n in (5, 12)], "the lower level first"
    frontier.acknowledge([Ending(token, "stored") for token in _tokens(frontier)])
    rest = {lease.url for lease in frontier.lease(100, now=0)}
    assert rest == {page(n).url for n in range(20)} - {page(n).url for n in (0, 5, 7, 8, 12, 19)}
    assert frontier.counts().pending == 0
    assert frontier.counts().seen == 20
    frontier.close()


def _tokens(frontier: RedisFrontier) -> list[int]:
    leases = frontier.find([page(n).url for n in range(20)])
    return [lease.token for lease in leases if hasattr(lease, "token")]


def test_all_that_waits_is_listed_in_pages(campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    offered = [page(n, 1 + n % 3, f"h{n % 7}.cn") for n in range(1700)]
    frontier.push(offered)
    leases = frontier.lease(40, now=0)
    frontier.release([lease.token for lease in leases[:20]])
    listed = list(frontier.waiting())
    assert len(listed) == 1700
    assert {one.url for one, _, _ in listed} == {one.url for one in offered}
    assert sum(state == "leased" for _, _, state in listed) == 20
    frontier.close()


# -- campaigns of schema 1


def as_before(client, url: str) -> None:
    """A campaign as schema 1 kept it: a row for each URL that waits, and claims with their owners."""
    frontier = RedisFrontier(url, OPTIONS, server_clock=False)
    frontier.push([page(9)])  # the host, in its place
    frontier.finish(page(9).url, reason="stored")
    key, low = frontier.known_by([page(1).url])[0][0], frontier.keys.many([page(1).url])[0]
    frontier.close()
    name = prefix(url)
    client.hset(name + "url", key, f'1 1 0 0 0 0 ["{page(1).url}",null]')
    client.rpush(name + "q:1:1", key)
    client.sadd(name + "seen:0", low)
    client.hset(name + "h:1", mapping={"p": 1, "w": "1=1"})
    client.hincrby(name + "totals", "pending", 1)
    client.hincrby(name + "totals", "seen", 1)
    client.hset(name + "claim:md5", b"1" * 16, "http://a.cn/first")
    client.hset(name + "meta", "schema", "1")


def test_a_campaign_of_schema_1_goes_on(client, campaign_url) -> None:
    as_before(client, campaign_url)
    frontier = RedisFrontier(campaign_url, server_clock=False)
    assert client.hget(prefix(campaign_url) + "meta", "schema") == b"3"
    assert frontier.push([page(1), page(2)]) == [False, True]
    assert frontier.find([page(1).url]) == [page(1)]
    assert frontier.claim("md5", b"1" * 16, "http://a.cn/2") == "http://a.cn/first"
    assert frontier.claim("md5", b"1" * 16, "http://a.cn/first") == "http://a.cn/first"
    assert frontier.claim("md5", b"2" * 16, "http://a.cn/2") == "http://a.cn/2"
    frontier.set_host("a.cn", delay_s=0.0)  # enters it among those that are ready
    assert {lease.url for lease in frontier.lease(9, now=0)} == {page(1).url, page(2).url}
    frontier.close()


def test_a_campaign_of_schema_2_goes_on(client, campaign_url) -> None:
    """It counted what waits at each level, and crossed entries of lists out when they ended."""
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page(n, 2) for n in range(4)])
    key = frontier.known_by([page(1).url])[0][0]
    frontier.finish(page(1).url, reason="stored")
    frontier.close()
    name = prefix(campaign_url)
    at = client.lrange(name + "k:1:2", 0, -1).index(key.encode())
    client.lset(name + "k:1:2", at, "-")
    client.lset(name + "t:1:2", at, "")
    client.hset(name + "h:1", "w", "2=3")
    client.hset(name + "meta", "schema", "2")
    frontier = RedisFrontier(campaign_url, server_clock=False)
    assert client.hget(name + "meta", "schema") == b"3"
    assert not frontier.server.has_old_claims
    assert [one.url for one, _, _ in frontier.waiting()] == [page(n).url for n in (3, 2, 0)]
    assert frontier.push([page(3), page(1)]) == [False, False]
    (first,) = frontier.lease(9, now=0)
    assert (first.url, first.level) == (page(3).url, 1), "lowered"
    frontier.acknowledge([Ending(first.token, "stored")])
    assert [lease.url for lease in frontier.lease(9, now=0)] == [page(n).url for n in (0, 2)]
    assert frontier.counts().pending == 0
    frontier.close()


def test_workers_of_schema_1_are_not_disturbed(client, campaign_url) -> None:
    as_before(client, campaign_url)
    report = json.dumps({"seen_at": time.time()})
    client.hset(prefix(campaign_url) + "workers", "old", report)
    with pytest.raises(FrontierError, match="earlier version were at work"):
        RedisFrontier(campaign_url)
    assert client.hget(prefix(campaign_url) + "meta", "schema") == b"1"
    client.hset(prefix(campaign_url) + "workers", "old", json.dumps({"seen_at": 1.0}))
    RedisFrontier(campaign_url).close()


# -- duplicates whose owner has no name


def test_a_merge_names_the_owner_of_a_body(tmp_path) -> None:
    """The server says only that another page has the body; its MD5 says which."""
    with open_shard(tmp_path / "out") as one, open_shard(tmp_path / "out") as two:
        write_page(one, "http://a.cn/", level=1)
        md5 = next(iter(Corpus.open(one.root).pages())).md5
        fetched = Fetched(url="http://a.cn/copy", fetched_at=2e9, level=2, md5=md5)
        two.append_row(DuplicateRow(fetched, UNNAMED))
    merge_corpora([tmp_path / "out"], tmp_path / "merged")
    (row,) = Corpus.open(tmp_path / "merged").duplicates()
    assert (row.url, row.duplicate_of) == ("http://a.cn/copy", "http://a.cn/")
