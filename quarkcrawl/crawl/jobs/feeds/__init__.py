"""Feeds of a job that goes on after any death of its process.

`JobFeeds` stands in for Scrapy's feed exporter (``extension``). A feed (``feed``) writes one file
after the other (``batch``); what an exporter writes stays aside until the item is whole
(``feedfile``). Which formats can be continued, and how, is in ``formats``. Parquet (``parquet``) is
one of them and a format for any other project, by
``FEED_EXPORTERS = {"parquet": "quarkcrawl.crawl.jobs.feeds.ParquetItemExporter"}``.
"""

from quarkcrawl.crawl.jobs.feeds.extension import JobFeeds
from quarkcrawl.crawl.jobs.feeds.parquet import ParquetItemExporter

__all__ = ["JobFeeds", "ParquetItemExporter"]
