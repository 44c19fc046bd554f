"""What commands show to people at their end, on a terminal."""

from quarkcrawl.cli.tables.crawl import crawl_tables

__all__ = ["crawl_tables"]
