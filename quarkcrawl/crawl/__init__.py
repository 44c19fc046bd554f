"""The crawl: Scrapy on a frontier, into a corpus.

This is the only package of the library that knows Scrapy. One `Campaign` per crawler holds what
its parts share. The scheduler leases URLs from the frontier when their host's time has come; the
download handler fetches them under guards; `ExtractionMiddleware` builds the page once;
the spider queues the links that are in scope and yields the page; the pipelines drop duplicates
and spam and write page.dat; the ledger ends each lease exactly once, with the first reason, and
acknowledges it only after its page is on disk.

In another Scrapy project, ``ADDONS = {"quarkcrawl.crawl.ExtractionAddon": 500}`` gives every
response its page (`page_of`) and changes nothing else.
"""

from quarkcrawl.crawl.campaign.campaign import Campaign
from quarkcrawl.crawl.campaign.hostfile import parse_hosts, read_hosts
from quarkcrawl.crawl.campaign.seeds import seed_candidates, spam_list
from quarkcrawl.crawl.components.addon import CampaignAddon, ExtractionAddon
from quarkcrawl.crawl.components.homepages import CHECK_SETTINGS, HomePages
from quarkcrawl.crawl.components.lease_middleware import DropPage
from quarkcrawl.crawl.components.page_middleware import ExtractionMiddleware, page_of
from quarkcrawl.crawl.components.pages import page_item
from quarkcrawl.crawl.components.stage import AnalysisStage, CampaignStage

__all__ = [
    "CHECK_SETTINGS",
    "AnalysisStage",
    "Campaign",
    "CampaignAddon",
    "CampaignStage",
    "DropPage",
    "ExtractionAddon",
    "ExtractionMiddleware",
    "HomePages",
    "page_item",
    "page_of",
    "parse_hosts",
    "read_hosts",
    "seed_candidates",
    "spam_list",
]
