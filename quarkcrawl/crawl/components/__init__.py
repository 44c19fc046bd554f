"""What Scrapy is given: add-on, scheduler, middlewares, pipelines, extensions."""

from quarkcrawl.crawl.components.addon import CampaignAddon, ExtractionAddon
from quarkcrawl.crawl.components.garbage import rare_collections
from quarkcrawl.crawl.components.homepages import CHECK_SETTINGS, HomePages
from quarkcrawl.crawl.components.logs import install_log_handler
from quarkcrawl.crawl.components.page_middleware import ExtractionMiddleware, page_of
from quarkcrawl.crawl.components.pages import page_item
from quarkcrawl.crawl.components.rendering import PageRendering, RenderChoice, render_limits
from quarkcrawl.crawl.components.stage import AnalysisStage, CampaignStage, DropPage

__all__ = [
    "CHECK_SETTINGS",
    "AnalysisStage",
    "CampaignAddon",
    "CampaignStage",
    "DropPage",
    "ExtractionAddon",
    "ExtractionMiddleware",
    "HomePages",
    "PageRendering",
    "RenderChoice",
    "install_log_handler",
    "page_item",
    "page_of",
    "rare_collections",
    "render_limits",
]
