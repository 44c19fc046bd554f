"""Scrapy settings of a quarkcrawl project (named by scrapy.cfg).

The defaults come from the add-on; ``quarkcrawl.toml`` beside scrapy.cfg, where there is one,
overrides them, and ``-s NAME=VALUE`` overrides both. The code beside that scrapy.cfg is what
Scrapy gets by the names ``spiders`` and ``pipelines``, however it was started.
"""

from quarkcrawl.config import SETTING_PREFIX, load_toml
from quarkcrawl.crawl.project import import_first, own_project, project_folder

BOT_NAME = "quarkcrawl"
SPIDER_MODULES = ["spiders"]
NEWSPIDER_MODULE = "spiders"
ADDONS = {"quarkcrawl.crawl.components.addon.CampaignAddon": 500}

_own = own_project()
if _own is not None:
    import_first(_own)

_toml = project_folder() / "quarkcrawl.toml"
if _toml.is_file():
    globals().update(
        {SETTING_PREFIX + name.upper(): value for name, value in load_toml(_toml).items()}
    )
