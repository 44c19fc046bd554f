"""The crawl: Scrapy on a frontier, into a corpus.

This is the only package of the library that knows Scrapy. One `Campaign` per crawler holds what
its parts share. The scheduler leases URLs from the frontier when their host's time has come; the
download handler fetches them under guards; `ExtractionMiddleware` builds the page once;
the spider queues the links that are in scope and yields the page; the pipelines drop duplicates
and spam and write page.dat; the ledger ends each lease exactly once, with the first reason, and
acknowledges it only after its page is on disk.

In another Scrapy project, ``ADDONS = {"quarkcrawl.crawl.ExtractionAddon": 500}`` gives every
response its page (`page_of`) and changes nothing else, `DurableAddon` has the crawl of any spider
survive its process, and `SharedAddon` spreads it over many machines. Projects that use one of them
should not load the rest: a name is imported when it is asked for (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quarkcrawl.crawl.campaign import (
        Campaign,
        parse_hosts,
        read_hosts,
        seed_candidates,
        spam_list,
    )
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

_HOMES = {
    "AnalysisStage": "components",
    "CHECK_SETTINGS": "components",
    "Campaign": "campaign",
    "CampaignAddon": "components",
    "CampaignStage": "components",
    "DropPage": "components",
    "DurableAddon": "jobs",
    "ExtractionAddon": "components",
    "ExtractionMiddleware": "components",
    "HomePages": "components",
    "SharedAddon": "jobs",
    "config_of": "options",
    "page_item": "components",
    "page_of": "components",
    "parse_hosts": "campaign",
    "project_folder": "project",
    "read_hosts": "campaign",
    "run_check": "checkrun",
    "run_crawl": "run",
    "seed_candidates": "campaign",
    "spam_list": "campaign",
}
"""Module of each name."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
