"""The add-on by which the workers of many machines share the crawl of an ordinary spider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy.extensions.feedexport import FeedExporter
from scrapy.extensions.spiderstate import SpiderState
from scrapy.extensions.throttle import AutoThrottle

from quarkcrawl.crawl.jobs.feeds import JobFeeds
from quarkcrawl.crawl.jobs.opened import ParsingMiddleware
from quarkcrawl.crawl.jobs.shared.scheduler import SharedScheduler
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_PARSING_AT: Final = 10_000
"""Beyond all others, so that nothing comes between it and the spider."""
DEFAULTS: Final[dict[str, Any]] = {
    "QUARKCRAWL_REDIS": "",
    "QUARKCRAWL_REDIS_STARTS": "%(name)s:start_urls",
    "QUARKCRAWL_REDIS_WAIT_S": 3600.0,
    "QUARKCRAWL_LEASE_S": 300.0,
    "QUARKCRAWL_WORKER": "",
    "QUARKCRAWL_WAIT": False,
    "QUARKCRAWL_JOB_REFUSE": False,
}


class SharedAddon:
    """``ADDONS = {"quarkcrawl.crawl.SharedAddon": 400}``, with ``QUARKCRAWL_REDIS``."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Put in scheduler, feeds and middleware.

        Args:
            settings: settings of the crawler.

        Raises:
            ConfigError: ``QUARKCRAWL_REDIS`` is missing.
        """
        for name, value in DEFAULTS.items():
            settings.set(name, value, priority="addon")
        if not settings["QUARKCRAWL_REDIS"]:
            raise ConfigError('SharedAddon needs QUARKCRAWL_REDIS = "redis://server/0#NAME"')
        settings.set("SCHEDULER", SharedScheduler, priority="addon")
        settings.setdefault_in_component_priority_dict(
            "SPIDER_MIDDLEWARES", ParsingMiddleware, _PARSING_AT
        )
        settings.set_in_component_priority_dict("EXTENSIONS", JobFeeds, 0)
        # The worker's file keeps the state of the spider; the frontier paces.
        for unused in (FeedExporter, SpiderState, AutoThrottle):
            settings.set_in_component_priority_dict("EXTENSIONS", unused, None)
        _set_no_jitter(settings)


def _set_no_jitter(settings: BaseSettings) -> None:
    """What one worker waits longer, another one would not know of."""
    names = ("DOWNLOAD_DELAY_JITTER", "RANDOMIZE_DOWNLOAD_DELAY")
    priority = max(settings.getpriority(name) or 0 for name in names)
    settings.set("DOWNLOAD_DELAY_JITTER", 0, max(priority, settings.getpriority(names[0]) or 0))
    slots = {
        name: {key: value for key, value in slot.items() if key != "randomize_delay"}
        | {"jitter": 0}
        for name, slot in settings.getdict("DOWNLOAD_SLOTS").items()
    }
    settings.set("DOWNLOAD_SLOTS", slots, settings.getpriority("DOWNLOAD_SLOTS") or 0)
