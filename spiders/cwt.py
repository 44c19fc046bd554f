"""The corpus spider: three levels of each host, breadth-first (CWT200g thesis, 3.4).

scrapy crawl cwt -a hosts=hosts.txt -s QUARKCRAWL_OUT=corpus

The options of ``quarkcrawl crawl`` are settings: ``QUARKCRAWL_`` and their names in capitals; its
``--replay`` is ``CWT_REPLAY``, paths of stored pages with commas between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

from quarkcrawl.config import SETTING_PREFIX
from quarkcrawl.crawl import Campaign, page_item, read_hosts, seed_candidates
from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.mockweb import ServerProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from quarkcrawl.page import PageItem


REPLAY_SETTING = "CWT_REPLAY"
"""Stored pages that are served on this machine and crawled there."""


class CwtSpider(scrapy.Spider):
    """Crawls the hosts of a file into a corpus.

    Args:
        hosts: path of the HOSTS file (``-`` is standard input).
    """

    name = "cwt"

    def __init__(self, hosts: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seeds = read_hosts(hosts)
        self._server: ServerProcess | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build for a crawler.

        Raises:
            ConfigError: no corpus folder is set.
            InputError: stored pages that are to be served cannot be read.
        """
        if not crawler.settings.get("QUARKCRAWL_OUT"):
            raise ConfigError("no corpus folder: -s QUARKCRAWL_OUT=FOLDER")
        spider = super().from_crawler(crawler, *args, **kwargs)
        if paths := crawler.settings.getlist(REPLAY_SETTING):
            spider.serve(crawler, paths)
        return spider

    def serve(self, crawler: Crawler, paths: list[str]) -> None:
        """Answer for all hosts with stored pages, until the spider is closed."""
        self._server = ServerProcess.for_replay(paths, upgrade_http=True)
        for name, value in self._server.info.crawl_settings().items():
            # Below the command line: who sets a delay there means it.
            crawler.settings.set(SETTING_PREFIX + name.upper(), value, priority="spider")

    def closed(self, reason: str) -> None:
        """End the local server, if there is one."""
        del reason
        if self._server is not None:
            self._server.stop()

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
