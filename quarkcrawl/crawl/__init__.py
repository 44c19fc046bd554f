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

from quarkcrawl.crawl.campaign import Campaign, parse_hosts, read_hosts, seed_candidates, spam_list
from quarkcrawl.crawl.checkrun import run_check
from quarkcrawl.crawl.components import (
    CHECK_SETTINGS,
    AnalysisStage,
    CampaignAddon,
    CampaignStage,
    DropPage,
    ExtractionAddon,
    ExtractionMiddleware,
    HomePages,
    page_item,
    page_of,
)
from quarkcrawl.crawl.jobs import DurableAddon, SharedAddon
from quarkcrawl.crawl.options import config_of
from quarkcrawl.crawl.project import project_folder
from quarkcrawl.crawl.run import run_crawl

__all__ = [
    "CHECK_SETTINGS",
    "AnalysisStage",
    "Campaign",
    "CampaignAddon",
    "CampaignStage",
    "DropPage",
    "DurableAddon",
    "ExtractionAddon",
    "ExtractionMiddleware",
    "HomePages",
    "SharedAddon",
    "config_of",
    "page_item",
    "page_of",
    "parse_hosts",
    "project_folder",
    "read_hosts",
    "run_check",
    "run_crawl",
    "seed_candidates",
    "spam_list",
]
