"""The corpus spider: three levels of each host, breadth-first (CWT200g thesis, 3.4).

scrapy crawl cwt -a hosts=hosts.txt -s QUARKCRAWL_OUT=corpus
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

from quarkcrawl.crawl import Campaign, page_item, read_hosts, seed_candidates

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

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
