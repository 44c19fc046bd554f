"""From Scrapy settings to `CrawlConfig`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.config import SETTING_PREFIX, CrawlConfig

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def config_of(settings: BaseSettings) -> CrawlConfig:
    """Collect the ``QUARKCRAWL_*`` settings.

    Args:
        settings: those of a crawl.

    Raises:
        ConfigError: an unknown setting with our prefix, or a value of the wrong type.
    """
    values = {
        name.removeprefix(SETTING_PREFIX).lower(): settings[name]
        for name in settings
        if name.startswith(SETTING_PREFIX) and settings[name] is not None
    }
    return CrawlConfig.from_mapping(values, source="settings")
