"""Feeds of a job that goes on after any death of its process.

`JobFeeds` stands in for Scrapy's feed exporter; `ParquetItemExporter` is a format that any
project can use, by ``FEED_EXPORTERS = {"parquet": "quarkcrawl.crawl.jobs.feeds.ParquetItemExporter"}``.
"""

from quarkcrawl.crawl.jobs.feeds.extension import JobFeeds
from quarkcrawl.crawl.jobs.feeds.parquet import ParquetItemExporter

__all__ = ["JobFeeds", "ParquetItemExporter"]
