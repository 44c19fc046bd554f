"""Garbage in cycles goes every so many requests, and after a crawl all is as before."""

import gc
import weakref

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from quarkcrawl.crawl.components import garbage


class Cycle:
    def __init__(self):
        self.me = self


def test_cycles_go_with_requests():
    crawler = Crawler(Spider)
    gc.unfreeze()  # other tests, or what they import, may have frozen objects
    before = gc.get_threshold(), gc.get_freeze_count()
    with garbage.rare_collections(crawler):
        assert gc.get_threshold()[0] > before[0][0]
        left = weakref.ref(Cycle())
        for _ in range(garbage._REQUESTS - 1):
            crawler.signals.send_catch_log(signals.request_reached_downloader)
        assert left() is not None
        crawler.signals.send_catch_log(signals.request_reached_downloader)
        assert left() is None
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
