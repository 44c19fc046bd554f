"""What others may put on the server: garbage, other versions, huge values. Never code."""

from __future__ import annotations

import json
import pickle
from itertools import product

import pytest
import redis

from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import Ending, FrontierOptions, RedisFrontier
from quarkcrawl.frontier.redis.starts import StartList, start_url
from tests.frontier.steps import page

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=100, robots=False)
GARBAGE = [b"\x80\x04garbage", b"\xff" * 100, b"9" * 400, b"x" * 3_000_000, b"-1 -1 -1", b""]


class Bomb:
    """Would leave a trace if anything unpickled it."""

    exploded = False

    def __reduce__(self):
        return setattr, (Bomb, "exploded", True)


GARBAGE.append(pickle.dumps(Bomb()))


@pytest.fixture
def client(redis_server):
    with redis.Redis.from_url(redis_server.url) as client:
        yield client


@pytest.fixture
def neighbor(redis_server, campaign_url):
    """Another campaign, which must not notice."""
    url = campaign_url + "-neighbour"
    frontier = RedisFrontier(url, OPTIONS, server_clock=False)
    frontier.push([page(n) for n in range(5)])
    before = frontier.counts()
    yield
    assert frontier.counts() == before
    assert len(frontier.lease(9, now=0)) == 5
    frontier.close()


def prefix(url: str) -> str:
    return f"quarkcrawl:{{{url.partition('#')[2]}}}:"


def filled(url: str) -> None:
    frontier = RedisFrontier(url, OPTIONS, server_clock=False)
    frontier.push([page(n, 1 + n % 2, f"h{n % 3}.cn") for n in range(12)])
    frontier.retry(frontier.lease(1, now=0)[0].token, reason="x", not_before=5)
    frontier.lease(3, now=0)
    frontier.claim("md5", b"1" * 16, "http://a.cn/")
    with redis.Redis.from_url(url.partition("#")[0]) as client:  # one that was of schema 1
        client.hset(prefix(url) + "meta", "had_schema", "1")
        client.hset(prefix(url) + "claim:md5", b"2" * 16, "http://a.cn/2")
    frontier.server.close()


def use_everything(url: str) -> None:
    """Every operation; a frontier error is the only error there may be."""
    frontier = RedisFrontier(url, server_clock=False)
    actions = [
        lambda: frontier.push([page(n, 1, f"h{n % 3}.cn") for n in range(20)]),
        frontier.counts,
        lambda: frontier.reap(now=1e6),
        lambda: frontier.lease(50, now=1e6),
        lambda: frontier.next_ready(now=0),
        lambda: frontier.find([page(n, 1, f"h{n % 3}.cn").url for n in range(12)]),
        lambda: list(frontier.hosts()),
        lambda: list(frontier.waiting()),
        frontier.leases_of_workers,
        frontier.server.workers,
        frontier.others_at_work,
        lambda: frontier.claim("md5", b"1" * 16, "http://b.cn/"),
        lambda: frontier.claim("md5", b"2" * 16, "http://b.cn/"),
        lambda: frontier.acknowledge([Ending(n, "x") for n in range(5)]),
        lambda: list(frontier.close_host("h1.cn", reason="spam")),
        lambda: list(frontier.drain_closed()),
        frontier.close,
    ]
    for act in actions:
        try:
            act()
        except FrontierError as error:
            assert error.where.startswith("redis://127.0.0.1")


KEYS = ["totals", "url", "id", "h:1", "h:2", "q:1:1", "k:1:1", "t:1:1", "r:1:1", "ready", "leases",
        "lease", "claims:0", "claim:md5", "ended", "retried", "undrained", "seen:0", "fresh:0", "workers", "meta"]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_another_kind(client, campaign_url, neighbor, key) -> None:
    filled(campaign_url)
    name = prefix(campaign_url) + key
    kind = client.type(name)
    client.delete(name)
    if kind == b"string":
        client.rpush(name, "x")
    else:
        client.set(name, b"garbage")
    try:
        use_everything(campaign_url)
    except FrontierError as error:
        assert "campaign" in str(error) or "damaged" in str(error)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("totals", marks=pytest.mark.full),
        "url",
        "id",
        "h:1",
        "lease",
        "workers",
        "claims:0",
    ],
)
def test_garbage_in_every_field(client, campaign_url, neighbor, key) -> None:
    name = prefix(campaign_url) + key
    for garbage in GARBAGE:
        client.delete(*client.keys(prefix(campaign_url) + "*") or ["none"])
        filled(campaign_url)
        for field in list(client.hkeys(name)):
            client.hset(name, field, garbage)
        client.hset(name, garbage[:1000], garbage)
        use_everything(campaign_url)
    assert not Bomb.exploded


@pytest.mark.parametrize(
    ("key", "garbage"), list(product(["ready", "leases", "k:2:2", "t:2:2"], GARBAGE[:3]))
)
def test_garbage_in_lists_and_sets(client, campaign_url, key, garbage) -> None:
    filled(campaign_url)
    name = prefix(campaign_url) + key
    if client.type(name) == b"list":
        client.lpush(name, garbage)
    else:
        client.zadd(name, {garbage: -1})
    use_everything(campaign_url)


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("schema", "4", "schema"),
        ("schema", "x" * 100_000, "too large"),
        ("schema", pickle.dumps(Bomb()), "schema"),
        ("secret", "short", "secret"),
        ("secret", b"\x00" * 10_000_000, "too large"),
        ("options", "[]", "options"),
        ("options", "[" * 60_000, "options"),
        ("options", '{"delay_s": 1}', "options"),
        ("options", json.dumps(dict.fromkeys(FrontierOptions.__slots__, "x")), "options"),
        ("options", pickle.dumps(Bomb()), "options"),
        ("max_campaign_pages", "-7", "budget"),
    ],
)
def test_another_version_or_damaged_identity(
    client, campaign_url, neighbor, field, value, word
) -> None:
    filled(campaign_url)
    client.hset(prefix(campaign_url) + "meta", field, value)
    with pytest.raises(FrontierError, match=word) as error:
        RedisFrontier(campaign_url)
    assert error.value.where == campaign_url
    assert not Bomb.exploded


def test_a_version_that_changes_under_a_worker(client, campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS)
    client.hset(prefix(campaign_url) + "meta", "schema", "7")
    with pytest.raises(FrontierError, match="schema 7"):
        frontier.push([page(1)])
    client.delete(prefix(campaign_url) + "meta")
    with pytest.raises(FrontierError, match="gone"):
        frontier.push([page(1)])
    assert client.keys(prefix(campaign_url) + "*") == [], "nothing is begun anew unasked"
    with pytest.raises(FrontierError):
        frontier.close()


def test_what_others_have_on_the_server_stays(client, campaign_url) -> None:
    client.set("mine", "1")
    client.hset("quarkcrawl:mine", "a", "b")
    filled(campaign_url)
    similar = prefix(campaign_url)[:-2] + "x}:meta"
    client.hset(similar, "schema", "1")
    frontier = RedisFrontier(campaign_url)
    assert frontier.server.erase() > 5
    frontier.server.close()
    assert client.keys(prefix(campaign_url) + "*") == []
    assert client.get("mine") == b"1"
    assert client.exists("quarkcrawl:mine", similar) == 2
    client.delete("mine", "quarkcrawl:mine", similar)


# -- start lists of scrapy-redis


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        (b"http://a.cn", "http://a.cn/"),
        (b"www.a.cn", "http://www.a.cn/"),
        (b'{"url": "http://a.cn/x", "meta": {"k": 1}}', "http://a.cn/x"),
        (b'{"uri": "http://a.cn/x"}', None),
        (b'{"url": 7}', None),
        (b"[" * 50_000, None),
        (b'{"url":' * 5000, None),
        (b"\x80\x04", None),
        (b"", None),
        (b"http://a.cn/" + b"x" * 100_000, None),
        (pickle.dumps(Bomb()), None),
    ],
)
def test_entries_of_a_start_list(entry, url) -> None:
    assert start_url(entry) == url
    assert not Bomb.exploded


@pytest.mark.parametrize("kind", ["list", "set", "zset"])
def test_start_lists_are_taken_in(client, campaign_url, kind) -> None:
    key = f"news-{kind}:start_urls"
    entries = [f"http://h{n}.cn/".encode() for n in range(450)] + [pickle.dumps(Bomb())]
    if kind == "list":
        client.rpush(key, *entries)
    elif kind == "set":
        client.sadd(key, *entries)
    else:
        client.zadd(key, {entry: n for n, entry in enumerate(entries)})
    frontier = RedisFrontier(campaign_url, OPTIONS)
    starts = StartList(key)
    while starts.take_in(frontier):
        pass
    assert (starts.taken, starts.refused) == (450, 1)
    assert frontier.counts().pending == 450
    assert not client.exists(key)
    assert not Bomb.exploded
    frontier.close()


def test_what_is_put_in_front_while_a_start_list_is_taken_in_is_not_lost(
    client, campaign_url, monkeypatch
) -> None:
    """Nor what another worker leaves, who takes the same entries in at the same moment."""
    key = f"{campaign_url}:start_urls"
    urls = [f"http://h{n}.cn/" for n in range(450)]
    client.rpush(key, *urls)
    frontier, other = RedisFrontier(campaign_url, OPTIONS), RedisFrontier(campaign_url)
    starts, others = StartList(key), StartList(key)
    real = frontier.push

    def push(candidates):
        monkeypatch.setattr(frontier, "push", real)
        client.lpush(key, "http://late.cn/")
        others.take_in(other)
        return real(candidates)

    monkeypatch.setattr(frontier, "push", push)
    while starts.take_in(frontier):
        pass
    waiting = {candidate.url for candidate, _, _ in frontier.waiting()}
    assert waiting == {*urls, "http://late.cn/"}
    assert not client.exists(key)
    frontier.close()
    other.close()


def test_rows_that_are_no_json_are_named_as_damage(client, campaign_url) -> None:
    frontier = RedisFrontier(campaign_url, OPTIONS, server_clock=False)
    frontier.push([page(n) for n in range(3)])
    name = prefix(campaign_url) + "url"
    assert not client.exists(name), "what was never handed out lies in lists"
    for at in range(3):
        client.lset(prefix(campaign_url) + "t:1:1", at, "{}")
    for act in (lambda: list(frontier.waiting()), lambda: list(frontier.close_host("a.cn", reason="x")),
                lambda: list(frontier.drain_closed())):  # fmt: skip
        with pytest.raises(FrontierError, match="damaged"):
            act()
    frontier.close()


def test_a_start_list_of_another_kind_is_left_alone(client, campaign_url) -> None:
    client.hset("odd:start_urls", "a", "b")
    frontier = RedisFrontier(campaign_url, OPTIONS)
    assert StartList("odd:start_urls").take_in(frontier) == 0
    assert client.exists("odd:start_urls")
    client.delete("odd:start_urls")
    frontier.close()
