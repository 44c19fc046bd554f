"""The summary of a run: runs/run-TIME.json in the corpus, with counts per reason and host."""

from __future__ import annotations

import dataclasses
import json
import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from quarkcrawl.crawl.campaign import PASSING, Campaign
from quarkcrawl.crawl.cautions import cautions
from quarkcrawl.errors import StoreError, without_credentials
from quarkcrawl.frontier import steady_time
from quarkcrawl.frontier.redis import AddressList

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

    from quarkcrawl.config import CrawlConfig


logger = logging.getLogger(__name__)


def summary_of(campaign: Campaign, finish_reason: str) -> dict[str, Any]:
    """Everything a run did, as JSON values. Times are epoch seconds, sizes bytes.

    A campaign is complete when nothing waits and nothing was given up for a reason that may pass;
    what this run gave up so is listed.

    Args:
        campaign: after its end; if its frontier could not be read then, ``frontier`` is None.
        finish_reason: Scrapy's word; a failure of the storage on the way overrules it.
    """
    tally = campaign.tally
    counts = campaign.final_counts
    ended = {} if counts is None else counts.ended
    passing = {reason: n for reason, n in sorted(ended.items()) if reason in PASSING}
    n_given_up = sum(passing.values())
    return {
        "corpus": str(campaign.root),
        "finish_reason": finish_reason if campaign.failure is None else "storage_failed",
        "complete": counts is not None and counts.pending == counts.leased == n_given_up == 0,
        "left": None if counts is None else counts.pending + counts.leased,
        "given_up": {"urls": n_given_up, "reasons": passing, "listed": tally.given_up},
        "started_at": round(tally.started_at, 3),
        "elapsed_s": round(steady_time() - tally.started_at, 3),
        "pages": tally.pages,
        "pages_per_s": round(tally.pages_per_s(), 2),
        "body_bytes": tally.body_bytes,
        "stored_bytes": tally.stored_bytes,
        "retries": tally.retries,
        "round_trips": campaign.frontier.round_trips,
        "fenced": campaign.frontier.fenced,
        "reasons": dict(tally.reasons.most_common()),
        "rendered": dict(tally.rendered.most_common()),
        "warnings": cautions(campaign.config),
        "frontier": None if counts is None else dataclasses.asdict(counts),
        "recovered": dataclasses.asdict(campaign.recovered),
        "hosts": {host: dict(c.most_common()) for host, c in tally.by_host.items()},
        "config": dataclasses.asdict(campaign.config) | _without_passwords(campaign.config),
    }


def _without_passwords(config: CrawlConfig) -> dict[str, Any]:
    redis = str(AddressList.parse(config.redis)) if config.redis else ""
    return {"redis": redis, "proxy": [without_credentials(url) for url in config.proxy]}


def write_summary(summary: dict[str, Any], path: Path) -> None:
    """Write the summary of a run.

    Args:
        summary: see `summary_of`.
        path: its file.
    """
    text = json.dumps(summary, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


class RunSummary:
    """Scrapy extension that warns at the start and writes the summary when the spider closes."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.path: Path | None = None
        self.summary: dict[str, Any] = {}
        crawler.signals.connect(self._caution, signals.spider_opened)
        crawler.signals.connect(self._write, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunSummary:
        """Build for a crawler, and open its campaign.

        Extensions are built before the engine: a corpus that cannot be opened stops the run
        here, before anything has started that would have to be stopped again.
        """
        if not crawler.settings.get("QUARKCRAWL_OUT"):
            raise NotConfigured("no corpus folder")
        Campaign.of(crawler)
        return cls(crawler)

    def _caution(self) -> None:
        for text in cautions(Campaign.of(self._crawler).config):
            logger.warning("%s", text)

    def _say_incomplete(self) -> None:
        given_up = self.summary["given_up"]
        if given_up["urls"]:
            logger.warning(
                "not complete: %d URLs were given up for reasons that may pass (%s); "
                "quarkcrawl frontier retry %s, then the same command, tries them again",
                given_up["urls"],
                ", ".join(f"{reason} {n}" for reason, n in given_up["reasons"].items()),
                self._where(),
            )

    def _where(self) -> str:
        """What `quarkcrawl frontier` is told of this campaign."""
        campaign = Campaign.of(self._crawler)
        server = _without_passwords(campaign.config)["redis"]
        return f"{server} {campaign.config.out}" if server else str(campaign.root)

    def _write(self, reason: str) -> None:
        campaign = Campaign.of(self._crawler)
        self.summary = summary_of(campaign, reason)
        folder = campaign.root / "runs"
        self._say_incomplete()
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(campaign.tally.started_at))
        path = folder / f"run-{stamp}-{int(campaign.tally.started_at * 1000) % 1000:03}.json"
        try:
            folder.mkdir(exist_ok=True)
            write_summary(self.summary, path)
            self.path = path
        except OSError as error:
            campaign.storage_failed(StoreError(f"no run summary: {error}", where=path))
