"""A project as `scrapy startproject` makes it; what it has of quarkcrawl is the last line."""

BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
NEWSPIDER_MODULE = "shop.spiders"
ITEM_PIPELINES = {"shop.pipelines.ItemLog": 300}
ITEM_LOG = "items.log"

CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 16
DOWNLOAD_DELAY = 0
ROBOTSTXT_OBEY = False
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"

FIELDS = ["sku", "name", "price", "stock", "note", "depth"]
FEED_EXPORT_ENCODING = "utf-8"
FEEDS = {
    "feeds/items.jsonl": {"format": "jsonlines"},
    "feeds/items.csv": {"format": "csv", "fields": FIELDS},
    "feeds/items.parquet": {"format": "parquet"},
    "feeds/batch-%(batch_id)05d.jsonl": {"format": "jsonlines", "batch_item_count": 500},
}

ADDONS = {"quarkcrawl.crawl.DurableAddon": 400}
