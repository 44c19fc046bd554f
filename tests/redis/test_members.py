"""Campaigns over several servers: their addresses, which has what, and who may join."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
import redis

from quarkcrawl.errors import ConfigError, FrontierError
from quarkcrawl.frontier import FrontierOptions, RedisFrontier, open_shared
from quarkcrawl.frontier.redis import agreed_crew
from quarkcrawl.frontier.redis.server import AddressList
from quarkcrawl.frontier.spread import Placement
from tests.frontier.steps import page
from tests.redis.steps import OPTIONS, PLACES, hosts_on


def test_several_servers_have_one_campaign() -> None:
    text = "redis://u:p%2Cq@a:1/0,rediss://:x,y@b/2,redis+sentinel://:s@c:1,d:2/main/0#news"
    found = AddressList.parse(text)
    shown = ["redis://a:1/0", "rediss://b/2", "redis+sentinel://c:1,d:2/main/0"]
    assert [address.server for address in found.servers] == shown
    assert {address.campaign for address in found.servers} == {"news"}
    assert str(found) == ",".join(shown) + "#news"
    assert len(AddressList.parse("redis+sentinel://a:1,b:2/main/0#x").servers) == 1


@pytest.mark.parametrize(
    "text",
    ["redis://a/1, redis://:SECRET@b/2#x", "redis://a/0,b/0#x", "redis://a/0;redis://b/0#x",
     "redis://a/one#x", "redis://a/0#SEC RET@b"],
)  # fmt: skip
def test_what_is_no_list_of_servers_is_refused_without_its_passwords(text) -> None:
    with pytest.raises(ConfigError) as caught:
        AddressList.parse(text)
    assert "SEC" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("redis://a/0#x,redis://b/0#x", "behind the last"),
        ("redis://a/0,redis://a/0#x", "twice"),
        ("redis://a/0,http://b/0#x", "cannot be reached|not the URL|port"),
    ],
)
def test_addresses_that_mean_nothing(text, words) -> None:
    with pytest.raises((ConfigError, FrontierError), match=words):
        open_shared(text)


def test_the_hash_is_fixed() -> None:
    """Another one would look for the hosts of a campaign elsewhere."""
    names = ["www.pku.edu.cn", "a.cn", "a.cn:8080", "xn--fiqs8s", "192.0.2.1", ""]
    assert [Placement(5).of_host(name) for name in names] == FIXED
    counts = Counter(PLACES.of_host(f"www.site{n}.cn") for n in range(3000))
    assert max(counts.values()) < 1100


FIXED = [3, 3, 2, 3, 3, 1]


def test_hosts_of_a_domain_are_together_if_they_share_a_delay(where) -> None:
    family = [f"{name}.sina.com.cn" for name in "abcdefgh"]
    options = FrontierOptions(robots=False, domain_delay_s=5.0)
    frontier = open_shared(where, options, server_clock=False)
    frontier.push([page(1, 1, name) for name in family])
    assert len(frontier.lease(9, now=0)) == 1
    assert len({frontier.placement.of_host(name) for name in family}) == 1
    frontier.close()
    again = open_shared(where)
    assert again.placement.by_domain
    again.close()


def test_the_rule_of_domains_cannot_begin_later(where) -> None:
    frontier = open_shared(where, FrontierOptions())
    with pytest.raises(ConfigError, match="domain_delay_s must be set when"):
        frontier.set_rules(FrontierOptions(domain_delay_s=1.0))
    assert frontier.options == FrontierOptions()
    frontier.close()


def test_a_list_of_suffixes_that_differs_is_refused(where, monkeypatch) -> None:
    open_shared(where, with_domains=True).close()
    monkeypatch.setattr("quarkcrawl.frontier.spread.placement.public_suffix_digest", lambda: "0")
    with pytest.raises(FrontierError, match="another list of public suffixes"):
        open_shared(where)


# -- who may join


def test_who_names_the_servers_otherwise_is_refused_and_changes_nothing(
    redis_server, databases, where
) -> None:
    one, two, three = databases
    name = where.partition("#")[2]
    open_shared(where).close()
    with redis.Redis(port=redis_server.port, db=3) as fourth:
        fourth.flushdb()

    def refused(servers: list[str], words: str) -> None:
        with pytest.raises(FrontierError, match=words) as error:
            open_shared(f"{','.join(servers)}#{name}")
        assert "\n" not in str(error.value)

    refused([two, one, three], "0/1|/1#.*is server 2/3 of the campaign, not 1/3")
    refused([one, two], "is server 1/3 of the campaign, not 1/2")
    refused([two], "is server 2/3 of a campaign over several")
    other = f"redis://127.0.0.1:{redis_server.port}/3"
    refused([one, two, three, other], "is server 1/3 of the campaign, not 1/4")
    with redis.Redis(port=redis_server.port, db=3) as fourth:
        assert fourth.keys(f"*{{{name}}}*") == []
        RedisFrontier(f"{other}#{name}").close()
    refused([other, two, three], "has the campaign by itself")
    open_shared(where).close()


def test_a_server_of_another_campaign_is_refused(databases, where) -> None:
    one, two, three = databases
    name = where.partition("#")[2]
    open_shared(f"{one},{two}#{name}").close()
    other = f"{databases[0][:-1]}4,{three}#{name}"
    open_shared(other).close()
    with pytest.raises(FrontierError, match="of another campaign of this name than"):
        open_shared(f"{one},{three}#{name}")


@pytest.mark.parametrize("name", ["schema", "crew"])
@pytest.mark.parametrize("value", [b"3 \x1b[2J\n/3", b"3 2/3", b"\xff" * 100, b"x" * 70_000, b""])
def test_contents_that_are_not_ours(redis_server, where, name, value) -> None:
    meta = f"quarkcrawl:{{{where.partition('#')[2]}}}:meta"
    with redis.Redis(port=redis_server.port, db=0) as client:
        client.hset(meta, name, value)
        with pytest.raises(FrontierError, match=r"/0#.*(schema|damaged)") as error:
            open_shared(where)
        assert str(error.value).isprintable()
        client.delete(meta)
        client.set(meta, "x")
        with pytest.raises(FrontierError, match="not a campaign of quarkcrawl"):
            open_shared(where)


def test_many_workers_may_begin_a_campaign_at_once(where) -> None:
    met, errors = [], []
    gate = threading.Barrier(8)

    def join() -> None:
        gate.wait()
        try:
            met.append(open_shared(where, OPTIONS))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=join) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert errors == []
    names = [page(n, 1, f"h{n}.cn") for n in range(20)]
    assert sum(sum(one.push(names)) for one in met) == 20
    for one in met:
        one.close()


def test_a_worker_notices_that_a_server_is_not_the_one_it_was(redis_server, where) -> None:
    frontier = open_shared(where)
    prefix = f"quarkcrawl:{{{where.partition('#')[2]}}}:meta"
    with redis.Redis(port=redis_server.port, db=1) as client:
        client.hset(prefix, "schema", client.hget(prefix, "schema").replace(b"2/3", b"3/3"))
        with pytest.raises(FrontierError, match=r"3/3 .* not ours"):
            frontier.counts()
        client.hset(prefix, "schema", client.hget(prefix, "schema").replace(b"3/3", b"2/3"))
    frontier.close()


def test_a_server_that_lost_everything_is_taken_in_again(redis_server, where) -> None:
    for number in range(3):
        frontier = open_shared(where, refill=True)
        frontier.push([page(number, 1, name) for at in range(3) for name in hosts_on(at, 1)])
        frontier.close()
        with redis.Redis(port=redis_server.port, db=number) as client:
            for key in client.keys(f"*{{{where.partition('#')[2]}}}*"):
                client.delete(key)
        with pytest.raises(FrontierError, match="no such campaign"):
            open_shared(where, create=False)
    frontier = open_shared(where, refill=True)
    assert frontier.counts().pending == 2 + 1, "the first server lost one, the second two, …"
    frontier.close()


def test_a_server_that_was_emptied_is_not_taken_for_a_new_one(databases, where) -> None:
    """Only who enters again what it had may begin it anew."""
    open_shared(where, OPTIONS).close()
    with redis.Redis.from_url(databases[1]) as client:
        client.flushdb()
        with pytest.raises(FrontierError, match=r"/1#.*has nothing of the campaign that .*recover"):
            open_shared(where, OPTIONS)
        assert client.dbsize() == 0, "nothing was entered"
    open_shared(where, refill=True).close()
    open_shared(where, OPTIONS).close()


def test_another_first_server_than_before(databases, where) -> None:
    """Nothing is written to it, and the words say what can be done."""
    campaign = where.partition("#")[2]
    open_shared(where, OPTIONS).close()
    other = databases[0].removesuffix("0") + "5"
    with pytest.raises(FrontierError, match=r"/5#.*another server than before, name that one"):
        open_shared(",".join([other, *databases[1:]]) + f"#{campaign}", OPTIONS)
    with redis.Redis.from_url(other) as client:
        assert not list(client.scan_iter(f"quarkcrawl:{{{campaign}}}:*"))
    open_shared(where, OPTIONS).close()


def test_a_campaign_that_was_begun_on_some_servers_only(where) -> None:
    """By a worker that was killed then: whoever comes next begins it on the others."""
    begun = AddressList.parse(where).servers[0]
    crew = agreed_crew(begun, "0123abcd host", wait_s=0.0)
    RedisFrontier(begun.with_part(f"1/3 {crew}")).close()
    frontier = open_shared(where, OPTIONS)
    assert len(frontier.parts) == 3
    frontier.close()
