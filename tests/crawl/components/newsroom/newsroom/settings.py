BOT_NAME = "newsroom"
SPIDER_MODULES = ["newsroom.spiders"]
ADDONS = {"scrapy_poet.Addon": 300, "quarkcrawl.crawl.ExtractionAddon": 500}
SCRAPY_POET_DISCOVER = ["newsroom.pages"]
ROBOTSTXT_OBEY = False
REMOTE_CONTROL_ENABLED = False  # its file is in HOME, which may not be there
