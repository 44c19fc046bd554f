"""Hosts of one registered domain share a delay over all workers; the rule may come and go."""

from __future__ import annotations

import signal
from itertools import pairwise
from unittest.mock import Mock

import pytest
import redis

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.shared import join_campaign
from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import FrontierOptions, RedisFrontier
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.page import host_key
from tests.frontier.steps import end, page
from tests.redis.web import small_web, stored_urls
from tests.redis.workers import Crew, merged, wait_until

PLAIN = FrontierOptions(delay_s=0.0, concurrency=3, robots=False)
SHARING = FrontierOptions(delay_s=0.0, concurrency=3, robots=False, domain_delay_s=10.0)
NAMES = [f"h{n}.shared.com.cn" for n in range(4)]


def requests_of(server) -> list:
    return [entry for entry in server.log() if entry.host.endswith(".shared.com.cn")]


def opened(url: str, options: FrontierOptions | None) -> RedisFrontier:
    return RedisFrontier(url, options, server_clock=False)


def test_the_rule_may_begin_and_end_in_the_middle(campaign_url) -> None:
    """Hosts that are there already get their domains, and what is out of them counts."""
    frontier = opened(campaign_url, PLAIN)
    frontier.push([page(n, 1, name) for n in range(3) for name in NAMES])
    old = frontier.lease(4, now=0)
    frontier.set_rules(SHARING)
    assert frontier.lease(9, now=5) == [], "four are out, three may be"
    end(frontier, old)
    found, now = [], 5.0
    while len(found) < 3:
        found += frontier.lease(9, now=now)
        assert len(found) <= 1 + int((now - 5) / 10)
        now += 1
    frontier.push([page("x", 1, "new.shared.com.cn")])
    end(frontier, found[:1])
    (last,) = frontier.lease(9, now=now + 10)
    assert frontier.lease(9, now=now + 100) == []
    other = opened(campaign_url, None)
    assert other.options == SHARING
    frontier.set_rules(PLAIN)
    other.close()
    rest = frontier.lease(100, now=now + 100)
    end(frontier, [*found[1:], last, *rest])
    while leases := frontier.lease(100, now=now + 100):
        end(frontier, leases)
    assert frontier.counts().ended == {"stored": 13}
    frontier.close()


@pytest.mark.parametrize("last", [PLAIN, SHARING])
def test_a_change_that_was_interrupted_is_done_by_the_next_worker(
    campaign_url, tmp_path, monkeypatch, last
) -> None:
    """Whichever rules it has: those from before the change, or the new ones."""
    frontier = opened(campaign_url, PLAIN)
    frontier.push([page(n, 1, name) for n in range(3) for name in NAMES])
    with monkeypatch.context() as patch:
        patch.setattr(frontier.server, "save_options", Mock(side_effect=FrontierError("killed")))
        with pytest.raises(FrontierError, match="killed"):
            frontier.set_rules(SHARING)
    frontier.close()
    worker = join_campaign(CrawlConfig(redis=campaign_url), last, tmp_path)
    worker.close()
    frontier = opened(campaign_url, None)
    assert frontier.options == last
    assert not frontier.is_between_rules
    assert len(frontier.lease(9, now=1e10)) == (9 if last is PLAIN else 1)
    frontier.close()


def test_a_campaign_whose_rules_are_of_an_earlier_version(redis_server, campaign_url) -> None:
    opened(campaign_url, PLAIN).close()
    name = f"quarkcrawl:{{{campaign_url.partition('#')[2]}}}:meta"
    with redis.Redis.from_url(redis_server.url) as client:
        rules = client.hget(name, "options").decode()
        assert '"domain_delay_s":0.0' in rules
        earlier = rules.replace(',"domain_delay_s":0.0', "")
        assert earlier != rules
        client.hset(name, "options", earlier)
    frontier = opened(campaign_url, None)
    assert frontier.options == PLAIN
    frontier.close()


def test_many_hosts_of_a_domain_are_not_all_looked_at(redis_server, campaign_url) -> None:
    """A lease takes the first one of the domain, however many are ready."""
    costs = []
    with redis.Redis.from_url(redis_server.url) as client:
        for number in (20, 2000):
            frontier = opened(f"{campaign_url}-{number}", SHARING)
            for start in range(0, number, 500):
                hosts = [f"h{n}.shared.com.cn" for n in range(start, min(number, start + 500))]
                frontier.push([page(1, 1, host) for host in hosts])
            client.config_resetstat()
            for now in (100, 200, 300):
                assert len(frontier.lease(9, now=now)) == 1
            stats = client.info("commandstats")
            costs.append(sum(one["calls"] for one in stats.values()))
            frontier.close()
    assert costs[1] <= 1.2 * costs[0] + 20, costs


@pytest.mark.full
def test_workers_together_keep_the_delay_of_a_domain(tmp_path, campaign_url) -> None:
    """The bar is a least gap: a busy machine makes gaps longer; .1 s leaves room for jitter."""
    pages = small_web(3, 2, delay_s=0.0)
    web = {url.replace("shared.example", "shared.com.cn"): one for url, one in pages.items()}
    web |= {f"http://alone{n}.com.cn/": pages["http://h0.shared.example/s0/"] | {"html": f"<p>{n}"} for n in range(2)}  # fmt: skip
    hosts = [*NAMES[:3], "alone0.com.cn", "alone1.com.cn"]
    rules = {"delay_s": "2", "domain_delay_s": "2", "host_concurrency": "1"}
    with (
        ServerProcess.for_pages(web) as server,
        Crew(tmp_path, server, campaign_url, hosts, **rules) as crew,
    ):
        gate = RedisFrontier(campaign_url)
        first = crew.start()
        wait_until(lambda: len(requests_of(server)) >= 3)
        crew.start()
        wait_until(lambda: len(gate.server.workers()) == 2)
        wait_until(lambda: len(requests_of(server)) >= 16)  # of 21
        first.send_signal(signal.SIGINT)  # or the second one may have nothing to do
        first.wait(60)
        crew.finish()
        gate.close()
        assert min(crew.summary(number)["pages"] for number in (0, 1)) > 0
        log = requests_of(server)
        gaps = sorted(b - a for a, b in pairwise(sorted(entry.time for entry in log)))
        assert len(gaps) >= 3 * 5 - 1
        assert gaps[0] >= 0.95 * 2, gaps[:5]
        assert merged(crew)[0] == stored_urls(web)
        assert {host_key(url) for url in crew.stored()} == set(hosts)
