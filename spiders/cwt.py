"""The corpus spider: three levels of each host, breadth-first (CWT200g thesis, 3.4).

scrapy crawl cwt -a hosts=hosts.txt -s QUARKCRAWL_OUT=corpus
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

from quarkcrawl.crawl import Campaign, page_item, read_hosts, seed_candidates
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from quarkcrawl.page import PageItem


class CwtSpider(scrapy.Spider):
    """Crawls the hosts of a file into a corpus.

    Args:
        hosts: path of the HOSTS file (``-`` is standard input).
    """

    name = "cwt"

    def __init__(self, hosts: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seeds = read_hosts(hosts)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build for a crawler.

        Raises:
            ConfigError: no corpus folder is set.
        """
        if not crawler.settings.get("QUARKCRAWL_OUT"):
            raise ConfigError("no corpus folder: -s QUARKCRAWL_OUT=FOLDER")
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Any]:
        """Queue the seeds; the scheduler takes over from there."""
        Campaign.of(self.crawler).seed(seed_candidates(self.seeds))
        return
        yield

    def parse(self, response: Response) -> Iterator[PageItem]:
        """One reply: its page, if it is one; links go straight to the frontier."""
        item = page_item(response, Campaign.of(self.crawler))
        if item is not None:
            yield item
