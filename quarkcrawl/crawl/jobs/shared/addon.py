"""The add-on by which workers on many machines share the crawl of an ordinary spider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scrapy.extensions.throttle import AutoThrottle

from quarkcrawl.crawl.jobs.addon import DurableAddon
from quarkcrawl.crawl.jobs.shared.scheduler import SharedScheduler
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

DEFAULTS: Final[dict[str, Any]] = {
    "QUARKCRAWL_REDIS": "",
    "QUARKCRAWL_REDIS_STARTS": "%(name)s:start_urls",
    "QUARKCRAWL_REDIS_WAIT_S": 3600.0,
    "QUARKCRAWL_LEASE_S": 300.0,
    "QUARKCRAWL_WORKER": "",
    "QUARKCRAWL_WAIT": False,
}
_JITTERS: Final = ("DOWNLOAD_DELAY_JITTER", "RANDOMIZE_DOWNLOAD_DELAY")


class SharedAddon(DurableAddon):
    """``ADDONS = {"quarkcrawl.crawl.SharedAddon": 400}``, with ``QUARKCRAWL_REDIS``.

    Every process that is started so, on any machine, is a worker of the same crawl. One that dies
    loses nothing: others have its requests when their leases run out, or itself when it is
    started again.
    """

    scheduler = SharedScheduler

    def update_settings(self, settings: BaseSettings) -> None:
        """Put in scheduler, feeds and middleware.

        Args:
            settings: settings of the crawler.

        Raises:
            ConfigError: ``QUARKCRAWL_REDIS`` is missing.
            NotConfigured: the project has another scheduler, or the command only looks at pages.
        """
        super().update_settings(settings)
        for name, value in DEFAULTS.items():
            settings.set(name, value, priority="addon")
        if not settings["QUARKCRAWL_REDIS"]:
            raise ConfigError('SharedAddon needs QUARKCRAWL_REDIS = "redis://server/0#NAME"')
        # The frontier paces: what one worker waits longer, another one would not know of.
        settings.set_in_component_priority_dict("EXTENSIONS", AutoThrottle, None)
        priority = max(settings.getpriority(name) or 0 for name in _JITTERS)
        settings.set("DOWNLOAD_DELAY_JITTER", 0, priority)
        slots = {
            name: {key: slot[key] for key in ("concurrency", "delay") if key in slot}
            | {"jitter": 0}
            for name, slot in settings.getdict("DOWNLOAD_SLOTS").items()
        }
        settings.set("DOWNLOAD_SLOTS", slots, settings.getpriority("DOWNLOAD_SLOTS") or 0)
