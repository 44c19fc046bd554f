"""Scrapy settings of a quarkcrawl project (named by scrapy.cfg).

The defaults come from the add-on; ``quarkcrawl.toml`` beside scrapy.cfg, where there is one,
overrides them, and ``-s NAME=VALUE`` overrides both.
"""

from quarkcrawl.config import SETTING_PREFIX, load_toml
from quarkcrawl.crawl.project import project_folder

BOT_NAME = "quarkcrawl"
SPIDER_MODULES = ["spiders"]
NEWSPIDER_MODULE = "spiders"
ADDONS = {"quarkcrawl.crawl.components.addon.CampaignAddon": 500}

_toml = project_folder() / "quarkcrawl.toml"
if _toml.is_file():
    globals().update(
        {SETTING_PREFIX + name.upper(): value for name, value in load_toml(_toml).items()}
    )
