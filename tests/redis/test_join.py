"""Joining a campaign: whose rules hold, and what a dead worker had out."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.shared import join_campaign
from quarkcrawl.crawl.summary import _without_passwords
from quarkcrawl.errors import ConfigError
from quarkcrawl.frontier import FrontierOptions, RedisFrontier
from tests.frontier.steps import page

OPTIONS = FrontierOptions(delay_s=0.0, robots=False)


def at_work(frontier: RedisFrontier) -> None:
    report = json.dumps({"seen_at": frontier.server_time(time.time())})
    frontier.server.call([["report", report]])


def test_rules_are_the_campaigns(campaign_url, tmp_path) -> None:
    config = CrawlConfig(redis=campaign_url, max_campaign_pages=50)
    first = join_campaign(config, OPTIONS, tmp_path)
    assert (first.options, first.direct.server.max_campaign_pages) == (OPTIONS, 50)
    at_work(first.direct)
    (tmp_path / "other").mkdir()
    with pytest.raises(ConfigError, match=r"delay_s=0.0 \(not 2.0\)") as error:
        join_campaign(config, replace(OPTIONS, delay_s=2.0), tmp_path / "other")
    assert error.value.where == campaign_url
    with pytest.raises(ConfigError, match="max_campaign_pages"):
        join_campaign(CrawlConfig(redis=campaign_url), OPTIONS, tmp_path / "other")
    second = join_campaign(config, OPTIONS, tmp_path / "other")
    second.close()
    first.close()
    changed = join_campaign(config, replace(OPTIONS, delay_s=2.0), tmp_path / "other")
    assert RedisFrontier(campaign_url).options.delay_s == changed.options.delay_s == 2.0
    changed.close()


def test_a_successor_has_its_shards_name(campaign_url, tmp_path) -> None:
    config = CrawlConfig(redis=campaign_url)
    dead = join_campaign(config, OPTIONS, tmp_path)
    dead.push([page(1), page(2, host="b.cn")])
    assert len(dead.direct.lease(5, now=time.time())) == 2
    dead.direct.server.close()  # as a kill leaves it
    successor = join_campaign(config, OPTIONS, tmp_path)
    assert successor.direct.worker == dead.direct.worker
    assert successor.direct.release_worker(successor.direct.worker) == 2
    leases = successor.direct.lease(5, now=time.time())
    assert [lease.tries for lease in leases] == [1, 1], "a kill is no try"
    successor.close()


def test_settings_that_need_a_server() -> None:
    for name in ("max_campaign_pages", "redis_starts"):
        with pytest.raises(ConfigError, match="shared frontier"):
            CrawlConfig.from_mapping({name: "5"})


def test_no_password_in_a_summary() -> None:
    url = "rediss://user:geheim@h:1/0#news"
    config = CrawlConfig(redis=url, proxy=("http://user:geheim@p:2",))
    assert _without_passwords(config) == {
        "redis": "rediss://h:1/0#news",
        "proxy": ["http://***@p:2"],
    }
