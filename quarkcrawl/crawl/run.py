"""Run a crawl from Python: start Scrapy on the project, return the summary."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

from quarkcrawl.config import SETTING_PREFIX
from quarkcrawl.crawl.campaign import Campaign
from quarkcrawl.crawl.components import install_log_handler, rare_collections
from quarkcrawl.crawl.options import config_of
from quarkcrawl.crawl.project import project_folder, use_project
from quarkcrawl.crawl.summary import RunSummary, write_summary
from quarkcrawl.errors import QuarkError
from quarkcrawl.template.site import RULES_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings
    from twisted.python.failure import Failure

    from quarkcrawl.config import CrawlConfig


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """What a finished run left behind."""

    summary: dict[str, Any]
    summary_path: Path | None
    config: CrawlConfig

    @property
    def finish_reason(self) -> str:
        """Scrapy's word for it: finished, shutdown (Ctrl-C), storage_failed."""
        return str(self.summary.get("finish_reason", "none"))

    @property
    def is_cleanable(self) -> bool:
        """Whether contents are to be cleaned now: the crawl is at its end and was not shared.

        Shards of many workers are one corpus only after ``quarkcrawl corpus merge``.
        """
        config = self.config
        knows_sites = config.site_pages > 0 or (Path(config.out) / RULES_FILE).is_file()
        is_wanted = config.content and knows_sites and not config.redis
        return is_wanted and self.finish_reason == "finished" and self.summary["left"] == 0

    def add(self, name: str, value: object) -> None:
        """Add to the summary, also where it is kept, what was done after the crawl.

        Args:
            name: key of the summary.
            value: fit for JSON.
        """
        self.summary[name] = value
        if self.summary_path is not None:
            try:
                write_summary(self.summary, self.summary_path)
            except OSError as error:
                logger.warning("the run summary was not written anew: %s", error)


def run_settings(config: Mapping[str, object], log_level: str) -> Settings:
    """Settings of the project to run, with what a command was given; the log goes to stderr.

    ``config`` has the fields of `CrawlConfig` that differ from the project's.
    """
    use_project(project_folder())
    settings = get_project_settings()
    for name, value in config.items():
        settings.set(SETTING_PREFIX + name.upper(), value, priority="cmdline")
    settings.set("LOG_LEVEL", log_level, priority="cmdline")
    install_log_handler(log_level)
    settings.set("LOG_INSTALL_ROOT_HANDLER", value=False, priority="cmdline")
    return settings


def run_crawl(
    hosts: str, config: Mapping[str, object], *, spider: str = "cwt", log_level: str = "INFO"
) -> CrawlResult:
    """Crawl the hosts of a file; blocks until the run ends. Once per process (Twisted).

    Args:
        hosts: path of the HOSTS file.
        config: fields of `CrawlConfig` that differ from the project's.
        spider: name of the spider.
        log_level: least level of messages that go to stderr, by Python's names.

    Raises:
        QuarkError: the run could not start.
        KeyboardInterrupt: the run was stopped at once, by a second Ctrl-C or SIGTERM.
    """
    process = CrawlerProcess(run_settings(config, log_level))
    crawler = process.create_crawler(spider)
    failures: list[Failure] = []
    process.crawl(crawler, hosts=hosts).addErrback(failures.append)
    with rare_collections(crawler):
        process.start()
    if failures:
        if (campaign := Campaign.opened(crawler)) is not None:
            campaign.abandon()
        error = failures[0].value
        if isinstance(error, QuarkError):
            raise error
        failures[0].raiseException()
    extension = crawler.get_extension(RunSummary)
    assert extension is not None
    if not extension.summary:  # the second Ctrl-C: the spider was never closed
        raise KeyboardInterrupt
    return CrawlResult(extension.summary, extension.path, config_of(crawler.settings))
