"""Writes down every item at once, and how long the feeds are when a run begins."""

import json
import os
from pathlib import Path

from itemadapter import ItemAdapter
from scrapy import signals


class ItemLog:
    def __init__(self, crawler):
        self.crawler = crawler
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def open_spider(self):
        path = self.crawler.settings["ITEM_LOG"]
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def process_item(self, item):
        self.write(ItemAdapter(item).asdict())
        return item

    def opened(self, spider):
        sizes = {str(path): path.stat().st_size for path in Path("feeds").glob("*")}
        self.write({"opened": sizes, "state": getattr(spider, "state", None)})

    def closed(self, spider, reason):
        self.write({"closed": reason, "state": getattr(spider, "state", None)})

    def write(self, row):
        os.write(self.fd, json.dumps(row).encode() + b"\n")
