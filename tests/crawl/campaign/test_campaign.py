"""The campaign as an object: what it lets go of, whom it holds back, what others see of it."""

import asyncio
import time
from weakref import WeakKeyDictionary

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign import campaign as campaign_module
from quarkcrawl.crawl.campaign.campaign import Campaign
from quarkcrawl.crawl.components.analysis import Analyzer
from quarkcrawl.crawl.components.metrics import Metrics
from quarkcrawl.crawl.components.progress import Progress
from quarkcrawl.crawl.lists import ListMark
from quarkcrawl.errors import StoreError
from quarkcrawl.frontier import Candidate, SqliteFrontier
from quarkcrawl.page import Fetched, Page, PageItem
from quarkcrawl.store import Corpus

HOME = "http://a.cn/"


@pytest.fixture
def campaign(tmp_path):
    config = CrawlConfig(out=str(tmp_path), robots=False, max_tries=1, late_tries=0, delay_s=0.0)
    opened = Campaign(config, tmp_path)
    yield opened
    opened.abandon()


def test_a_campaign_that_cannot_be_opened_lets_go_of_its_files(tmp_path, monkeypatch):
    def fails(*_):
        raise StoreError("the journal cannot be read")

    config = CrawlConfig(out=str(tmp_path), robots=False)
    with monkeypatch.context() as patch:
        patch.setattr(campaign_module, "recover", fails)
        with pytest.raises(StoreError, match="journal"):
            Campaign(config, tmp_path)
    SqliteFrontier(tmp_path / "frontier.sqlite").close()
    Campaign(config, tmp_path).abandon()


def test_retry_after_holds_the_host_back_after_the_last_try_too(campaign):
    campaign.push([Candidate(HOME, "a.cn", 1), Candidate(HOME + "b", "a.cn", 1)])
    (lease,) = campaign.frontier.lease(1, now=time.time())
    campaign.ledger.begin(lease)
    campaign.outcomes.fail(lease, "http_503", wait_s=60)
    assert campaign.tally.reasons == {"http_503": 1}
    assert campaign.frontier.host("a.cn").next_time > time.time() + 50


def test_a_list_whose_lease_expired_keeps_its_mark(campaign, tmp_path):
    mark = str(ListMark("sitemap", 0, "a.cn"))
    campaign.push([Candidate(HOME + "map.xml", "a.cn", 1, mark), Candidate(HOME, "a.cn", 1)])
    for _ in range(2):
        (lease,) = campaign.frontier.lease(1, now=time.time())
        campaign.ledger.begin(lease)
        campaign._reap(lease.deadline + campaign.config.lease_s)
        campaign._next_reap = 0.0
    asyncio.run(campaign.close())
    rows = {row.url: (row.reason, row.detail) for row in Corpus.open(tmp_path).drops()}
    assert rows == {HOME + "map.xml": ("lease_expired", mark), HOME: ("lease_expired", "")}


def no_links(*_):
    raise ValueError("no links")


def test_a_page_that_raises_is_not_taken_for_one_that_crashed(campaign, tmp_path, monkeypatch):
    monkeypatch.setattr("quarkcrawl.crawl.components.analysis.analyze", no_links)
    campaign.push([Candidate(HOME, "a.cn", 1)])
    (lease,) = campaign.frontier.lease(1, now=time.time())
    campaign.ledger.begin(lease)
    item = PageItem(Fetched(url=HOME), b"", lease.token, Page.from_bytes(b""))
    with pytest.raises(ValueError, match="no links"):
        asyncio.run(Analyzer(CrawlConfig(in_process=True)).apply(item, campaign))
    assert not any((tmp_path / "parsing.url").read_bytes()[::4096])


class Crawler:
    """As far as `Campaign.of` needs one."""


def test_nobody_asks_a_frontier_that_has_failed(campaign, monkeypatch):
    crawler = Crawler()
    monkeypatch.setattr(campaign_module, "_campaigns", WeakKeyDictionary({crawler: campaign}))
    progress, metrics = object.__new__(Progress), object.__new__(Metrics)
    progress._crawler = metrics._crawler = crawler
    progress._live = None
    progress._show()
    metrics._take()
    taken = metrics._taken
    assert taken
    campaign.storage_failed(StoreError("the disk is full"))
    campaign.frontier.close()
    progress._show()
    metrics._take()
    assert metrics._taken is taken
