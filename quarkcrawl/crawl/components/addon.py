"""Two Scrapy add-ons.

`ExtractionAddon` adds the page of a response to any Scrapy project, also as an input that
scrapy-poet injects where that is used, and changes nothing else.
`CampaignAddon` makes a project a corpus crawler: scheduler, download handler, stages and
defaults, all at add-on priority, so that project, spider and command line override them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from quarkcrawl.config import SETTING_PREFIX, CrawlConfig
from quarkcrawl.crawl.options import config_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings


EXTRACTION = "quarkcrawl.crawl.components.page_middleware.ExtractionMiddleware"
POET = "quarkcrawl.crawl.components.poet.PageInputProvider"
SCHEDULER = "quarkcrawl.crawl.components.scheduler.FrontierScheduler"
HANDLER = "quarkcrawl.crawl.http.download.DownloadHandler"

DEFAULTS: dict[str, Any] = {
    "LOG_FORMATTER": "quarkcrawl.crawl.components.logs.QuietLogFormatter",
    "LOG_LEVEL": "INFO",
    # The frontier paces hosts, retries and robots.txt; Scrapy's own parts would do it twice.
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1000,
    # Scrapy starts this many tasks per response; a page yields one item, and stages are plain
    # functions: 100, the default, costs as much CPU as all of our own work on a page.
    "CONCURRENT_ITEMS": 1,
    # Pages that wait for a worker hold nobody back: what waits is bounded by CONCURRENT_REQUESTS.
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 256 << 20,
    "DOWNLOAD_DELAY": 0,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "COMPRESSION_ENABLED": False,
    "COOKIES_ENABLED": False,
    "REFERER_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOADER_STATS": False,
    "DEPTH_STATS_VERBOSE": False,
    "WARN_ON_GENERATOR_RETURN_VALUE": False,
    "LOGSTATS_INTERVAL": 0,
    "URLLENGTH_LIMIT": 0,
    "STATS_DUMP": False,
    "DEFAULT_REQUEST_HEADERS": {
        "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5",
        "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
    },
    # PageItem holds bytes and the page itself, which a feed cannot write.
    "FEED_EXPORT_FIELDS": {
        **{name: name for name in ("url", "host", "level", "status", "md5", "ip", "fetched_at")},
        "flags": "marks",  # as in the pages table
    },
}

HANDLERS = {"http": HANDLER, "https": HANDLER, "data": None, "file": None, "ftp": None, "s3": None}

UNUSED = {
    "DOWNLOADER_MIDDLEWARES": (
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
        "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware",
    ),
    "SPIDER_MIDDLEWARES": (
        # Each middleware with process_spider_output costs a layer of generators per response.
        "scrapy.spidermiddlewares.start.StartSpiderMiddleware",
        "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware",
        "scrapy.spidermiddlewares.depth.DepthMiddleware",
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
    ),
    # The campaign counts pages and endings itself; a receiver of ``item_scraped`` is a task a page.
    "EXTENSIONS": ("scrapy.extensions.corestats.CoreStats",),
}

SPIDER_MIDDLEWARES = {
    "quarkcrawl.crawl.components.lease_middleware.LeaseMiddleware": 540,
    EXTRACTION: 545,
}

RESOLVER = "quarkcrawl.crawl.http.resolver.GuardedTwistedResolver"
LOOP = "uvloop.Loop"

TWINS = {
    "CONCURRENT_REQUESTS": "CONCURRENCY",
    "DOWNLOAD_TIMEOUT": "TIMEOUT_S",
    "USER_AGENT": "USER_AGENT",
}
"""Settings of Scrapy that are ours too: the one with the higher priority holds for both."""

EXTENSIONS = {
    "quarkcrawl.crawl.components.progress.Progress": 0,
    "quarkcrawl.crawl.summary.RunSummary": 0,
    "quarkcrawl.crawl.components.metrics.Metrics": 10,
}

PIPELINES = {
    "pipelines.robotsmeta.RobotsMetaPipeline": 50,
    "pipelines.dedup.DedupPipeline": 100,
    "pipelines.spam.SpamPipeline": 200,
    "pipelines.rendering.RenderingPipeline": 250,
    "quarkcrawl.crawl.components.stage.AnalysisStep": 275,
    "pipelines.segmentation.SegmentationPipeline": 300,
    "pipelines.content.ContentPipeline": 400,
    "pipelines.template.TemplatePipeline": 500,
    "pipelines.classes.ClassPipeline": 550,
    "pipelines.near.NearPipeline": 600,
    "pipelines.page_dat.PageDatPipeline": 900,
}


class ExtractionAddon:
    """``ADDONS = {"quarkcrawl.crawl.ExtractionAddon": 500}`` in any Scrapy project."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the spider middleware, and the provider of pages where scrapy-poet is used.

        Args:
            settings: settings of the crawler.
        """
        _add(settings, "SPIDER_MIDDLEWARES", {EXTRACTION: 545})
        if _uses_poet(settings):
            # Behind scrapy-poet's own (400 to 1000), and behind what a project provides itself.
            _add(settings, "SCRAPY_POET_PROVIDERS", {POET: 1100})


class CampaignAddon:
    """Settings of a corpus crawl."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Set what belongs to the process: it looks before there is a crawler.

        Args:
            settings: settings of the process.
        """
        settings.set("TWISTED_DNS_RESOLVER", RESOLVER, priority="addon")
        settings.set("ASYNCIO_EVENT_LOOP", LOOP, priority="addon")

    def update_settings(self, settings: BaseSettings) -> None:
        """Set every default that the project, spider or command line did not set.

        Args:
            settings: settings of the crawler.
        """
        for name, value in DEFAULTS.items():
            settings.set(name, value, priority="addon")
        if settings.get("QUARKCRAWL_OUT"):  # else: scrapy shell, fetch, view
            settings.set("SCHEDULER", SCHEDULER, priority="addon")
        settings.set("DOWNLOAD_HANDLERS", HANDLERS, priority="addon")
        _add(settings, "SPIDER_MIDDLEWARES", SPIDER_MIDDLEWARES)
        _add(settings, "EXTENSIONS", EXTENSIONS)
        _add(settings, "ITEM_PIPELINES", PIPELINES)
        for setting, classes in UNUSED.items():
            _add(settings, setting, dict.fromkeys(classes))
        for field in fields(CrawlConfig):
            settings.set(SETTING_PREFIX + field.name.upper(), field.default, priority="addon")
        for theirs, name in TWINS.items():
            _level(settings, theirs, SETTING_PREFIX + name)
        settings.set(
            "USER_AGENT", config_of(settings).agent, settings.getpriority("USER_AGENT") or 0
        )


def _uses_poet(settings: BaseSettings) -> bool:
    """Whether scrapy-poet's add-on will be or was loaded, or its middleware is set by hand.

    Told by names and base classes: loading the middlewares of a project now, before there is a
    reactor, could install the wrong one. Add-ons are loaded now anyhow.
    """
    addons = [load_object(addon) for addon in _components(settings, "ADDONS")]
    return any(map(_is_poets, [*addons, *_components(settings, "DOWNLOADER_MIDDLEWARES")]))


def _components(settings: BaseSettings, name: str) -> list[Any]:
    """Paths and classes of a setting that are not switched off."""
    return [kind for kind, place in settings.getdict(name).items() if place is not None]


def _is_poets(component: Any) -> bool:
    if isinstance(component, str):
        return component.partition(".")[0] == "scrapy_poet"
    bases = getattr(component, "__mro__", (component,))
    return any(base.__module__.partition(".")[0] == "scrapy_poet" for base in bases)


def _level(settings: BaseSettings, theirs: str, ours: str) -> None:
    """Give two settings the value of the one that was set with the higher priority."""
    priority, own_priority = settings.getpriority(theirs) or 0, settings.getpriority(ours) or 0
    if priority > own_priority:
        settings.set(ours, settings[theirs], priority)
    else:
        settings.set(theirs, settings[ours], own_priority)


def _add(settings: BaseSettings, name: str, classes: Mapping[str, int | None]) -> None:
    """Add components to a setting; those that are there already keep their place."""
    for path, priority in classes.items():
        settings.setdefault_in_component_priority_dict(name, load_object(path), priority)
