"""Add-ons that make the crawls of any Scrapy project durable."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter
from scrapy.extensions.spiderstate import SpiderState
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object

from quarkcrawl.crawl.jobs.feeds import JobFeeds, ParquetItemExporter
from quarkcrawl.crawl.jobs.opened import ParsingMiddleware
from quarkcrawl.crawl.jobs.scheduler import DurableScheduler

if TYPE_CHECKING:
    from scrapy.core.scheduler import BaseScheduler
    from scrapy.settings import BaseSettings

_LOOKING: Final = frozenset({"bench", "check", "fetch", "parse", "shell", "view"})
"""Commands of Scrapy that look at pages: no job goes on for them."""


class DurableAddon:
    """``ADDONS = {"quarkcrawl.crawl.DurableAddon": 400}`` in any Scrapy project.

    After the process dies for any reason, the same command loses nothing: requests that wait or
    are out, the duplicate filter, ``spider.state``, items on the way to the feeds.
    """

    scheduler: type[BaseScheduler] = DurableScheduler

    def update_settings(self, settings: BaseSettings) -> None:
        """Put the job's parts in the place of Scrapy's.

        Args:
            settings: settings of the crawler.

        Raises:
            NotConfigured: the project has another scheduler, or the command only looks at pages.
        """
        if _only_looks(sys.argv):
            raise NotConfigured
        if (settings.getpriority("SCHEDULER") or 0) > SETTINGS_PRIORITIES["addon"]:
            scheduler = load_object(settings["SCHEDULER"])
            if scheduler is not self.scheduler:
                message = f"the project sets SCHEDULER to {scheduler.__qualname__}; remove that"
                raise NotConfigured(message)
        settings.set("SCHEDULER", self.scheduler, priority="addon")
        for replaced in (FeedExporter, SpiderState):
            settings.setdefault_in_component_priority_dict("EXTENSIONS", replaced, None)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", JobFeeds, 0)
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", ParsingMiddleware, 0)
        exporters = {"parquet": ParquetItemExporter} | dict(settings.getwithbase("FEED_EXPORTERS"))
        settings.set("FEED_EXPORTERS", exporters, priority="addon")


def _only_looks(command: list[str]) -> bool:
    """Whether this is a command of Scrapy that looks at single pages."""
    program = Path(command[0]) if command else Path()
    if "scrapy" not in {program.name, program.parent.name}:
        return False
    return next((word for word in command[1:] if not word.startswith("-")), "") in _LOOKING
